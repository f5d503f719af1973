import type { AgentRecord } from './desktop-store.ts';
import { type FleetGroup, lineOf } from './fleet.ts';

/** A list of fewer rows is seen at a glance. */
export const MAX_UNFILTERED_ROWS = 8;

/** The groups with the sessions in whose title, agent, machine, folder, state or doing each word of `needle` stands. Pure. */
export function filterFleet(
  groups: readonly FleetGroup[],
  agents: readonly AgentRecord[],
  needle: string,
): readonly FleetGroup[] {
  const words = wordsOf(needle);
  if (words.length === 0) return groups;
  const byKey = new Map(agents.map((agent) => [agent.publicKey, agent]));
  return groups.flatMap((group) => {
    const entries = group.entries.filter((entry) => {
      const agent = byKey.get(entry.ref.agent);
      const cwd = agent?.told.transcript(entry.ref.channelId).session.cwd;
      return hasAll(words, [group.name, entry.title, lineOf(entry), agent?.presence?.host, cwd]);
    });
    return entries.length === 0 ? [] : [{ ...group, entries }];
  });
}

/** The agents in whose name, key, machine or state (`stateOf`, in words) each word of `needle` stands. Pure. */
export function filterAgents(
  agents: readonly AgentRecord[],
  needle: string,
  stateOf: (agent: AgentRecord) => string,
): readonly AgentRecord[] {
  const words = wordsOf(needle);
  if (words.length === 0) return agents;
  return agents.filter((agent) => hasAll(words, [agent.name, agent.publicKey, agent.presence?.host, stateOf(agent)]));
}

function wordsOf(needle: string): readonly string[] {
  return needle.toLowerCase().split(/\s+/).filter(Boolean);
}

function hasAll(words: readonly string[], texts: readonly (string | undefined)[]): boolean {
  const text = texts.join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}
