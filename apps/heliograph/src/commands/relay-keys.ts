import { type AccessStore, type KeyVerdict, withAccessStore, withDatabaseAccess } from '@heliograph/app-relay';
import { encodeNpub } from '@heliograph/wire/nostr';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { relayDatabase, relayFolder, type StorageFlags } from './relay-storage.ts';

interface Decision extends StorageFlags {
  readonly key: string;
  readonly verdict: KeyVerdict['verdict'] | undefined;
  readonly reason?: string;
}

/** `heliograph relay allow|deny|forget`: decides on a key; a relay that runs on the folder follows within a second. */
export async function decideOnKey(given: Decision, context: Context): Promise<number> {
  const { key, verdict, reason } = given;
  const changed = await withDecisions(given, context, (access) => access.setKey(key, verdict, reason));
  const npub = encodeNpub(key);
  const done = verdict === 'allow' ? 'is allowed' : verdict === 'deny' ? 'is denied' : 'is decided on no more';
  process.stdout.write(`${npub} ${changed ? done : `${done} (it was before)`}\n`);
  return 0;
}

/** `heliograph relay list`: prints what was decided, one key a line. */
export async function listKeys(given: StorageFlags, context: Context): Promise<number> {
  const keys = await withDecisions(given, context, (access) => access.keys());
  for (const { pubkey, verdict, reason } of keys) {
    process.stdout.write(`${verdict === 'allow' ? 'allow' : 'deny '} ${encodeNpub(pubkey)}${reason && ` ${reason}`}\n`);
  }
  return 0;
}

async function withDecisions<T>(
  flags: StorageFlags,
  context: Context,
  act: (access: AccessStore) => T | Promise<T>,
): Promise<T> {
  const database = relayDatabase(flags, context);
  const done =
    database === undefined
      ? await withAccessStore(relayFolder(flags, context), act)
      : await withDatabaseAccess(database, act);
  if (!done.ok) throw new Failure(1, done.error.message);
  return done.value;
}
