import { readdirSync, readFileSync } from 'node:fs';

/** The parent of a process that runs; undefined for one that ended, collected or not (a zombie). */
export function parentOf(pid: number): number | undefined {
  try {
    // "pid (name) state parent …", where a name may hold anything.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

export const isRunning = (pid: number): boolean => parentOf(pid) !== undefined;

/** Everything a process started, and what that started, as it is now. */
export function descendants(pid: number): readonly number[] {
  const running = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const parents = new Map(running.map((entry) => [Number(entry), parentOf(Number(entry))]));
  const below = [pid];
  for (const at of below) for (const [child, parent] of parents) if (parent === at) below.push(child);
  return below.slice(1);
}
