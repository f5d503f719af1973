import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decryptSecretKey } from '@heliograph/crypto/nip49';
import { type Crypto, encodeNsec, hexEncode, parseSecretKey } from '@heliograph/wire/nostr';
import { badUsage, Failure, shellWord, systemCode } from './failure.ts';
import { hiddenPrompt, openMode, privateCommand, readNamedFile } from './secret-input.ts';
import type { Env } from './settings.ts';

const expected = 'a key file: nsec1…, ncryptsec1… or 64 hex characters';

/** A secret key and its public key. */
export interface KeyPair {
  readonly secret: Uint8Array;
  /** 64 hex characters. */
  readonly publicKey: string;
}

/**
 * Reads a key file that only its owner may read. A NIP-49 file is opened with the passphrase in
 * HELIOGRAPH_PASSPHRASE_FILE, else one asked for on the terminal.
 */
export async function readKeyFile(path: string, flag: string, env: Env, crypto: Crypto): Promise<KeyPair> {
  const isOwners = flag === '--owner-key';
  const hint = isOwners ? `${expected}. \`heliograph keys new --out ${shellWord(path)}\` makes one` : expected;
  const text = readNamedFile(path, flag, hint).trim();
  const mode = openMode(path);
  if (mode) {
    throw badUsage(
      `${flag}: ${path} can be read by other users (mode ${mode}). Make it yours alone: ${privateCommand(path)}`,
    );
  }
  if (text.startsWith('ncryptsec1')) return keyPair(await openEncryptedKey(text, path, flag, env), crypto);
  const parsed = parseSecretKey(text);
  if (!parsed.ok) throw badUsage(`${flag}: ${path} is not ${expected}.`);
  return keyPair(parsed.value, crypto);
}

async function openEncryptedKey(text: string, path: string, flag: string, env: Env): Promise<Uint8Array> {
  const opened = decryptSecretKey(text, await readPassphrase(path, flag, env));
  if (!opened.ok) throw new Failure(1, `${flag}: ${path} was not opened: ${opened.error.message}.`);
  return opened.value;
}

async function readPassphrase(path: string, flag: string, env: Env): Promise<string> {
  const file = env.HELIOGRAPH_PASSPHRASE_FILE;
  if (file)
    return readNamedFile(file, 'HELIOGRAPH_PASSPHRASE_FILE', 'a file with the passphrase').replace(/\r?\n$/, '');
  if (process.stdin.isTTY) return hiddenPrompt(`Passphrase of ${path} (not shown): `);
  throw badUsage(
    `${flag}: ${path} is encrypted and there is no terminal to ask for its passphrase. Set HELIOGRAPH_PASSPHRASE_FILE to a file that holds it.`,
  );
}

/** A fresh key pair from the system's random source. */
export function makeKey(crypto: Crypto): KeyPair {
  return keyPair(crypto.randomBytes(32), crypto);
}

/** Writes a key as nsec, readable by its owner only; never replaces a file. */
export function writeKeyFile(path: string, key: KeyPair, flag: string): void {
  if (!placeKeyFile(path, key, flag)) {
    throw badUsage(`${flag}: ${path} exists already and is not replaced. Name another file.`);
  }
}

/** Reads the key at a default place, or makes it there (folder 0700). `onMade` is told when it did. */
export async function readOrMakeKey(
  path: string,
  flag: string,
  env: Env,
  crypto: Crypto,
  onMade: (key: KeyPair) => void,
): Promise<KeyPair> {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fresh = makeKey(crypto);
    // A program started at the same moment may be first: then its key counts.
    if (placeKeyFile(path, fresh, flag)) onMade(fresh);
  }
  return readKeyFile(path, flag, env, crypto);
}

/** Puts a whole key file in place at once; false when something is there already. */
function placeKeyFile(path: string, { secret }: KeyPair, flag: string): boolean {
  const half = `${path}.${process.pid}.new`;
  try {
    writeFileSync(half, `${encodeNsec(secret)}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(half, path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return false;
    if (code === 'ENOENT') {
      const folder = dirname(path);
      throw badUsage(`${flag}: there is no folder ${folder}. Make it first: mkdir -p ${shellWord(folder)}`);
    }
    throw badUsage(`${flag}: ${path} cannot be written (${code}). Name a file in a folder of yours.`);
  } finally {
    rmSync(half, { force: true });
  }
}

function keyPair(secret: Uint8Array, crypto: Crypto): KeyPair {
  return { secret, publicKey: hexEncode(crypto.publicKey(secret)) };
}
