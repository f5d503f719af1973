import type { TurnCompleted, TurnError } from '@heliograph/wire';
import type { RpcAnswer } from './acp-client.ts';
import type { ProcessExit } from './agent-process.ts';
import { type AgentName, authHint, describeExit, isAuthError, type StartFailure } from './failure.ts';
import type { TurnLimitsMs } from './turn-limits.ts';

/** How a turn ended, and what went wrong where something did. */
export interface TurnOutcome {
  readonly completed: TurnCompleted;
  readonly error?: TurnError;
}

const NOT_DONE: TurnCompleted = { outcome: 'failed', stopReason: null };
const GAVE_UP: TurnError = { outcome: 'error', error: 'the agent gave the turn up: what it said last may tell why' };

/** What a prompt's answer says of its turn. Pure. */
export function outcomeOfAnswer(
  answer: RpcAnswer,
  agent: { readonly name: AgentName; readonly initializeResult: unknown },
  { wasCancelled, gaveUp }: { readonly wasCancelled: boolean; readonly gaveUp: boolean },
): TurnOutcome {
  if (answer.type === 'result') {
    const { stopReason, usage } = (answer.result ?? {}) as { stopReason?: unknown; usage?: unknown };
    const reason = typeof stopReason === 'string' ? stopReason : null;
    const isCancelled = reason === 'cancelled' || (reason === null && wasCancelled);
    const isLost = !isCancelled && (gaveUp || reason === 'error');
    const outcome = isCancelled ? 'cancelled' : isLost ? 'failed' : reason === 'refusal' ? 'refused' : 'completed';
    const completed: TurnCompleted = { outcome, stopReason: reason, ...(usage !== undefined ? { usage } : {}) };
    return isLost ? { completed, error: GAVE_UP } : { completed };
  }
  // Many agents answer a cancelled prompt with an error.
  const completed: TurnCompleted = { outcome: wasCancelled ? 'cancelled' : 'failed', stopReason: null };
  if (answer.type === 'lost') {
    return { completed, error: { outcome: 'error', error: `the prompt did not reach the agent: ${answer.reason}` } };
  }
  const code = answer.code !== undefined ? { code: answer.code } : {};
  const isAuth = isAuthError(answer);
  const hint = isAuth ? { hint: authHint(agent.name, agent.initializeResult) } : {};
  return { completed, error: { outcome: isAuth ? 'auth' : 'error', error: answer.message, ...code, ...hint } };
}

/** Of the prompt that wanted an agent which could not be started. Pure. */
export function outcomeOfFailedStart({ code, message, rpcCode }: StartFailure): TurnOutcome {
  const outcome = code === 'auth' ? 'auth' : code === 'exited' ? 'exited' : 'error';
  return {
    completed: NOT_DONE,
    error: { outcome, error: message, ...(rpcCode !== undefined ? { code: rpcCode } : {}) },
  };
}

/** Of a prompt the agent can't take. Pure. */
export const outcomeOfRefusal = (reason: string): TurnOutcome => ({
  completed: NOT_DONE,
  error: { outcome: 'error', error: reason },
});

/** Of the turn that was open when the agent ended. `why`: its cancel ended in killing it, we ended it for another reason, or it went by itself. Pure. */
export function outcomeOfExit(exit: ProcessExit, stderrTail: string, why: 'cancel' | 'wanted' | 'itself'): TurnOutcome {
  const words = stderrTail === '' ? '' : ` Its last words on stderr: ${stderrTail}`;
  return {
    completed: { outcome: why === 'itself' ? 'failed' : 'killed', stopReason: null },
    error:
      why === 'cancel'
        ? { outcome: 'cancel_drain_timeout', error: `the agent did not stop and was killed (${describeExit(exit)})` }
        : { outcome: 'exited', error: `the agent ${describeExit(exit)}.${words}` },
  };
}

/** What is said of a turn that is over a limit, before it is cancelled. Pure. */
export function errorOfLimit(outcome: 'idle_timeout' | 'hard_timeout', { idleMs, turnMs }: TurnLimitsMs): TurnError {
  const error =
    outcome === 'idle_timeout'
      ? `the agent has written nothing for ${inWords(idleMs)}: the turn is cancelled`
      : `the turn took longer than ${inWords(turnMs)}: it is cancelled`;
  return { outcome, error };
}

function inWords(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}
