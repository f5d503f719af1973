import type { TurnCompleted } from '@heliograph/wire';

/** A turn as cancelling sees it. */
export interface CancellableTurn {
  readonly turnId: string;
  readonly startedMs: number;
}

export type CancelInput =
  | {
      readonly type: 'cancel';
      /** Whom to tell. */
      readonly key: string;
      readonly turnId: string | undefined;
      /** When the owner said so; a turn that began later is not meant unless it is named. */
      readonly saidMs: number;
      readonly force: boolean;
      readonly turn: CancellableTurn | undefined;
      /** Whether a turn of this id ended before. */
      readonly hasEnded: boolean;
    }
  /** The grace is over. `others`: open turns of other channels that would die with the agent. */
  | { readonly type: 'grace_over'; readonly turnId: string; readonly others: number }
  | { readonly type: 'turn_ended'; readonly turnId: string; readonly outcome: TurnCompleted['outcome'] };

export type CancelEffect =
  | {
      readonly type: 'reply';
      readonly key: string;
      readonly status: CancelStatus;
      readonly turnId?: string;
      readonly reason?: string;
    }
  /** Answer open permissions `cancelled` and write session/cancel, as one piece; then let the grace run. */
  | { readonly type: 'ask_agent' }
  | { readonly type: 'kill_agent' };

export type CancelStatus = 'sent' | 'cancelled' | 'killed' | 'turn_ended' | 'no_active_turn';

/** `asked`: the agent was asked to stop. `killing`: it did not. `keys`: whom to tell how it ended. */
export type CancelState =
  | { readonly phase: 'none' }
  | {
      readonly phase: 'asked' | 'killing';
      readonly turnId: string;
      readonly keys: readonly string[];
      readonly force: boolean;
    };

export interface CancelStep {
  readonly state: CancelState;
  readonly effects: readonly CancelEffect[];
}

export const NO_CANCEL: CancelState = { phase: 'none' };

/** The cancel ladder of one channel: ask, wait, kill. A cancel means one turn and never the next one. Pure. */
export function stepCancel(state: CancelState, input: CancelInput): CancelStep {
  switch (input.type) {
    case 'cancel':
      return begin(state, input);
    case 'grace_over':
      return graceOver(state, input.turnId, input.others);
    case 'turn_ended':
      return ended(state, input.turnId, input.outcome);
    default:
      return input satisfies never;
  }
}

function begin(state: CancelState, input: Extract<CancelInput, { type: 'cancel' }>): CancelStep {
  const { key, turn } = input;
  const refuse = (status: CancelStatus, reason: string): CancelStep => ({
    state,
    effects: [{ type: 'reply', key, status, reason, ...(input.turnId !== undefined ? { turnId: input.turnId } : {}) }],
  });
  if (input.turnId !== undefined && input.hasEnded) return refuse('turn_ended', 'this turn had ended before');
  if (turn === undefined) return refuse('no_active_turn', 'no turn is open here');
  if (input.turnId !== undefined && input.turnId !== turn.turnId)
    return refuse('no_active_turn', 'no such turn is open here');
  // A time without a fraction, as events have it, means its whole second.
  const startedMs = input.saidMs % 1_000 === 0 ? Math.floor(turn.startedMs / 1_000) * 1_000 : turn.startedMs;
  if (input.turnId === undefined && startedMs > input.saidMs) {
    return refuse('no_active_turn', 'the open turn began after this was said');
  }
  const { turnId } = turn;
  const sent: CancelEffect = { type: 'reply', key, status: 'sent', turnId };
  if (state.phase === 'none') {
    return {
      state: { phase: 'asked', turnId, keys: [key], force: input.force },
      effects: [{ type: 'ask_agent' }, sent],
    };
  }
  const joined = { ...state, keys: [...state.keys, key], force: state.force || input.force };
  // Asked before and still not done: force does not wait for the grace.
  if (input.force && state.phase === 'asked') {
    return { state: { ...joined, phase: 'killing' }, effects: [sent, { type: 'kill_agent' }] };
  }
  return { state: joined, effects: [sent] };
}

function graceOver(state: CancelState, turnId: string, others: number): CancelStep {
  if (state.phase !== 'asked' || state.turnId !== turnId) return { state, effects: [] };
  if (others === 0 || state.force) return { state: { ...state, phase: 'killing' }, effects: [{ type: 'kill_agent' }] };
  const reason = `the agent did not stop; killing it ends ${others} other open turn${others === 1 ? '' : 's'}: cancel with force`;
  return { state, effects: state.keys.map((key) => ({ type: 'reply', key, status: 'sent', turnId, reason })) };
}

function ended(state: CancelState, turnId: string, outcome: TurnCompleted['outcome']): CancelStep {
  if (state.phase === 'none' || state.turnId !== turnId) return { state, effects: [] };
  const status: CancelStatus = outcome === 'cancelled' || outcome === 'killed' ? outcome : 'turn_ended';
  return { state: NO_CANCEL, effects: state.keys.map((key) => ({ type: 'reply', key, status, turnId })) };
}
