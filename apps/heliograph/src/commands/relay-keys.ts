import { type KeyVerdict, withAccessStore } from '@heliograph/app-relay';
import { encodeNpub } from '@heliograph/wire/nostr';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { relayFolder } from './relay-folder.ts';

interface Decision {
  readonly key: string;
  readonly verdict: KeyVerdict['verdict'] | undefined;
  readonly reason?: string;
  readonly data?: string;
}

/** `heliograph relay allow|deny|forget`: decides on a key; a relay that runs on the folder follows within a second. */
export async function decideOnKey({ key, verdict, reason, data }: Decision, context: Context): Promise<number> {
  const decided = withAccessStore(relayFolder(data, context), (access) => access.setKey(key, verdict, reason));
  if (!decided.ok) throw new Failure(1, decided.error.message);
  const npub = encodeNpub(key);
  const done = verdict === 'allow' ? 'is allowed' : verdict === 'deny' ? 'is denied' : 'is decided on no more';
  process.stdout.write(`${npub} ${decided.value ? done : `${done} (it was before)`}\n`);
  return 0;
}

/** `heliograph relay list`: prints what was decided, one key a line. */
export async function listKeys({ data }: { readonly data?: string }, context: Context): Promise<number> {
  const keys = withAccessStore(relayFolder(data, context), (access) => access.keys());
  if (!keys.ok) throw new Failure(1, keys.error.message);
  for (const { pubkey, verdict, reason } of keys.value) {
    process.stdout.write(`${verdict === 'allow' ? 'allow' : 'deny '} ${encodeNpub(pubkey)}${reason && ` ${reason}`}\n`);
  }
  return 0;
}
