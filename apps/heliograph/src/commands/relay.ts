import { existsSync } from 'node:fs';
import { openPage } from '@heliograph/app-desktop/host';
import { type OpenKinds, type RetentionRule, startRelay } from '@heliograph/app-relay';
import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import { makeFolder } from '../folders.ts';
import { readKeyFile } from '../key-file.ts';
import { live } from '../life.ts';
import { listening } from '../listening.ts';
import { announce } from '../ready.ts';
import { withConfigFile } from './relay-settings.ts';
import { relayCluster, relayDatabase, relayFolder, type StorageFlags } from './relay-storage.ts';

export interface RelayOptions extends StorageFlags {
  readonly host: string;
  readonly port: number;
  readonly owner?: readonly string[];
  readonly publicUrl?: string;
  readonly name?: string;
  readonly public?: OpenKinds;
  readonly retention?: readonly RetentionRule[];
  readonly trustedProxy?: readonly string[];
  readonly verifyWorkers?: number;
  readonly config?: string;
  readonly ui: boolean;
  readonly nats?: string;
}

/** `heliograph relay`: carries frames between these owners and the agents they vouched for. */
export async function relay(options: RelayOptions, context: Context): Promise<number> {
  const { host, port, publicUrl, name, trustedProxy: trustedProxies, verifyWorkers: count = 0 } = options;
  const { log, crypto } = context;
  const config = options.config === undefined ? undefined : context.path(options.config);
  const flags = { owners: options.owner ?? [], open: options.public, retention: options.retention };
  const ofFlags = { ...flags, name, trustedProxies, publicUrl };
  const given = withConfigFile(ofFlags, config);
  const owners = given.owners.length > 0 ? given.owners : [await ownerOfThisUser(context)];
  // Who was the owner for lack of another stays it while the file names none.
  const readSettings = () => withConfigFile({ ...ofFlags, owners }, config);
  const dataDir = relayFolder(options, context);
  const postgres = relayDatabase(options, context);
  const nats = relayCluster(options, context);
  if (postgres === undefined) makeFolder(dataDir, '--data');
  const ui = options.ui ? await openPage(context.installation.uiDir) : undefined;
  return live(log, async (life) => {
    const settings = {
      host,
      port,
      dataDir,
      postgres,
      nats,
      ...given,
      owners,
      ui,
      ...(count > 0 ? { verifyWorkers: { count, file: context.installation.verifyWorkerFile } } : {}),
      crypto,
      log: log.child({ part: 'relay' }),
    };
    const running = await life.start('relay', () => listening({ host, port }, startRelay(settings).catch(asBadUsage)));
    if (config !== undefined) {
      onHangup(() => {
        try {
          running.reconfigure(readSettings());
        } catch (error) {
          log.error({ reason: error instanceof Error ? error.message : error }, 'the configuration stays as it was');
        }
      });
    }
    announce({ ready: 'relay', url: running.url });
  });
}

/** A setting that is none, which a file can say after the flags were checked. */
function asBadUsage(error: unknown): never {
  throw error instanceof RangeError ? badUsage(error.message) : error;
}

/** A relay with a file to read again does that at SIGHUP; one without ends, as every part does. */
function onHangup(act: () => void): void {
  process.removeAllListeners('SIGHUP');
  process.on('SIGHUP', act);
}

/** Without --owner the relay is for the owner whose key lies at the usual place. */
async function ownerOfThisUser({ places, env, crypto, log }: Context): Promise<string> {
  const file = places.ownerKey;
  if (!existsSync(file)) {
    throw badUsage(
      `--owner is missing: expected the npub of at least one owner, as \`heliograph keys new\` or \`heliograph keys show\` prints it. (It would default to the key in ${file}, which is not there.)`,
    );
  }
  const { publicKey } = await readKeyFile(file, '--owner', env, crypto);
  log.info({ file }, `no --owner was given: this relay is for the owner of ${file}`);
  return publicKey;
}
