import {
  encodeError,
  encodeResult,
  type PermissionOutcome,
  type PermissionPending,
  type PermissionPolicy,
  type PermissionTerminal,
  type RequestedOption,
  type Via,
} from '@heliograph/wire';

/** A permission request and everything its one answer is bound to. */
export interface PermissionRequest extends PermissionPending {
  readonly stream: string;
  readonly channelId: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly options: readonly RequestedOption[];
  readonly askedAt: string;
}

/** What can happen to an open request. */
export type PermissionInput =
  /** `rule`: how whoever decided is named in the record. */
  | { readonly type: 'policy'; readonly policy: PermissionPolicy; readonly rule?: string }
  | {
      readonly type: 'decided';
      readonly channelId: string;
      readonly requestNonce: string;
      /** Undefined only from controls of other implementations, which have no such member. */
      readonly requestSha256: string | undefined;
      readonly optionId: string;
      readonly confirmed: boolean;
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

/** What is to be done. `answer` comes at most once for a request, `terminal` exactly once and last. */
export type PermissionEffect =
  | { readonly type: 'answer'; readonly text: string; readonly via: Via }
  | { readonly type: 'terminal'; readonly payload: PermissionTerminal };

/** What to tell whoever decided; undefined while the answer is on its way. */
export type DecisionVerdict = 'already_decided' | 'unknown' | 'invalid_option';

export type PermissionState =
  | { readonly phase: 'pending' }
  | { readonly phase: 'answering'; readonly terminal: PermissionTerminal }
  | { readonly phase: 'closed' };

export interface PermissionStep {
  readonly state: PermissionState;
  readonly effects: readonly PermissionEffect[];
  readonly verdict?: DecisionVerdict;
}

const REQUEST_CANCELLED = -32800;

/** The options of a request as far as they can be used: whatever has a textual optionId. */
export function readOptions(params: unknown): RequestedOption[] {
  const options = (params as { options?: unknown } | null | undefined)?.options;
  if (!Array.isArray(options)) return [];
  return options.filter(
    (option): option is RequestedOption => typeof (option as RequestedOption | null)?.optionId === 'string',
  );
}

/** One request, one answer, whatever races (WIRE 4, Permissions). Pure. */
export function stepPermission(
  request: PermissionRequest,
  state: PermissionState,
  input: PermissionInput,
): PermissionStep {
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
      return answer(request, { outcome: 'cancelled' }, input.who, terminal(request, 'cancelled', { who: input.who }));
    case 'timed_out': {
      const payload = terminal(request, 'timed_out', { who: 'policy', rule: 'permission-timeout' });
      return answer(request, { outcome: 'cancelled' }, 'policy', payload);
    }
    case 'withdrawn': {
      const text = encodeError(request.rpcId, REQUEST_CANCELLED, 'Request cancelled');
      const effect: PermissionEffect = { type: 'answer', text, via: 'harness' };
      const payload = terminal(request, 'withdrawn', { who: 'client' });
      return { state: { phase: 'answering', terminal: payload }, effects: [effect] };
    }
    case 'gone':
      return close(terminal(request, 'expired', { who: 'harness' }));
    case 'written':
      return { state, effects: [] };
    default:
      return input satisfies never;
  }
}

function decidedLate(state: PermissionState, input: PermissionInput): PermissionStep {
  return { state, effects: [], ...(input.type === 'decided' ? { verdict: 'already_decided' as const } : {}) };
}

function applyPolicy(request: PermissionRequest, policy: PermissionPolicy, rule: string): PermissionStep {
  const pending: PermissionStep = { state: { phase: 'pending' }, effects: [] };
  if (policy === 'ask') return pending;
  if (policy === 'allow') {
    // Only ever once, and only what says so itself; a request without it waits for the owner.
    const option = request.options.find(({ kind }) => kind === 'allow_once');
    if (option === undefined) return pending;
    const { optionId } = option;
    const payload = terminal(request, 'allowed', { who: 'policy', rule }, optionId);
    return answer(request, { outcome: 'selected', optionId }, 'policy', payload);
  }
  const optionId = request.options.find(({ kind }) => kind === 'reject_once')?.optionId;
  const outcome: PermissionOutcome =
    optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
  return answer(request, outcome, 'policy', terminal(request, 'rejected', { who: 'policy', rule }, optionId));
}

function decide(request: PermissionRequest, input: Extract<PermissionInput, { type: 'decided' }>): PermissionStep {
  const refuse = (verdict: DecisionVerdict): PermissionStep => ({ state: { phase: 'pending' }, effects: [], verdict });
  const bound =
    input.requestNonce === request.requestNonce &&
    input.channelId === request.channelId &&
    (input.requestSha256 === undefined || input.requestSha256 === request.requestSha256);
  if (!bound) return refuse('unknown');
  const option = request.options.find(({ optionId }) => optionId === input.optionId);
  if (option === undefined) return refuse('invalid_option');
  const isRejection = option.kind === 'reject_once' || option.kind === 'reject_always';
  // Who can't see what exactly is asked may say no, not yes.
  if (!request.actionable && !isRejection) return refuse('invalid_option');
  if (option.kind === 'allow_always' && !input.confirmed) return refuse('invalid_option');
  const { optionId } = option;
  const { viewer } = input;
  const decidedBy = { who: 'owner', ...(viewer !== undefined ? { viewer } : {}) } as const;
  const payload = terminal(request, 'applied', decidedBy, optionId);
  return answer(request, { outcome: 'selected', optionId }, 'owner', payload);
}

function answer(
  request: PermissionRequest,
  outcome: PermissionOutcome,
  via: Via,
  payload: PermissionTerminal,
): PermissionStep {
  const text = encodeResult(request.rpcId, { outcome });
  return { state: { phase: 'answering', terminal: payload }, effects: [{ type: 'answer', text, via }] };
}

function terminal(
  request: PermissionRequest,
  reason: PermissionTerminal['reason'],
  decidedBy: PermissionTerminal['decidedBy'],
  optionId?: string,
): PermissionTerminal {
  return { requestNonce: request.requestNonce, reason, ...(optionId !== undefined ? { optionId } : {}), decidedBy };
}

function close(payload: PermissionTerminal): PermissionStep {
  return { state: { phase: 'closed' }, effects: [{ type: 'terminal', payload }] };
}
