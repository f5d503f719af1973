import { readFileSync, readlinkSync } from 'node:fs';

/** A process, told from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and tick of its start, to be compared as a whole; '' where the system doesn't say. */
  readonly started: string;
}

export const identityOf = (pid: number): ProcessIdentity => ({ pid, started: startedAt(pid) });

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return started === '' || started === startedAt(pid);
}

/** Within which a pid means this process; '' where the system doesn't say. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function startedAt(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Fields after the name in parentheses, which may itself hold spaces: first the state, as the 20th the start in ticks since boot.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    // It ended, and whoever started it has not collected it, or never will.
    if (fields[0] === 'Z') return '';
    return `${boot.trim()} ${fields[19] ?? ''}`;
  } catch {
    return '';
  }
}
