import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { dirname } from 'node:path';
import { systemCode } from './failure.ts';

/** A lock that this process holds, or the process that holds it. */
export type HomeLock = { readonly release: () => void } | { readonly heldBy: number };

/** Takes a lock file that names this process, replacing one whose process is gone. */
export function takeHomeLock(file: string): HomeLock {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid), { mode: 0o600 });
  try {
    for (;;) {
      try {
        linkSync(own, file);
        return { release: () => rmSync(file, { force: true }) };
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
      }
      const holder = liveHolder(file);
      if (holder !== undefined) return { heldBy: holder };
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** The process a lock names, undefined when it is gone or its number is from before the machine was started. */
function liveHolder(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  const bootedMs = Date.now() - uptime() * 1000;
  return stat.mtimeMs > bootedMs && pid !== process.pid && isAlive(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
