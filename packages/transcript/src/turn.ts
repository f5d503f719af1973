import { readPromptUsage } from '@heliograph/wire/acp';
import { type Carry, carryChanged, carryMore, type OpenTurn } from './carry.ts';
import { bounded, finite, type JsonObject, text } from './json.ts';
import type { Item, ToolItem, Turn, TurnOutcome, TurnUsage } from './model.ts';
import { decideItem, isQuestion } from './question-item.ts';
import type { Step } from './step.ts';

const SOURCES: readonly Turn['source'][] = ['owner', 'client', 'channel', 'heartbeat'];
const OUTCOMES: readonly TurnOutcome[] = ['completed', 'cancelled', 'killed', 'failed', 'refused'];

/** How a turn ends; members that are `undefined` leave what an earlier word said. */
export interface Ending {
  readonly outcome: TurnOutcome | undefined;
  readonly stopReason: string | undefined;
  readonly usage: TurnUsage | undefined;
  /** What becomes of questions nobody answered. */
  readonly undecided: 'expired' | 'aborted';
}

/** Lines are missing, and another turn has begun since: the end is among them. */
const UNSEEN_END: Ending = { outcome: undefined, stopReason: undefined, usage: undefined, undecided: 'expired' };

/** Opens the turn with this id; one that is there already stays as it is. */
export function openTurn(step: Step, id: string, source: Turn['source'], startedAt = step.at): number {
  const { draft } = step;
  const known = draft.turnAt(id);
  if (known >= 0) return known;
  for (const open of draft.carry.open) if (open.holed) endTurn(step, draft.turnAt(open.turnId), UNSEEN_END);
  const at = draft.addTurn(freshTurn(id, source, 'open', startedAt));
  draft.carry = { ...draft.carry, open: carryMore(draft.carry.open, freshOpenTurn(id)) };
  step.touched.add(at);
  return at;
}

function freshTurn(id: string, source: Turn['source'], status: Turn['status'], startedAt: string): Turn {
  return {
    id,
    source,
    status,
    outcome: undefined,
    stopReason: undefined,
    startedAt,
    endedAt: undefined,
    liveness: undefined,
    cancelling: false,
    usage: undefined,
    items: [],
    refs: [],
  };
}

function freshOpenTurn(turnId: string): OpenTurn {
  return { turnId, promptItemId: undefined, echoed: 0, announced: false, running: false, failed: false, holed: false };
}

/** The turn a line of the agent belongs to: the one it names, the oldest open one, the one that ended last (then it is late), or one outside prompts. */
export function speechTurn(step: Step): number {
  const { draft } = step;
  const named = namedTurn(step);
  if (named !== undefined) return named;
  const open = draft.turnAt(draft.carry.open[0]?.turnId);
  if (open >= 0) return open;
  const last = draft.turnAt(draft.carry.last?.turnId);
  return last >= 0 ? last : idleTurn(step);
}

/** The turn that what the harness says belongs to: the one it names, the oldest open one, or one outside prompts. */
export function noteTurn(step: Step): number {
  const { draft } = step;
  const named = draft.turnAt(step.event.turnId ?? undefined);
  if (named >= 0) return named;
  const open = draft.turnAt(draft.carry.open[0]?.turnId);
  return open >= 0 ? open : idleTurn(step);
}

/** The turn a line names; one not seen before is under way (its start is missing here). */
function namedTurn(step: Step): number | undefined {
  const { turnId } = step.event;
  return turnId === null ? undefined : openTurn(step, turnId, 'unknown', step.event.startedAt);
}

function idleTurn(step: Step): number {
  const { draft } = step;
  const newest = draft.turnCount - 1;
  if (newest >= 0 && draft.head(newest).source === 'none') return newest;
  return draft.addTurn(freshTurn(`idle:${step.origin}`, 'none', 'ended', step.at));
}

