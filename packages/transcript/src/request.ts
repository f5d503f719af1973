import { carryMore, type PendingRequest } from './carry.ts';
import { type JsonObject, member, text } from './json.ts';
import type { Step } from './step.ts';

/** Keeps a client's request until its answer. A new initialize is a new agent process: what was asked before stays unanswered. */
export function rememberRequest(
  step: Step,
  id: string,
  method: string,
  params: JsonObject | undefined,
  turnId: string | undefined,
): void {
  const { draft } = step;
  const value = member(params, 'value') ?? member(params, 'modeId') ?? member(params, 'modelId');
  const request: PendingRequest = {
    id,
    method,
    turnId,
    sessionId: text(params, 'sessionId'),
    cwd: text(params, 'cwd'),
    configId: text(params, 'configId'),
    value: typeof value === 'string' || typeof value === 'boolean' ? value : undefined,
  };
  const { requests, asks } = draft.carry;
  const anew = method === 'initialize';
  draft.carry = { ...draft.carry, requests: carryMore(anew ? [] : requests, request), asks: anew ? [] : asks };
}

/** Takes the oldest unanswered request with this id that `fits`: ids are compared as raw text, and may be used again. */
export function takeRequest(
  step: Step,
  id: string | undefined,
  fits: (request: PendingRequest) => boolean = () => true,
): PendingRequest | undefined {
  const { carry } = step.draft;
  const request = carry.requests.find((pending) => pending.id === id && fits(pending));
  if (request !== undefined) {
    step.draft.carry = { ...carry, requests: carry.requests.filter((other) => other !== request) };
  }
  return request;
}
