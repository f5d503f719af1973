import { existsSync } from 'node:fs';
import { startRelay } from '@heliograph/app-relay';
import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import { readKeyFile } from '../key-file.ts';
import { live } from '../life.ts';
import { listening } from '../listening.ts';
import { announce } from '../ready.ts';

export interface RelayOptions {
  readonly host: string;
  readonly port: number;
  readonly data?: string;
  readonly owner?: readonly string[];
  readonly publicUrl?: string;
}

/** `heliograph relay`: carries frames between these owners and the agents they vouched for. */
export async function relay(options: RelayOptions, context: Context): Promise<number> {
  const { host, port, publicUrl } = options;
  const { places, log, crypto } = context;
  const owners = options.owner ?? [await ownerOfThisUser(context)];
  const dataDir = options.data === undefined ? places.relayData : context.path(options.data);
  return live(log, async (life) => {
    const settings = {
      host,
      port,
      dataDir,
      owners,
      ...(publicUrl ? { publicUrl } : {}),
      crypto,
      log: log.child({ part: 'relay' }),
    };
    const { url } = await life.start('relay', () => listening({ host, port }, startRelay(settings)));
    announce({ ready: 'relay', url });
  });
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
