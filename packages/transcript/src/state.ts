import { placeError } from './failure.ts';
import { type JsonObject, jsonText, object, text } from './json.ts';
import type { Step } from './step.ts';
import { endTurn, markRunning, openTurn, outcomeOf, readStopReason, readTurnUsage } from './turn.ts';

/** v2 `state_update`: only `idle` ends turns, and only turns the agent has begun with; a state we do not know says nothing. */
export function reduceState(step: Step, update: JsonObject): boolean {
  switch (text(update, 'state')) {
    case undefined:
      return false;
    case 'running':
    case 'requires_action':
      beginTurn(step);
      return true;
    case 'idle':
      endRunning(step, update);
      return true;
    default:
      return true;
  }
}

function beginTurn(step: Step): void {
  const { draft } = step;
  const known = draft.turnAt(draft.carry.open[0]?.turnId);
  const turn =
    known >= 0 ? known : openTurn(step, step.event.turnId ?? `turn:${step.origin}`, 'unknown', step.event.startedAt);
  step.touched.add(turn);
  markRunning(step, turn);
}

function endRunning(step: Step, update: JsonObject): void {
  const { draft } = step;
  const stopReason = readStopReason(update.stopReason);
  for (const { turnId, running } of draft.carry.open) {
    const turn = draft.turnAt(turnId);
    if (!running || turn < 0) continue;
    const error = object(update, 'error');
    if (error !== undefined)
      placeError(step, turn, { outcome: 'error', message: text(error, 'message') ?? jsonText(error) });
    endTurn(step, turn, {
      outcome: stopReason === undefined && error !== undefined ? 'failed' : outcomeOf(stopReason),
      stopReason,
      usage: readTurnUsage(update),
      undecided: 'expired',
    });
  }
}
