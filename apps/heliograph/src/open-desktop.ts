import { join } from 'node:path';
import { type DesktopHost, readDesktopState, startDesktopHost } from '@heliograph/app-desktop/host';
import type { KnownAgent } from '@heliograph/client';
import { err, makeInvite, ok } from '@heliograph/wire';
import { ArchiveDesk } from './archive-desk.ts';
import type { Context } from './context.ts';
import { inAYearSec } from './in-a-year.ts';
import type { KeyPair } from './key-file.ts';
import type { Life } from './life.ts';
import { type Address, listening } from './listening.ts';
import { openArchive } from './open-archive.ts';
import { insteadOfWindow, openWindow } from './open-window.ts';
import { announce } from './ready.ts';

export interface DesktopParts {
  readonly address: Address;
  readonly owner: KeyPair;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  readonly window: boolean;
}

/** Starts the desktop's host, says that it is ready and opens its window when asked to. */
export async function openDesktop(parts: DesktopParts, life: Life, context: Context): Promise<void> {
  const { log, env, places } = context;
  const origins: string[] = [];
  const desk = archiveDesk(parts, () => origins, context);
  const host = await life.start('desktop', () => listening(parts.address, startHost(parts, desk, context)));
  const { origin } = new URL(host.url);
  origins.push(origin, origin.replace('127.0.0.1', 'localhost'));
  announce({ ready: 'desktop', url: host.url });
  await life.start('archive', async () => {
    await desk.start();
    return desk;
  });
  if (!parts.window) {
    log.info(`no window: ${insteadOfWindow}`);
    return;
  }
  const window = openWindow(host.link(), join(places.state, 'window'), env, log.child({ part: 'window' }));
  if (window) await life.start('window', async () => window);
}

/** The archive beside this desktop; `origins`: the pages that may read history from its socket. */
function archiveDesk(parts: DesktopParts, origins: () => readonly string[], context: Context): ArchiveDesk {
  const open = async () => {
    const { relays, agents } = await readDesktopState(context.places.desktopFile, parts.owner.publicKey);
    return openArchive({ owner: parts.owner, relays, agents, port: 0, origins }, context);
  };
  return new ArchiveDesk({ context, open, ownerSecret: parts.owner.secret });
}

function startHost(
  { address, owner, relays, agents }: DesktopParts,
  desk: ArchiveDesk,
  context: Context,
): Promise<DesktopHost> {
  const { places, installation, crypto, log } = context;
  return startDesktopHost({
    host: address.host,
    port: address.port,
    orFreePort: address.orFreePort ?? false,
    uiDir: installation.uiDir,
    stateFile: places.desktopFile,
    ownerKey: owner.secret,
    owner: owner.publicKey,
    relays,
    agents,
    crypto,
    log: log.child({ part: 'desktop' }),
    version: installation.version,
    archive: (ask, signal) => desk.ask(ask, signal),
    async invite({ name, relays: through }) {
      try {
        const made = makeInvite({ ownerSecret: owner.secret, relays: through, name, untilSec: inAYearSec() }, crypto);
        return ok({ text: made.token, agent: { publicKey: made.agent, name, authTag: made.authTag } });
      } catch (error) {
        // encodeInvite throws RangeError on parts that are not acceptable: here they come from the page.
        if (error instanceof RangeError) return err({ message: error.message });
        throw error;
      }
    },
  });
}
