import { lineSha256 } from '@heliograph/wire/observer';
import { carryChanged, carryMore, type QuestionSlot } from './carry.ts';
import { type JsonObject, member, object, text } from './json.ts';
import type { ElicitationItem, PermissionItem } from './model.ts';
import { decideItem, isQuestion, type QuestionEnding, type QuestionItem } from './question-item.ts';
import type { Step } from './step.ts';
import { noteTurn } from './turn.ts';

type Kind = QuestionItem['kind'];

/** What a question's answer is bound to: as told before, and the hash of the very line it shows. */
export function bindQuestion(step: Step, before: QuestionItem | undefined) {
  return {
    state: before?.state ?? ('asked' as const),
    nonce: before?.nonce,
    requestSha256: before?.requestSha256,
    lineSha256: lineSha256(step.event.payload),
    actionable: before?.actionable ?? false,
    expiresAt: before?.expiresAt,
  };
}

/** Keeps a question that may still change. */
export function openQuestion(step: Step, turn: number, itemId: string, rpcId: string): void {
  const { draft } = step;
  const slot: QuestionSlot = { rpcId, nonce: undefined, turnId: draft.head(turn).id, itemId, open: true };
  draft.carry = { ...draft.carry, questions: carryMore(draft.carry.questions, slot) };
}

/** `…_pending`: the nonce an answer needs. Bound to the request by its seq, nothing weaker. */
export function reduceQuestionPending(step: Step, kind: Kind, payload: JsonObject | undefined): void {
  const { draft } = step;
  const nonce = text(payload, 'requestNonce');
  const seq = member(payload, 'requestSeq');
  if (nonce === undefined || typeof seq !== 'number') return;
  const itemId = `${kind}:${step.stream}:${seq}`;
  const known = draft.carry.questions.findLast((slot) => slot.itemId === itemId);
  const found = draft.turnAt(known?.turnId);
  const turn = found >= 0 ? found : noteTurn(step);
  const told = {
    nonce,
    requestSha256: text(payload, 'requestSha256'),
    actionable: payload?.actionable === true,
    expiresAt: text(payload, 'expiresAt'),
  };
  step.place<QuestionItem>(turn, itemId, (before, stamp) => {
    if (before === undefined) return { ...unseenQuestion(step, kind, seq, payload), ...stamp, ...told } as QuestionItem;
    return { ...touchedBy(before, stamp), ...told, state: before.state === 'decided' ? 'decided' : 'pending' };
  });
  const slot: QuestionSlot = known ?? {
    rpcId: text(payload, 'rpcId') ?? '',
    nonce,
    turnId: draft.head(turn).id,
    itemId,
    open: true,
  };
  const others = draft.carry.questions.filter((other) => other !== known);
  draft.carry = { ...draft.carry, questions: carryMore(others, { ...slot, nonce }) };
}

type Unseen<T> = Omit<T, 'id' | 'refs' | 'at' | 'updatedAt'>;

/** The request's line is missing: the question is shown without what it asks. */
function unseenQuestion(
  step: Step,
  kind: Kind,
  seq: number,
  payload: JsonObject | undefined,
): Unseen<PermissionItem> | Unseen<ElicitationItem> {
  const bound = {
    rpcId: text(payload, 'rpcId') ?? '',
    request: { stream: step.stream, seq },
    toolCallId: text(payload, 'toolCallId'),
    state: 'pending',
    nonce: undefined,
    requestSha256: undefined,
    lineSha256: undefined,
    actionable: false,
    expiresAt: undefined,
    decision: undefined,
  } as const;
  if (kind === 'elicitation')
    return { ...bound, kind, message: '', mode: '', form: undefined, url: undefined, isVisited: false };
  return { ...bound, kind, title: '', toolKind: 'other', content: [], rawInput: undefined, locations: [], options: [] };
}

/** A question that is settled after its turn's end does not become late by that. */
function touchedBy<T extends QuestionItem>(
  item: T,
  stamp: { readonly refs: QuestionItem['refs']; readonly updatedAt: string },
): T {
  return { ...item, refs: stamp.refs, updatedAt: stamp.updatedAt };
}

/** Settles a question; a later word refines an earlier one. */
export function decideQuestion(step: Step, slot: QuestionSlot, ending: QuestionEnding): void {
  const { draft } = step;
  const turn = draft.turnAt(slot.turnId);
  const item = turn < 0 ? undefined : draft.item(turn, slot.itemId);
  if (item !== undefined && isQuestion(item)) {
    step.place<QuestionItem>(turn, slot.itemId, (before = item, stamp) =>
      decideItem({ ...before, refs: stamp.refs, updatedAt: stamp.updatedAt }, ending),
    );
  }
  const questions = carryChanged(
    draft.carry.questions,
    (known) => known.itemId === slot.itemId,
    (known) => ({ ...known, open: false }),
  );
  draft.carry = { ...draft.carry, questions };
}

/** The agent takes its question back (`$/cancel_request`). */
export function withdrawQuestion(step: Step, rpcId: string): void {
  for (const kind of ['permission', 'elicitation'] as const) {
    const slot = openSlot(step, kind, rpcId);
    if (slot !== undefined) decideQuestion(step, slot, { reason: 'withdrawn' });
  }
}

/** The open question of this id. Where agents use an id twice only `…_terminal`, by nonce, tells which it was. */
export function openSlot(step: Step, kind: Kind, rpcId: string): QuestionSlot | undefined {
  const open = step.draft.carry.questions.filter(
    (slot) => slot.open && slot.rpcId === rpcId && slot.itemId.startsWith(kind),
  );
  return open.length > 1 && open.every((slot) => slot.nonce !== undefined) ? undefined : open[0];
}

/** `…_terminal`: how it ended, and who or what decided. */
export function reduceQuestionTerminal(step: Step, payload: JsonObject | undefined): void {
  const nonce = text(payload, 'requestNonce');
  const slot = step.draft.carry.questions.find((known) => nonce !== undefined && known.nonce === nonce);
  if (slot === undefined) return;
  const by = object(payload, 'decidedBy');
  const [who, viewer, rule] = [text(by, 'who'), text(by, 'viewer'), text(by, 'rule')];
  decideQuestion(step, slot, {
    reason: text(payload, 'reason') ?? 'unknown',
    optionId: text(payload, 'optionId'),
    action: text(payload, 'action'),
    decidedBy:
      who === undefined
        ? undefined
        : { who, ...(viewer === undefined ? {} : { viewer }), ...(rule === undefined ? {} : { rule }) },
  });
}

/** The agent is gone: nobody waits for these answers any more. */
export function abortQuestions(step: Step): void {
  for (const slot of step.draft.carry.questions) if (slot.open) decideQuestion(step, slot, { reason: 'aborted' });
}
