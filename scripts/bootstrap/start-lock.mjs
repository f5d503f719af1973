// One bootstrap at a time: a lock file that names its holder, touched while it works. A holder that died or stopped
// touching it is replaced.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const touchEveryMs = 5_000;
const staleAfterMs = 60_000;

/** Runs `work` while holding the lock file; waits for its turn, saying so once. */
export async function withStartLock(file, say, work) {
  mkdirSync(dirname(file), { recursive: true });
  let waiting = false;
  while (!take(file)) {
    if (isStale(file)) clearStale(file);
    else {
      if (!waiting)
        say(`heliograph: another start (process ${holder(file) ?? '?'}) is preparing this checkout; waiting for it`);
      waiting = true;
      await delay(200);
    }
  }
  const touch = setInterval(() => utimesSync(file, new Date(), new Date()), touchEveryMs);
  const release = () => rmSync(file, { force: true });
  process.on('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    process.off('exit', release);
    release();
  }
}

function take(file) {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether nobody alive holds the lock: its process is gone, or it was not touched for a minute. */
export function isStale(file, nowMs = Date.now()) {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return false;
  if (nowMs - stat.mtimeMs > staleAfterMs) return true;
  const pid = holder(file);
  return pid !== undefined && !isAlive(pid);
}

function holder(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes a stale lock; a second file keeps two waiters from removing each other's fresh one. */
function clearStale(file) {
  const guard = `${file}.clearing`;
  const old = statSync(guard, { throwIfNoEntry: false });
  if (old && Date.now() - old.mtimeMs > staleAfterMs) rmSync(guard, { force: true });
  if (!take(guard)) return;
  try {
    if (isStale(file)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}
