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
  // An agent's shell, or a loop in it, may start the harness anew: who runs us goes on.
  const own = ancestors();
  const ownGroups = new Set([...own, process.pid].map((pid) => placeOf(pid)?.group));
  for (const pid of marked) {
    if (own.has(pid)) continue;
    // The rest of a group may have dropped the mark that its leader has.
    if (placeOf(pid)?.group === pid && !ownGroups.has(pid)) kill(-pid);
    kill(pid);
  }
}

/** Who started this process, and who started that, up to the first. */
function ancestors(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = placeOf(process.pid)?.parent ?? 0; pid > 1 && !found.has(pid); pid = placeOf(pid)?.parent ?? 0) {
    found.add(pid);
  }
  return found;
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

/** Whose child a process is, and of which group; undefined: it is gone. */
function placeOf(pid: number): { readonly parent: number; readonly group: number } | undefined {
  try {
    // "pid (name) state parent group …", where a name may hold anything.
    const [, parent, group] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return { parent: Number(parent), group: Number(group) };
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
