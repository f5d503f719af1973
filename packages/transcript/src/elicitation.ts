import { readForm } from '@heliograph/wire/acp';
import { asObject, bounded, type JsonObject, jsonText, member, object, text } from './json.ts';
import type { ElicitationItem } from './model.ts';
import { bindQuestion, decideQuestion, openQuestion, openSlot } from './question.ts';
import type { Step } from './step.ts';
import { markRunning, speechTurn } from './turn.ts';

/** What a message keeps; the raw line has all of it. */
const MAX_MESSAGE = 8_192;
/** What an item keeps of an answer's content. */
const MAX_CONTENT = 8_192;

/** `elicitation/create`: a form to fill in, or a page to visit. */
export function reduceElicitationRequest(step: Step, rpcId: string, params: JsonObject | undefined): void {
  const turn = speechTurn(step);
  markRunning(step, turn);
  const itemId = `elicitation:${step.origin}`;
  const mode = text(params, 'mode') ?? 'form';
  const schema = object(params, 'requestedSchema');
  step.place<ElicitationItem>(turn, itemId, (before, stamp) => ({
    ...stamp,
    kind: 'elicitation',
    rpcId,
    request: { stream: step.stream, seq: step.first },
    toolCallId: text(params, 'toolCallId'),
    message: bounded(text(params, 'message') ?? '', MAX_MESSAGE),
    mode,
    form: schema === undefined ? undefined : readForm(schema),
    url: text(params, 'url'),
    ...named(text(params, 'elicitationId')),
    isVisited: before?.isVisited ?? false,
    ...bindQuestion(step, before),
    decision: before?.decision,
  }));
  openQuestion(step, turn, itemId, rpcId);
}

function named(elicitationId: string | undefined) {
  return elicitationId === undefined ? {} : { elicitationId };
}

/** The answer that was written to the agent; `elicitation_terminal` tells more when it comes. */
export function reduceElicitationAnswer(step: Step, rpcId: string, result: unknown): void {
  const slot = openSlot(step, 'elicitation', rpcId);
  if (slot === undefined) return;
  const answer = asObject(result);
  const content = member(answer, 'content');
  decideQuestion(step, slot, {
    reason: answer === undefined ? 'rejected' : 'unknown',
    action: text(answer, 'action'),
    content: content === undefined ? undefined : bounded(jsonText(content), MAX_CONTENT),
    decidedBy: { who: step.event.via ?? 'client' },
  });
}

/** `elicitation/complete`: the page was visited; one that nobody asked for says nothing. */
export function reduceElicitationComplete(step: Step, params: JsonObject | undefined): void {
  const id = text(params, 'elicitationId');
  const { draft } = step;
  for (const { itemId, turnId } of draft.carry.questions) {
    const turn = draft.turnAt(turnId);
    const item = turn < 0 ? undefined : draft.item(turn, itemId);
    if (item?.kind !== 'elicitation' || id === undefined || item.elicitationId !== id) continue;
    step.place<ElicitationItem>(turn, itemId, (before = item, { refs, updatedAt }) => ({
      ...before,
      refs,
      updatedAt,
      isVisited: true,
    }));
  }
}
