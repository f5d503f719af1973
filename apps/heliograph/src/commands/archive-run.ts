import { readDesktopState } from '@heliograph/app-desktop/host';
import { encodeNpub } from '@heliograph/wire/nostr';
import { archiveDecisions } from '../archive-place.ts';
import { type Context, openOwnerKey } from '../context.ts';
import { badUsage } from '../failure.ts';
import { live } from '../life.ts';
import { defaultPort, listening, loopback } from '../listening.ts';
import { openArchive } from '../open-archive.ts';
import { announce } from '../ready.ts';

export interface ArchiveRunOptions {
  readonly ownerKey?: string;
  readonly relay?: readonly string[];
  readonly port: number;
}

/** `heliograph archive run`: keeps what arrives, until it is ended. */
export async function archiveRun(options: ArchiveRunOptions, context: Context): Promise<number> {
  if (!archiveDecisions(context).on) {
    throw badUsage('the archive is off and keeps nothing. Switch it on first: heliograph archive on');
  }
  const owner = await openOwnerKey(options.ownerKey, context);
  const desktop = await readDesktopState(context.places.desktopFile, owner.publicKey);
  const relays = options.relay ?? desktop.relays;
  if (relays.length === 0) {
    throw badUsage(
      "--relay is missing: expected a relay's address like ws://192.168.1.5:7447. (It would default to the desktop's relays, and there are none.)",
    );
  }
  return live(context.log, async (life) => {
    const parts = { owner, relays, agents: desktop.agents, port: options.port, origins: desktopOrigins };
    const archive = await life.start('archive', () =>
      listening({ host: loopback, port: options.port }, openArchive(parts, context)),
    );
    announce({
      ready: 'archive',
      file: archive.file,
      owner: encodeNpub(owner.publicKey),
      ...(archive.url === undefined ? {} : { url: archive.url }),
    });
  });
}

/** The desktop's page, where it is served at its usual place on this machine. */
function desktopOrigins(): readonly string[] {
  return ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${defaultPort.desktop}`);
}