/** `turn_started`: opens a turn, or names the one its prompt opened before. */
export function startTurn(step: Step, payload: JsonObject | undefined): void {
  const { draft } = step;
  const named = SOURCES.find((known) => known === text(payload, 'source'));
  const startedAt = step.event.startedAt ?? step.at;
  const turnId = step.event.turnId ?? `turn:${step.origin}`;
  const unannounced = draft.carry.open.find((turn) => !turn.announced && turn.turnId.startsWith('turn:'));
  let at = draft.turnAt(step.event.turnId ?? undefined);
  if (at < 0 && unannounced !== undefined) {
    at = draft.turnAt(unannounced.turnId);
    if (step.event.turnId !== null) renameTurn(step, at, turnId);
  }
  if (at < 0) at = openTurn(step, turnId, named ?? 'unknown', startedAt);
  else if (named !== undefined) draft.patchTurn(at, { source: named, startedAt });
  changeOpen(step, draft.head(at).id, { announced: true });
  step.touched.add(at);
}

function renameTurn(step: Step, at: number, to: string): void {
  const { draft } = step;
  const from = draft.head(at).id;
  const renamed = <T extends { readonly turnId: string | undefined }>(entry: T): T => ({ ...entry, turnId: to });
  const isOld = (entry: { readonly turnId: string | undefined }) => entry.turnId === from;
  const { carry } = draft;
  draft.patchTurn(at, { id: to });
  draft.carry = {
    ...carry,
    open: carryChanged(carry.open, isOld, renamed),
    requests: carryChanged(carry.requests, isOld, renamed),
    questions: carryChanged(carry.questions, isOld, renamed),
    terminals: carryChanged(carry.terminals, isOld, renamed),
    streaming: carry.streaming !== undefined && isOld(carry.streaming) ? renamed(carry.streaming) : carry.streaming,
  };
}

/** What is known of a turn that is open, or that ended last. */
export function openTurnOf(carry: Carry, turnId: string): OpenTurn | undefined {
  return carry.open.find((turn) => turn.turnId === turnId) ?? (carry.last?.turnId === turnId ? carry.last : undefined);
}

/** Changes what is known of a turn that is open, or that ended last. */
export function changeOpen(step: Step, turnId: string, change: Partial<OpenTurn>): void {
  const { draft } = step;
  const { carry } = draft;
  const open = carryChanged(
    carry.open,
    (turn) => turn.turnId === turnId,
    (turn) => ({ ...turn, ...change }),
  );
  const last = carry.last?.turnId === turnId ? { ...carry.last, ...change } : carry.last;
  if (open !== carry.open || last !== carry.last) draft.carry = { ...carry, open, last };
}

/** The agent has begun with this turn. */
export function markRunning(step: Step, at: number): void {
  const { id, status } = step.draft.head(at);
  if (status !== 'open') return;
  const turn = step.draft.carry.open.find((open) => open.turnId === id);
  if (turn !== undefined && !turn.running) changeOpen(step, id, { running: true });
}

/** Ends a turn once; a later word about its end refines it. Open tools and unanswered questions settle. */
export function endTurn(step: Step, at: number, ending: Ending): void {
  const { draft } = step;
  const head = draft.head(at);
  step.touched.add(at);
  const outcome = ending.outcome ?? head.outcome ?? (openTurnOf(draft.carry, head.id)?.failed ? 'failed' : 'unknown');
  const said = {
    outcome,
    stopReason: ending.stopReason ?? head.stopReason,
    usage: ending.usage ?? head.usage,
  };
  const stopped = head.cancelling || outcome === 'cancelled' || outcome === 'killed';
  settleItems(step, at, stopped, ending.undecided);
  const ended = head.status === 'ended';
  draft.patchTurn(at, ended ? said : { ...said, status: 'ended', endedAt: step.at, cancelling: false });
  if (ended) return;
  const { carry } = draft;
  draft.carry = {
    ...carry,
    open: carry.open.filter((turn) => turn.turnId !== head.id),
    last: carry.open.find((turn) => turn.turnId === head.id) ?? carry.last,
    streaming: carry.streaming?.turnId === head.id ? undefined : carry.streaming,
  };
}

function settleItems(step: Step, at: number, stopped: boolean, undecided: Ending['undecided']): void {
  const { draft } = step;
  const turnId = draft.head(at).id;
  for (const item of draft.items(at)) {
    const settled = settle(step, item, stopped, undecided);
    if (settled !== item) draft.put(at, settled);
    if (settled.kind === 'tool') rememberOpenTool(step, turnId, settled);
    if (settled !== item && isQuestion(settled)) {
      const questions = carryChanged(
        draft.carry.questions,
        (slot) => slot.itemId === item.id && slot.turnId === turnId,
        (slot) => ({ ...slot, open: false }),
      );
      draft.carry = { ...draft.carry, questions };
    }
  }
}

