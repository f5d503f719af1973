import { readdirSync, readFileSync } from 'node:fs';

/** The variable that marks everything an agent starts, as long as it hands its environment on. */
export const LIFE_VARIABLE = 'MIRRORED_AGENT_LIFE';

/**
 * Ends with SIGKILL whatever still runs of one agent's life and has left its process group: found by the mark in its
 * environment (Linux; elsewhere a group is all that can be told). Other users' processes can't be read and are none of ours.
 */
export function endStragglers(life: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const marks = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      if (marks.includes(`${LIFE_VARIABLE}=${life}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended meanwhile, or is another user's.
    }
  }
}
