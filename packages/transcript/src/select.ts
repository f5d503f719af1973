import type { CarriedTranscript } from './carry.ts';
import type { Item, PermissionItem, ToolItem, Transcript, Turn } from './model.ts';
import { isQuestion, type QuestionItem } from './question-item.ts';

/** What a turn is doing, in one word. */
export type TurnState = 'working' | 'asking' | 'cancelling' | NonNullable<Turn['outcome']> | 'idle';

/** `asking` while a question waits, `cancelling` until the agent obeys, the outcome once it ended; `idle` outside prompts. */
export function selectTurnState(turn: Turn): TurnState {
  if (turn.source === 'none') return 'idle';
  if (turn.status === 'ended') return turn.outcome ?? 'unknown';
  if (turn.cancelling) return 'cancelling';
  return turn.items.some(isWaiting) ? 'asking' : 'working';
}

/** A question that waits, and the turn it stands in. */
export interface PendingQuestion {
  readonly turnId: string;
  readonly question: QuestionItem;
}

function isWaiting(item: Item): item is QuestionItem {
  return isQuestion(item) && item.state !== 'decided';
}

/** Every question nobody answered yet, oldest first. Cost: what the reducer carries, not the session's length. */
export function selectPendingQuestions(transcript: CarriedTranscript): readonly PendingQuestion[] {
  const turns = transcript.carry === undefined ? transcript.turns : openTurns(transcript, transcript.carry.questions);
  return turns.flatMap((turn) =>
    turn.items.flatMap((item) => (isWaiting(item) ? [{ turnId: turn.id, question: item }] : [])),
  );
}

function openTurns(
  transcript: Transcript,
  slots: readonly { readonly open: boolean; readonly turnId: string }[],
): readonly Turn[] {
  const ids = new Set(slots.filter(({ open }) => open).map(({ turnId }) => turnId));
  return ids.size === 0 ? [] : transcript.turns.filter(({ id }) => ids.has(id));
}

/** The tool row a permission is about, looked for from its own turn on backwards. */
export function selectToolOf(transcript: Transcript, permission: PermissionItem): ToolItem | undefined {
  const id = permission.toolCallId;
  if (id === undefined) return undefined;
  const from = transcript.turns.findLastIndex((turn) => turn.items.includes(permission));
  for (const turn of transcript.turns.slice(0, from + 1).reverse()) {
    const tool = turn.items.find((item): item is ToolItem => item.kind === 'tool' && item.toolCallId === id);
    if (tool !== undefined) return tool;
  }
  return undefined;
}

/** The turn under way, `undefined` when none is. */
export function selectOpenTurn(transcript: Transcript): Turn | undefined {
  return transcript.turns.findLast((turn) => turn.status === 'open');
}

/** How much there is of what a reader looks for. */
export interface Counts {
  readonly turns: number;
  readonly messages: number;
  readonly tools: number;
  readonly failedTools: number;
  readonly permissions: number;
  readonly errors: number;
  /** Missing events, in gaps. */
  readonly missing: number;
}

/** Counts over all turns. Cost: every item once; a caller that draws often keeps it by the transcript's identity. */
export function selectCounts(transcript: Transcript): Counts {
  const counts = { turns: 0, messages: 0, tools: 0, failedTools: 0, permissions: 0, errors: 0, missing: 0 };
  for (const turn of transcript.turns) {
    if (turn.source !== 'none') counts.turns++;
    for (const item of turn.items) {
      if (item.kind === 'agent' || item.kind === 'user') counts.messages++;
      else if (item.kind === 'tool') {
        counts.tools++;
        if (item.status === 'failed') counts.failedTools++;
      } else if (item.kind === 'permission') counts.permissions++;
      else if (item.kind === 'error') counts.errors++;
      else if (item.kind === 'gap') counts.missing += item.lastSeq - item.firstSeq + 1;
    }
  }
  return counts;
}

/** Timestamp of the newest event of the channel, `undefined` when there is none. */
export function selectLastActivity(transcript: CarriedTranscript): string | undefined {
  const turn = transcript.turns.at(-1);
  return transcript.carry?.lastAt ?? turn?.items.at(-1)?.updatedAt ?? turn?.endedAt ?? turn?.startedAt;
}
