import { readdirSync, readFileSync } from 'node:fs';

/** The variable that marks everything an agent starts, as long as it hands its environment on: LOCK:LIFE. */
export const LIFE_VARIABLE = 'MIRRORED_AGENT_LIFE';

/** The mark of one life of an agent, which a harness started that held the lock with that path. */
export const markOf = (lock: string, life: string): string => `${lock}:${life}`;

/**
 * Ends with SIGKILL whatever still runs of one agent's life and has left its process group: found by the mark in its
 * environment (Linux; elsewhere a group is all that can be told). Other users' processes can't be read and are none of ours.
 */
export function endStragglers(mark: string): void {
  for (const pid of markedWith((found) => found === mark)) kill(pid);
}

/**
 * Ends with SIGKILL what a harness that was killed left running of its agent, groups and stragglers (Linux). To be called by
 * who holds that lock now: no living harness's agent is marked with it.
 */
export function endLeftovers(lock: string): void {
  const marked = markedWith((found) => found.startsWith(markOf(lock, '')));
  if (marked.length === 0) return;
  const ownGroup = groupOf('self');
  for (const pid of marked) {
    // The rest of a group may have dropped the mark that its leader has.
    if (groupOf(pid) === pid && pid !== ownGroup) kill(-pid);
    kill(pid);
  }
}

function markedWith(isMeant: (mark: string) => boolean): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((entry) => {
    // Not ourselves: an agent may start a harness anew, with its own mark.
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    try {
      const variables = readFileSync(`/proc/${entry}/environ`, 'latin1').split('\0');
      const mark = variables.find((variable) => variable.startsWith(`${LIFE_VARIABLE}=`));
      return mark !== undefined && isMeant(mark.slice(LIFE_VARIABLE.length + 1)) ? [Number(entry)] : [];
    } catch {
      return []; // It ended meanwhile, or is another user's.
    }
  });
}

/** The group that a process belongs to; undefined: it is gone. */
function groupOf(pid: number | 'self'): number | undefined {
  try {
    // "pid (name) state parent group …", where a name may hold anything.
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[2]);
  } catch {
    return undefined;
  }
}

/** Who is gone already needs no killing. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: it ended meanwhile.
  }
}
