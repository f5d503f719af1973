import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Held by one process at a time; `release` gives it back. */
export interface KeyLock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  /** Tells a process from a later one with the same pid; '' where the system doesn't say. */
  readonly started: string;
}

const ATTEMPTS = 3;

/**
 * Takes the lock of an agent key on this machine: two harnesses with one key would answer each other's controls. Rejects
 * with an Error of code `ELOCKED` that names the process that holds it. A holder that died is no holder.
 */
export async function lockKey(publicKey: string, folder = lockFolder()): Promise<KeyLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${publicKey}.lock`);
  const own = `${path}.${randomUUID()}`;
  const text = JSON.stringify({ pid: process.pid, started: await startedAt(process.pid) } satisfies Holder);
  await writeFile(own, text, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // A link appears whole or not at all, and never over another.
      if (await tryLink(own, path)) return { release: () => rm(path, { force: true }) };
      const holder = await readHolder(path);
      if (holder !== undefined && (await isAlive(holder))) throw locked(publicKey, path, holder);
      await rm(path, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
  throw locked(publicKey, path, undefined);
}

/** A folder of this user's on this machine, not of one state folder: the key is what must not run twice. */
function lockFolder(): string {
  return join(tmpdir(), `heliograph-${userInfo().uid}`);
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

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder> | null;
    return typeof value?.pid === 'number' ? { pid: value.pid, started: String(value.started ?? '') } : undefined;
  } catch {
    return undefined; // Gone meanwhile, or no lock of ours: either way nobody holds it.
  }
}

async function isAlive({ pid, started }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return started === '' || started === (await startedAt(pid));
}

/** When a process started, in words that only need to be compared; '' where the system doesn't say. */
async function startedAt(pid: number): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Fields after the name in parentheses, which may itself hold spaces: the 20th is the start in ticks since boot.
    const ticks = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return `${boot.trim()} ${ticks}`;
  } catch {
    return '';
  }
}

function locked(publicKey: string, path: string, holder: Holder | undefined): Error {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  const message = `the agent key ${publicKey.slice(0, 8)}… is in use by ${who} on this machine (${path}): stop that harness, or use a key of its own for this one`;
  return Object.assign(new Error(message), { code: 'ELOCKED' });
}
