import { readdirSync, readFileSync } from 'node:fs';
import { identityOf, isAlive, type ProcessIdentity, pidNamespace } from '../process-identity.ts';

/** The variable that marks everything an agent starts, as long as it hands its environment on. */
export const LIFE_VARIABLE = 'MIRRORED_AGENT_LIFE';

/** What a mark says: the lock of the harness that started the agent, that harness, and which of its agent's lives. */
interface Mark {
  readonly lock: string;
  readonly harness: ProcessIdentity;
  /** Where the pid of `harness` means it. */
  readonly pids: string;
  readonly life: string;
}

/** The mark of one life of an agent that this process starts, holding the lock with that path. */
export function markOf(lock: string, life: string): string {
  return JSON.stringify({ lock, harness: identityOf(process.pid), pids: pidNamespace(), life } satisfies Mark);
}

/**
 * Ends with SIGKILL whatever still runs of one agent's life and has left its process group: found by the mark in its
 * environment (Linux; elsewhere a group is all that can be told). Other users' processes can't be read and are none of ours.
 */
export function endStragglers(mark: string): void {
  for (const found of markedProcesses()) if (found.text === mark) kill(found.pid);
}

/**
 * Ends with SIGKILL what a harness that was killed left running of its agent, groups and stragglers (Linux). To be called by
 * who holds that lock now. Gives the pid of a harness that lives without its lock: then nothing is ended. What runs in
 * another PID namespace (a container) is left alone: nobody here can tell whether its harness lives.
 */
export function endLeftovers(lock: string): number | undefined {
  const pids = pidNamespace();
  const left = markedProcesses().flatMap(({ pid, text }) => {
    const mark = parseMark(text);
    return mark?.lock === lock && mark.pids === pids ? [{ pid, harness: mark.harness }] : [];
  });
  // This process holds the lock: what it started before is left over like any other's.
  const living = left.find(({ harness }) => harness.pid !== process.pid && harness.started !== '' && isAlive(harness));
  if (living !== undefined) return living.harness.pid;
  if (left.length === 0) return undefined;
  // An agent's shell, or a loop in it, may start the harness anew: who runs us goes on.
  const own = ancestors();
  const ownGroups = new Set([...own, process.pid].map((pid) => placeOf(pid)?.group));
  for (const { pid } of left) {
    if (own.has(pid)) continue;
    // The rest of a group may have dropped the mark that its leader has.
    if (placeOf(pid)?.group === pid && !ownGroups.has(pid)) kill(-pid);
    kill(pid);
  }
  return undefined;
}

/** Who started this process, and who started that, up to the first. */
function ancestors(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = placeOf(process.pid)?.parent ?? 0; pid > 1 && !found.has(pid); pid = placeOf(pid)?.parent ?? 0) {
    found.add(pid);
  }
  return found;
}

/** What bears a mark, and what it says. Not ourselves: an agent may start a harness anew, with its own mark. */
function markedProcesses(): readonly { readonly pid: number; readonly text: string }[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    try {
      const variables = readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0');
      const mark = variables.find((variable) => variable.startsWith(`${LIFE_VARIABLE}=`));
      return mark === undefined ? [] : [{ pid: Number(entry), text: mark.slice(LIFE_VARIABLE.length + 1) }];
    } catch {
      return []; // It ended meanwhile, or is another user's.
    }
  });
}

/** Undefined for what no harness wrote. */
function parseMark(text: string): Mark | undefined {
  try {
    const { lock, harness, pids, life } = JSON.parse(text) as Mark;
    const isWhole = [lock, harness.started, pids, life].every((part) => typeof part === 'string');
    return isWhole && Number.isSafeInteger(harness.pid) ? { lock, harness, pids, life } : undefined;
  } catch {
    return undefined;
  }
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
