// Plain JavaScript because the checkout's bootstrap, which runs before anything is installed or built, uses it too.
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Takes a lock file that names this process, replacing one whose process is gone: a lock that this process now holds, or
 * the process that holds it.
 * @param {string} file
 * @returns {{ readonly release: () => void } | { readonly heldBy: number }}
 */
export function takeProcessLock(file) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const own = JSON.stringify({ pid: process.pid, started: startOf(process.pid) });
  for (;;) {
    if (place(file, own)) return { release: () => removeIfStill(file, own) };
    const text = read(file);
    // Released meanwhile: try again.
    if (text === undefined) continue;
    const pid = livingHolder(text);
    if (pid !== undefined) return { heldBy: pid };
    clearDead(file, text, own);
  }
}

/**
 * Removes the lock of a dead process. Between finding it dead and removing it, its lock could become another's: a second
 * lock lets one process at a time do this, and only if the file still says what it said.
 * @param {string} file
 * @param {string} dead
 * @param {string} own
 */
function clearDead(file, dead, own) {
  const guard = `${file}.clearing`;
  if (!place(guard, own)) {
    const text = read(guard);
    if (text !== undefined && livingHolder(text) === undefined) removeIfStill(guard, text);
    return;
  }
  removeIfStill(file, dead);
  rmSync(guard, { force: true });
}

/**
 * Makes a file with this text; false when there is one. It appears whole or not at all.
 * @param {string} file
 * @param {string} text
 */
function place(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
function removeIfStill(file, text) {
  if (read(file) === text) rmSync(file, { force: true });
}

/**
 * @param {string} file
 * @returns {string | undefined}
 */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * The process a lock names, undefined when that process is gone.
 * @param {string} text
 * @returns {number | undefined}
 */
function livingHolder(text) {
  const [, pid = 0, started] = /^\{"pid":(\d+),"started":"(.*)"\}$/.exec(text) ?? [];
  return isAlive(Number(pid)) && startOf(Number(pid)) === started ? Number(pid) : undefined;
}

/** @param {number} pid */
function isAlive(pid) {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

/**
 * When a process started, to tell it from a later one with its number; empty where the system does not say.
 * @param {number} pid
 */
function startOf(pid) {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name in parentheses, which may hold spaces, the 20th field is the start in ticks since boot.
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
