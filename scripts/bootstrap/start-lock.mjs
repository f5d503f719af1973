import { setTimeout as delay } from 'node:timers/promises';
import { takeProcessLock } from '../../apps/heliograph/src/process-lock.mjs';

/** Runs `work` while holding the lock file; waits for its turn, saying so once. */
export async function withStartLock(file, say, work) {
  let lock = takeProcessLock(file);
  if ('heldBy' in lock) {
    say(`heliograph: another start (process ${lock.heldBy}) is preparing this checkout; waiting for it`);
  }
  while ('heldBy' in lock) {
    await delay(200);
    lock = takeProcessLock(file);
  }
  const { release } = lock;
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}
