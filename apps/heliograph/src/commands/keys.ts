import { encodeNpub } from '@heliograph/wire/nostr';
import type { Context } from '../context.ts';
import { makeKey, readKeyFile, writeKeyFile } from '../key-file.ts';

/** `heliograph keys new`: writes a fresh secret key and prints its npub. */
export async function keysNew({ out }: { out: string }, context: Context): Promise<number> {
  const key = makeKey(context.crypto);
  writeKeyFile(context.path(out), key, '--out');
  process.stdout.write(`${encodeNpub(key.publicKey)}\n`);
  return 0;
}

/** `heliograph keys show`: prints the public key of a key file, in both spellings. */
export async function keysShow(file: string, context: Context): Promise<number> {
  const { publicKey } = await readKeyFile(context.path(file), 'FILE', context.env, context.crypto);
  process.stdout.write(`${encodeNpub(publicKey)}\n${publicKey}\n`);
  return 0;
}