/** A tool call of an ended turn that has no final status: later updates must find it. */
export function rememberOpenTool(step: Step, turnId: string, { toolCallId, status }: ToolItem): void {
  if (status !== 'unfinished' && status !== 'cancelled') return;
  const { carry } = step.draft;
  if (carry.tools.some((tool) => tool.turnId === turnId && tool.toolCallId === toolCallId)) return;
  step.draft.carry = { ...carry, tools: carryMore(carry.tools, { toolCallId, turnId }) };
}

function settle(step: Step, item: Item, stopped: boolean, undecided: Ending['undecided']): Item {
  if ('streaming' in item && item.streaming) return { ...item, streaming: false };
  if (isQuestion(item) && item.state !== 'decided') return decideItem(item, { reason: undecided });
  if (item.kind !== 'tool') return item;
  if (item.status === 'pending' || item.status === 'in_progress') {
    return { ...item, status: stopped ? 'cancelled' : 'unfinished', endedAt: step.at };
  }
  return stopped && item.status === 'unfinished' ? { ...item, status: 'cancelled' } : item;
}

/** Ends every open turn: the agent or its run is gone. */
export function endOpenTurns(step: Step, outcome: TurnOutcome | undefined): void {
  for (const { turnId } of step.draft.carry.open) {
    const at = step.draft.turnAt(turnId);
    if (at >= 0) endTurn(step, at, { outcome, stopReason: undefined, usage: undefined, undecided: 'aborted' });
  }
}

/** `turn_completed`: the harness's word about the end, which stands above the agent's. */
export function completeTurn(step: Step, payload: JsonObject | undefined): void {
  const { draft } = step;
  const turnId = step.event.turnId ?? draft.carry.open[0]?.turnId ?? draft.carry.last?.turnId;
  if (turnId === undefined) return;
  const at = openTurn(step, turnId, 'unknown', step.event.startedAt);
  endTurn(step, at, {
    outcome: OUTCOMES.find((known) => known === text(payload, 'outcome')),
    stopReason: draft.head(at).stopReason ?? readStopReason(payload?.stopReason),
    usage: readTurnUsage(payload),
    undecided: 'expired',
  });
}

/** `turn_liveness`: how long the agent has been silent. Never a row. */
export function noteLiveness(step: Step, payload: JsonObject | undefined): void {
  const lastAgentByteAgeMs = finite(payload, 'lastAgentByteAgeMs');
  const at = namedTurn(step) ?? step.draft.turnAt(step.draft.carry.open[0]?.turnId);
  if (at < 0 || step.draft.head(at).status !== 'open') return;
  step.touched.add(at);
  if (lastAgentByteAgeMs !== undefined) step.draft.patchTurn(at, { liveness: { lastAgentByteAgeMs, at: step.at } });
}

/** `session/cancel` was written: turns that are open are being cancelled, until the agent says they ended. */
export function noteCancel(step: Step): void {
  const { draft } = step;
  for (const { turnId } of draft.carry.open) {
    const at = draft.turnAt(turnId);
    if (at < 0) continue;
    draft.patchTurn(at, { cancelling: true });
    step.touched.add(at);
  }
}

/** Token counts of a prompt's answer, or of what has its `usage`; `undefined` when there are none. */
export function readTurnUsage(answer: unknown): TurnUsage | undefined {
  const { inputTokens, outputTokens, totalTokens } = readPromptUsage(answer).figures;
  const sum = inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
  const counts = {
    inputTokens: inputTokens ?? undefined,
    outputTokens: outputTokens ?? undefined,
    totalTokens: totalTokens ?? sum ?? undefined,
  };
  return Object.values(counts).some((count) => count !== undefined) ? counts : undefined;
}

/** What a stop reason says of the turn's outcome (ACP v1 prompt-turn; `error` is seen in the wild). */
export function outcomeOf(stopReason: string | undefined): TurnOutcome {
  switch (stopReason) {
    case undefined:
      return 'unknown';
    case 'cancelled':
      return 'cancelled';
    case 'refusal':
      return 'refused';
    case 'error':
      return 'failed';
    default:
      return 'completed';
  }
}

/** A stop reason as it may be shown: agents send text of any length. */
export function readStopReason(value: unknown): string | undefined {
  return typeof value === 'string' ? bounded(value, 200) : undefined;
}
