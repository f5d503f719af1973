import {
  type ElicitationTerminal,
  encodeError,
  encodeResult,
  type PermissionPending,
  type PermissionPolicy,
  type PermissionTerminal,
  type Via,
} from '@heliograph/wire';
import { type ElicitationAsk, elicitationAnswers } from './elicitation.ts';
import { type PermissionAsk, permissionAnswers } from './permission.ts';

/** A request of the agent's that somebody must answer, and everything its one answer is bound to. */
export interface AgentRequest extends PermissionPending {
  readonly stream: string;
  readonly channelId: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly askedAt: string;
  readonly ask: PermissionAsk | ElicitationAsk;
}

/** What an owner says to it. */
export type RequestAnswer =
  | { readonly kind: 'permission'; readonly optionId: string; readonly confirmed: boolean }
  | {
      readonly kind: 'elicitation';
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly content: Readonly<Record<string, unknown>> | undefined;
    };

/** What can happen to an open request. */
export type RequestInput =
  /** `rule`: how whoever decided is named in the record. */
  | { readonly type: 'policy'; readonly policy: PermissionPolicy; readonly rule?: string }
  | {
      readonly type: 'decided';
      readonly channelId: string | null;
      readonly requestNonce: string;
      /** Undefined only from controls of other implementations, which have no such member. */
      readonly requestSha256: string | undefined;
      readonly answer: RequestAnswer;
      /** The device it was decided on, in the owner's words. */
      readonly viewer?: string;
    }
  /** Its turn is cancelled: by the owner, or because the harness ends. */
  | { readonly type: 'cancelled'; readonly who: 'owner' | 'harness' }
  /** The time that was set for it, and shown on it, is over. */
  | { readonly type: 'timed_out' }
  | { readonly type: 'withdrawn' }
  /** The answer got out, or could not. */
  | { readonly type: 'written' }
  | { readonly type: 'gone' };

export type RequestTerminal = PermissionTerminal | ElicitationTerminal;

/** What is to be done. `answer` comes at most once for a request, `terminal` exactly once and last. */
export type RequestEffect =
  | { readonly type: 'answer'; readonly text: string; readonly via: Via }
  | { readonly type: 'terminal'; readonly payload: RequestTerminal };

/** What to tell whoever decided, and the field of a form it is about; undefined while the answer is on its way. */
export interface Verdict {
  readonly status: 'already_decided' | 'unknown' | 'invalid_option';
  readonly reason: string;
  readonly field?: string;
}

export type RequestState =
  | { readonly phase: 'pending' }
  | { readonly phase: 'answering'; readonly terminal: RequestTerminal }
  | { readonly phase: 'closed' };

export interface RequestStep {
  readonly state: RequestState;
  readonly effects: readonly RequestEffect[];
  readonly verdict?: Verdict;
}

/** An answer as the agent gets it, and what the record says was chosen. */
export interface Choice {
  readonly result: object;
  readonly chosen: { readonly optionId?: string } | { readonly action?: 'accept' | 'decline' | 'cancel' };
}

const REQUEST_CANCELLED = -32800;
const PENDING: RequestState = { phase: 'pending' };

/** One request, one answer, whatever races (HA19). Pure. */
export function stepRequest(request: AgentRequest, state: RequestState, input: RequestInput): RequestStep {
  if (state.phase === 'closed') return decidedLate(state, input);
  if (state.phase === 'answering') {
    if (input.type === 'written' || input.type === 'gone') return close(state.terminal);
    return decidedLate(state, input);
  }
  switch (input.type) {
    case 'policy':
      return applyPolicy(request, input.policy, input.rule ?? `permissions=${input.policy}`);
    case 'decided':
      return decide(request, input);
    case 'cancelled':
      return answer(request, cancelled(request), 'cancelled', { who: input.who });
    case 'timed_out':
      return answer(request, cancelled(request), 'timed_out', { who: 'policy', rule: 'permission-timeout' });
    case 'withdrawn': {
      const text = encodeError(request.rpcId, REQUEST_CANCELLED, 'Request cancelled');
      const terminal = {
        requestNonce: request.requestNonce,
        reason: 'withdrawn',
        decidedBy: { who: 'client' },
      } as const;
      return { state: { phase: 'answering', terminal }, effects: [{ type: 'answer', text, via: 'harness' }] };
    }
    case 'gone':
      return close({ requestNonce: request.requestNonce, reason: 'expired', decidedBy: { who: 'harness' } });
    case 'written':
      return { state, effects: [] };
    default:
      return input satisfies never;
  }
}

const LATE: Verdict = { status: 'already_decided', reason: 'this request was answered already' };

function decidedLate(state: RequestState, input: RequestInput): RequestStep {
  return { state, effects: [], ...(input.type === 'decided' ? { verdict: LATE } : {}) };
}

function applyPolicy(request: AgentRequest, policy: PermissionPolicy, rule: string): RequestStep {
  if (policy === 'ask') return { state: PENDING, effects: [] };
  const { ask } = request;
  if (policy === 'reject') {
    const rejected = ask.kind === 'permission' ? permissionAnswers.rejected(ask) : elicitationAnswers.declined;
    return answer(request, rejected, 'rejected', { who: 'policy', rule });
  }
  // A form is filled in by nobody but the owner; a request without a way to allow it once waits for the owner, too.
  const allowed = ask.kind === 'permission' ? permissionAnswers.allowed(ask) : undefined;
  if (allowed === undefined) return { state: PENDING, effects: [] };
  return answer(request, allowed, 'allowed', { who: 'policy', rule });
}

function decide(request: AgentRequest, input: Extract<RequestInput, { type: 'decided' }>): RequestStep {
  const refuse = (verdict: Verdict): RequestStep => ({ state: PENDING, effects: [], verdict });
  const { ask, actionable } = request;
  const isBound =
    input.requestNonce === request.requestNonce &&
    input.channelId === request.channelId &&
    (input.requestSha256 === undefined || input.requestSha256 === request.requestSha256);
  const said = input.answer;
  const choice = !isBound
    ? undefined
    : ask.kind === 'permission' && said.kind === 'permission'
      ? permissionAnswers.choose(ask, said.optionId, said.confirmed, actionable)
      : ask.kind === 'elicitation' && said.kind === 'elicitation'
        ? elicitationAnswers.choose(ask, said.action, said.content, actionable)
        : undefined;
  if (choice === undefined)
    return refuse({ status: 'unknown', reason: 'the decision does not belong to this request as the agent made it' });
  if ('reason' in choice) return refuse({ status: 'invalid_option', ...choice });
  const { viewer } = input;
  return answer(request, choice, 'applied', { who: 'owner', ...(viewer !== undefined ? { viewer } : {}) });
}

function cancelled({ ask }: AgentRequest): Choice {
  return ask.kind === 'permission' ? permissionAnswers.cancelled : elicitationAnswers.cancelled;
}

function answer(
  request: AgentRequest,
  { result, chosen }: Choice,
  reason: RequestTerminal['reason'],
  decidedBy: { readonly who: 'owner' | 'policy' | 'harness'; readonly viewer?: string; readonly rule?: string },
): RequestStep {
  const terminal: RequestTerminal = { requestNonce: request.requestNonce, reason, ...chosen, decidedBy };
  const text = encodeResult(request.rpcId, result);
  return { state: { phase: 'answering', terminal }, effects: [{ type: 'answer', text, via: decidedBy.who }] };
}

function close(payload: RequestTerminal): RequestStep {
  return { state: { phase: 'closed' }, effects: [{ type: 'terminal', payload }] };
}
