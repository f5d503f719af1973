import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { type Crypto, encodeNpub } from '@heliograph/wire/nostr';
import type { Logger } from 'pino';
import { type KeyPair, readKeyFile, readOrMakeKey } from './key-file.ts';
import { createLog } from './log.ts';
import { findPlaces, type Places } from './places.ts';
import { type Env, userFolder } from './settings.ts';

/** The parts of this program that are files of their own. */
export interface Installation {
  readonly version: string;
  /** The program that Node runs as `heliograph`. */
  readonly entryFile: string;
  /** The built page of the desktop. */
  readonly uiDir: string;
  /** The demo agent, a program for Node. */
  readonly demoAgentFile: string;
  /** The thread in which the relay checks signatures. */
  readonly verifyWorkerFile: string;
  /** The thread in which the desktop's archive is read. */
  readonly askWorkerFile: string;
  /** How the user starts `up`, for commands shown to them. */
  readonly startCommand: string;
}

/** What every command works with. */
export interface Context {
  readonly env: Env;
  /** The folder the user stands in: relative paths start there. */
  readonly folder: string;
  readonly places: Places;
  readonly installation: Installation;
  readonly log: Logger;
  readonly crypto: Crypto;
  /** The words after `--`, undefined when there is no `--`. */
  readonly command: readonly string[] | undefined;
  /** A path as the user wrote it, made absolute. */
  path(text: string): string;
}

export function createContext(given: Env, command: readonly string[] | undefined, installation: Installation): Context {
  const folder = userFolder(given, process.cwd());
  const passphraseFile = given.HELIOGRAPH_PASSPHRASE_FILE;
  const env = passphraseFile ? { ...given, HELIOGRAPH_PASSPHRASE_FILE: resolve(folder, passphraseFile) } : given;
  const log = createLog(env);
  const { crypto, report } = selectNodeCrypto();
  log.debug(report);
  return {
    env,
    folder,
    places: findPlaces(env, homedir(), folder),
    installation,
    log,
    crypto,
    command,
    path: (text) => resolve(folder, text),
  };
}

/** The owner's key: the file named, else the default one, made on first use. */
export async function openOwnerKey(ownerKey: string | undefined, context: Context): Promise<KeyPair> {
  const { places, env, crypto, log } = context;
  if (ownerKey !== undefined) return readKeyFile(context.path(ownerKey), '--owner-key', env, crypto);
  const file = places.ownerKey;
  return readOrMakeKey(file, '--owner-key', env, crypto, ({ publicKey }) =>
    log.info({ file }, `made the owner's key ${encodeNpub(publicKey)} in ${file}: keep a copy, nobody can restore it`),
  );
}
