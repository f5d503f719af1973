import { createHash, randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.ts';

/** Held by one process at a time; `release` gives it back. */
export interface KeyLock {
  release(): Promise<void>;
}

const ATTEMPTS = 3;

/** The file that stands for a key in use. */
export const lockPath = (publicKey: string, folder: string): string => join(folder, `${publicKey}.lock`);

/**
 * Takes the lock of an agent key on this machine: two harnesses with one key would answer each other's controls. Rejects
 * with an Error of code `ELOCKED` that names the process that holds it. A holder that died is no holder.
 */
export async function lockKey(publicKey: string, folder: string): Promise<KeyLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await checkFolder(folder);
  const path = lockPath(publicKey, folder);
  const own = `${path}.${randomUUID()}`;
  const text = JSON.stringify(identityOf(process.pid));
  await writeFile(own, text, { mode: 0o600 });
  try {
    // A link appears whole or not at all, and never over another.
    if (await take(path, own)) return { release: () => rm(path, { force: true }) };
  } finally {
    await rm(own, { force: true });
  }
  const holder = await readFile(path, 'utf8').then(parseHolder, () => undefined);
  throw lockedBy(publicKey, path, holder?.pid);
}

/** Where locks are when nothing else is said: a folder of this user's on this machine. */
export function defaultLockFolder(): string {
  return join(tmpdir(), `heliograph-${userInfo().uid}`);
}

/** In a folder that others can write to, a lock could be put in our way or taken away. */
async function checkFolder(folder: string): Promise<void> {
  const { mode, uid, isFolder } = await lstat(folder).then((stat) => ({ ...stat, isFolder: stat.isDirectory() }));
  if (isFolder && uid === userInfo().uid && (mode & 0o077) === 0) return;
  throw new Error(
    `${folder} must be a folder of yours that nobody else can use (chmod 700): the locks of keys are in it`,
  );
}

/**
 * Makes `path` a link to `own`, unless a living process has it. A dead one's is removed only by who holds the lock that is
 * named after what stands in it: so what is removed is what was read, whoever else is at it.
 */
async function take(path: string, own: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await tryLink(own, path)) return true;
    const text = await readText(path);
    if (text === undefined) continue;
    const holder = parseHolder(text);
    if (holder !== undefined && isAlive(holder)) return false;
    const removal = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    if (!(await take(removal, own))) return false;
    try {
      if ((await readText(path)) === text) await rm(path, { force: true });
    } finally {
      await rm(removal, { force: true });
    }
  }
  return false;
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

/** Undefined when it is gone. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}

function parseHolder(text: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(text) as Partial<ProcessIdentity> | null;
    return typeof value?.pid === 'number' ? { pid: value.pid, started: String(value.started ?? '') } : undefined;
  } catch {
    return undefined; // No lock of ours: nobody holds it.
  }
}

/** An Error of code `ELOCKED`: `pid` runs a harness with that key. */
export function lockedBy(publicKey: string, path: string, pid: number | undefined): Error {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  const message = `the agent key ${publicKey.slice(0, 8)}… is in use by ${who} on this machine (${path}): stop that harness, or use a key of its own for this one`;
  return Object.assign(new Error(message), { code: 'ELOCKED' });
}
