import { type JsonObject, object, text } from './json.ts';
import type { Step } from './step.ts';

/** Agents that tell their mode in the text of a message: the part of the name that tells them, and what that text is. */
const TELLERS: readonly (readonly [string, RegExp])[] = [['gemini', /^\[MODE_UPDATE\] (\S+)$/]];

/**
 * The mode that a message chunk tells instead of words, undefined for all others. A model may write such words, too: inside
 * a turn they count only while that very mode is asked for.
 */
export function readToldMode(step: Step, update: JsonObject): string | undefined {
  const { session, carry } = step.draft;
  const name = session.agentName?.toLowerCase() ?? '';
  const shape = TELLERS.find(([part]) => name.includes(part))?.[1];
  const mode = shape?.exec(text(object(update, 'content'), 'text') ?? '')?.[1];
  if (!session.modes.some(({ id }) => id === mode)) return undefined;
  const isAsked = carry.requests.some(({ method, value }) => method === 'session/set_mode' && value === mode);
  return isAsked || carry.open.length === 0 ? mode : undefined;
}
