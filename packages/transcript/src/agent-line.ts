import type { RpcMessage } from '@heliograph/wire/acp';
import { carryMore, type PendingRequest } from './carry.ts';
import { gooseUsage } from './config.ts';
import { reduceElicitationComplete, reduceElicitationRequest } from './elicitation.ts';
import { placeRpcError } from './failure.ts';
import { asObject, finite, has, type JsonObject, member, object, text } from './json.ts';
import { namePrompt } from './message.ts';
import { reducePermissionRequest } from './permission.ts';
import { withdrawQuestion } from './question.ts';
import { takeRequest } from './request.ts';
import { noteInitialized, noteSetting, reduceSessionAnswer, reduceSessionUpdate, SESSION_REQUESTS } from './session.ts';
import type { Step } from './step.ts';
import { memberText } from './tool-call.ts';
import { endTurn, markRunning, noteTurn, outcomeOf, readStopReason, readTurnUsage, speechTurn } from './turn.ts';
import { placeRaw, reduceUpdate, updateKind } from './update.ts';

/** Agent → client methods that are understood and have no row of their own; `_…` are vendors' own affairs, as are qwen's without it. */
const QUIET =
  /^(?:_.*|qwen\/.*|craft\/.*|terminal\/.*|fs\/read_text_file|fs\/write_text_file|auth\/status_update|mcp\/message)$/;

type Answer = { readonly result: unknown } | { readonly error: unknown };

/** A message the agent wrote. `line` is its text. */
export function reduceAgentLine(step: Step, message: RpcMessage, line: string): void {
  switch (message.type) {
    case 'notification':
      reduceNotification(step, message.method, asObject(message.params), line);
      break;
    case 'request':
      reduceRequest(step, message.id, message.method, asObject(message.params), line);
      break;
    case 'response':
      reduceAnswer(step, message.id, { result: message.result });
      break;
    case 'error':
      reduceAnswer(step, message.id, { error: message.error });
      break;
  }
}

function reduceNotification(step: Step, method: string, params: JsonObject | undefined, line: string): void {
  if (method === 'session/update') {
    reduceUpdate(step, params, line);
  } else if (method === '_goose/unstable/session/update' && updateKind(params) === 'usage_update') {
    reduceSessionUpdate(step, 'usage_update', gooseUsage(object(params, 'update')));
  } else if (method === '$/cancel_request') {
    const id = memberText(line, ['params', 'requestId']);
    if (id !== undefined) withdrawQuestion(step, id);
  } else if (method === 'elicitation/complete') {
    reduceElicitationComplete(step, params);
  } else if (!QUIET.test(method)) {
    placeRaw(step, speechTurn(step), method, line);
  }
}

function reduceRequest(step: Step, id: string, method: string, params: JsonObject | undefined, line: string): void {
  const { draft } = step;
  const ask = { id, method, terminalId: text(params, 'terminalId') };
  draft.carry = { ...draft.carry, asks: carryMore(draft.carry.asks, ask) };
  if (method === 'session/request_permission') {
    reducePermissionRequest(step, id, params, line);
  } else if (method === 'elicitation/create') {
    reduceElicitationRequest(step, id, params);
  } else if (!QUIET.test(method)) {
    placeRaw(step, speechTurn(step), method, line);
  }
}

/** An answer to a request of the client; an answer to nothing we know is only in the raw lines. */
function reduceAnswer(step: Step, id: string | undefined, answer: Answer): void {
  const request = takeRequest(step, id);
  if (request === undefined) {
    // An error about no request at all: the agent could not read what it was sent.
    if ('error' in answer && (id === undefined || id === 'null')) placeRpcError(step, noteTurn(step), answer.error);
  } else if (request.method === 'session/prompt') {
    answerPrompt(step, request, answer);
  } else if ('error' in answer) {
    const opens = SESSION_REQUESTS.includes(request.method) || request.method === 'initialize';
    if (opens) placeRpcError(step, noteTurn(step), answer.error);
  } else if (request.method === 'initialize') {
    noteInitialized(step, answer.result);
  } else if (SESSION_REQUESTS.includes(request.method)) {
    reduceSessionAnswer(step, request, answer.result, true);
  } else {
    noteSetting(step, request, answer.result);
  }
}

function answerPrompt(step: Step, request: PendingRequest, answer: Answer): void {
  const turn = step.draft.turnAt(request.turnId);
  if (turn < 0) return;
  step.touched.add(turn);
  if ('error' in answer) refusePrompt(step, turn, answer.error);
  else acceptPrompt(step, turn, asObject(answer.result));
}

function refusePrompt(step: Step, turn: number, error: unknown): void {
  const { cancelling } = step.draft.head(turn);
  // An agent may answer a cancelled prompt with "request cancelled": that is no failure.
  const cancelled = cancelling && finite(asObject(error), 'code') === -32800;
  if (!cancelled) placeRpcError(step, turn, error);
  endPrompt(step, turn, undefined, cancelling ? 'cancelled' : 'failed');
}

/** v1: the answer ends the turn. v2: it only says that the prompt was taken, and under which id. */
function acceptPrompt(step: Step, turn: number, result: JsonObject | undefined): void {
  const ends = (result !== undefined && has(result, 'stopReason')) || step.draft.session.protocolVersion === 1;
  if (ends) {
    endPrompt(step, turn, result, outcomeOf(readStopReason(member(result, 'stopReason'))));
  } else {
    namePrompt(step, step.draft.head(turn).id, text(result, 'messageId'));
    markRunning(step, turn);
  }
}

/** The harness's word on the outcome stands above the agent's, when it came before. */
function endPrompt(
  step: Step,
  turn: number,
  result: JsonObject | undefined,
  outcome: ReturnType<typeof outcomeOf>,
): void {
  const { status, outcome: told } = step.draft.head(turn);
  endTurn(step, turn, {
    outcome: status === 'ended' && told !== 'unknown' ? undefined : outcome,
    stopReason: readStopReason(member(result, 'stopReason')),
    usage: readTurnUsage(result),
    undecided: 'expired',
  });
}
