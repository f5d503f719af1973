import type { RpcMessage } from '@heliograph/wire/acp';
import { reduceElicitationAnswer } from './elicitation.ts';
import { asObject, type JsonObject, member } from './json.ts';
import { placePrompt } from './message.ts';
import { reducePermissionAnswer } from './permission.ts';
import { rememberRequest } from './request.ts';
import type { Step } from './step.ts';
import { reduceTerminalAnswer } from './terminal.ts';
import { noteCancel, openTurn, speechTurn } from './turn.ts';

/** A message that was written to the agent. */
export function reduceClientLine(step: Step, message: RpcMessage): void {
  switch (message.type) {
    case 'notification':
      if (message.method === 'session/cancel') noteCancel(step);
      break;
    case 'request':
      reduceRequest(step, message.id, message.method, asObject(message.params));
      break;
    case 'response':
      reduceAnswer(step, message.id, message.result);
      break;
    case 'error':
      reduceAnswer(step, message.id, undefined);
      break;
  }
}

function reduceRequest(step: Step, id: string, method: string, params: JsonObject | undefined): void {
  if (method === 'session/prompt') {
    const turn = promptTurn(step);
    rememberRequest(step, id, method, params, step.draft.head(turn).id);
    placePrompt(step, turn, member(params, 'prompt') ?? []);
    return;
  }
  rememberRequest(step, id, method, params, undefined);
  const steered = method === '_session/steering' ? member(params, 'prompt') : undefined;
  if (Array.isArray(steered)) placePrompt(step, speechTurn(step), steered);
}

/** The turn a prompt belongs to: the one it names, the one the harness announced for it, or a new one. */
function promptTurn(step: Step): number {
  const { draft, event } = step;
  const source = event.via === 'owner' ? 'owner' : 'client';
  if (event.turnId !== null) return openTurn(step, event.turnId, source, event.startedAt);
  const announced = draft.carry.open.find((turn) => turn.announced && turn.promptItemId === undefined);
  const known = draft.turnAt(announced?.turnId);
  return known >= 0 ? known : openTurn(step, `turn:${step.origin}`, source);
}

/** An answer to a request of the agent; the oldest with this id is meant. */
function reduceAnswer(step: Step, id: string | undefined, result: unknown): void {
  const { carry } = step.draft;
  const ask = carry.asks.find((pending) => pending.id === id);
  if (ask === undefined) return;
  step.draft.carry = { ...carry, asks: carry.asks.filter((other) => other !== ask) };
  if (ask.method === 'session/request_permission') reducePermissionAnswer(step, ask.id, result);
  else if (ask.method === 'elicitation/create') reduceElicitationAnswer(step, ask.id, result);
  else if (ask.method.startsWith('terminal/')) reduceTerminalAnswer(step, ask.method, ask.terminalId, asObject(result));
}
