import type { Carry } from './carry.ts';
import type { Draft } from './draft.ts';
import type { Cursor } from './merge.ts';
import type { MessageItem, SessionState, Turn } from './model.ts';

/**
 * What stands in a stream for the lines of a whole ended turn that were let go: the turn in short, and everything that was known
 * after it. A fold takes it like one event. It is as exact as what was folded then: what comes late before it shows in
 * it when its lines are here again.
 */
export interface LetGoTurn {
  readonly turn: Turn;
  readonly session: SessionState;
  readonly carry: Carry;
  /** The place after its last line, and the run whose harness stream that counts in. */
  readonly cursor: Cursor;
  readonly run: string | undefined;
}

/** Characters of a prompt that stay. */
const PROMPT_LENGTH = 200;

/** A turn in short: its prompt's first words, its time and outcome, how many items there were; undefined where nobody prompted. */
export function inShort(turn: Turn): Turn | undefined {
  const prompt = turn.items[0];
  if (prompt?.kind !== 'user' || turn.status !== 'ended' || turn.items.length < 2) return undefined;
  return { ...turn, items: [shortened(prompt)], away: [{ before: 1, items: turn.items.length - 1, letGo: 'kept' }] };
}

function shortened(prompt: MessageItem): MessageItem {
  const words = prompt.parts.find((part) => part.type === 'text')?.text ?? '';
  const isWhole = prompt.parts.length === 1 && words.length > 0 && words.length <= PROMPT_LENGTH;
  if (isWhole) return prompt;
  return { ...prompt, parts: [{ type: 'text', text: `${words.slice(0, PROMPT_LENGTH)}…` }] };
}

/** Puts a turn that was let go where its lines would have made it. */
export function reduceLetGo(draft: Draft, stream: string, { turn, session, carry }: LetGoTurn): void {
  if (!draft.streams.includes(stream)) draft.streams = [...draft.streams, stream];
  draft.addTurn(turn);
  draft.session = session;
  draft.carry = carry;
}
