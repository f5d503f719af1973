import { isHex64 } from '../nostr/bytes.ts';

/** Data of one program, replaceable, told apart by its `d` tag (NIP-78). */
export const KIND_APP_DATA = 30_078;
/** The `d` tag of the event that holds what an owner calls their agents. */
export const AGENT_NAMES_TAG = 'heliograph-agents';
/** Names that are kept, those given last: as many as fit what NIP-44 encrypts at once. */
export const MAX_AGENT_NAMES = 128;
const MAX_NAME_CHARACTERS = 64;

/** What an owner calls an agent, and since when (seconds, the clock of the device it was given on). */
export interface AgentName {
  readonly name: string;
  readonly atSec: number;
}

/** By the agents' public keys. */
export type AgentNames = ReadonlyMap<string, AgentName>;

/** Whether an agent can be called so: 1 to 64 characters on one line. Pure. */
export function isAgentName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    [...value].length <= MAX_NAME_CHARACTERS &&
    !/[\p{Cc}\p{Surrogate}]/u.test(value)
  );
}

/** Names as the plaintext of their event; equal ones make equal text. Pure. */
export function encodeAgentNames(names: AgentNames): string {
  const agents = [...names]
    .map(([agent, { name, atSec }]) => ({ agent, name, at: atSec }))
    .sort((a, b) => (a.agent < b.agent ? -1 : 1));
  return JSON.stringify({ agents });
}

/** The names in a plaintext; what is none is left out. Pure. */
export function parseAgentNames(text: string): AgentNames {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new Map(); // What another program wrote there names no agent.
  }
  const { agents } = (value ?? {}) as { readonly agents?: unknown };
  const read = (Array.isArray(agents) ? agents : []).flatMap((entry): readonly [string, AgentName][] => {
    const { agent, name, at } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const isTime = Number.isSafeInteger(at) && (at as number) >= 0;
    return isHex64(agent) && isAgentName(name) && isTime ? [[agent, { name, atSec: at as number }]] : [];
  });
  return mergeAgentNames(new Map(), new Map(read));
}

/** Of both the name given last; at one time the one that sorts first, on every device. Pure. */
export function mergeAgentNames(a: AgentNames, b: AgentNames): AgentNames {
  const merged = new Map(a);
  for (const [agent, given] of b) {
    const known = merged.get(agent);
    const isNewer =
      known === undefined || given.atSec > known.atSec || (given.atSec === known.atSec && given.name < known.name);
    if (isNewer) merged.set(agent, given);
  }
  const newest = [...merged].sort((x, y) => y[1].atSec - x[1].atSec || (x[0] < y[0] ? -1 : 1));
  return new Map(newest.slice(0, MAX_AGENT_NAMES));
}
