import { exitText, placeExit, reduceParseError, reduceTurnError, reduceWriteFailure } from './failure.ts';
import { reduceTelemetryGap } from './gap.ts';
import { type JsonObject, parseObject, text } from './json.ts';
import { placeNotice, reduceClockStep, reduceControlResult, reduceHarnessNote, reduceStderr } from './notice.ts';
import { abortQuestions, reduceQuestionPending, reduceQuestionTerminal } from './question.ts';
import { noteInitialized, reduceQueue, reduceSessionNote } from './session.ts';
import type { Step } from './step.ts';
import { completeTurn, endOpenTurns, noteLiveness, noteTurn, startTurn } from './turn.ts';
import { placeRaw } from './update.ts';

/** Kinds that say nothing a reader of the conversation should see (SPEC 1.2, and Buzz's own). */
const QUIET: readonly string[] = [
  'stream_opened',
  'heads',
  'snapshot',
  'harness_started',
  'acp_part',
  'managed_agent_runtime_lifecycle',
  'prompt_context_delivery',
];

/** An event the harness made, rather than a line it saw. */
export function reduceNote(step: Step): void {
  const payload = parseObject(step.event.payload);
  if (!reduceKnown(step, payload)) placeRaw(step, noteTurn(step), step.event.kind, step.event.payload);
}

function reduceKnown(step: Step, payload: JsonObject | undefined): boolean {
  switch (step.event.kind) {
    case 'turn_started':
      startTurn(step, payload);
      return true;
    case 'turn_completed':
      completeTurn(step, payload);
      return true;
    case 'turn_error':
    case 'agent_panic':
      reduceTurnError(step, payload);
      return true;
    case 'turn_liveness':
      noteLiveness(step, payload);
      return true;
    case 'permission_pending':
      reduceQuestionPending(step, 'permission', payload);
      return true;
    case 'elicitation_pending':
      reduceQuestionPending(step, 'elicitation', payload);
      return true;
    case 'permission_terminal':
    case 'elicitation_terminal':
      reduceQuestionTerminal(step, payload);
      return true;
    case 'session_resolved':
    case 'session_config_captured':
      reduceSessionNote(step, payload);
      return true;
    case 'agent_initialized':
      noteInitialized(step, payload?.initializeResult);
      return true;
    case 'prompt_queued':
    case 'prompt_dequeued':
      reduceQueue(step, payload);
      return true;
    default:
      return reduceTrouble(step, payload);
  }
}

function reduceTrouble(step: Step, payload: JsonObject | undefined): boolean {
  switch (step.event.kind) {
    case 'acp_parse_error':
      reduceParseError(step, payload);
      return true;
    case 'acp_write_failed':
      reduceWriteFailure(step, payload);
      return true;
    case 'agent_stderr':
      reduceStderr(step, payload);
      return true;
    case 'harness_note':
      reduceHarnessNote(step, payload);
      return true;
    case 'agent_exited':
      if (step.draft.carry.open.length === 0) placeExitNotice(step, payload);
      endAgent(step, payload);
      return true;
    case 'stream_closed':
      endOpenTurns(step, undefined);
      abortQuestions(step);
      return true;
    case 'observer_telemetry_gap':
      reduceTelemetryGap(step, payload);
      return true;
    case 'control_result':
      reduceControlResult(step, payload);
      return true;
    case 'clock_stepped':
      reduceClockStep(step, payload);
      return true;
    default:
      return QUIET.includes(step.event.kind) && step.event.unjoined !== true;
  }
}

/** `agent_exited`: open turns fail, open questions are void, nothing that was asked will be answered. */
export function endAgent(step: Step, payload: JsonObject | undefined): void {
  const { draft } = step;
  for (const { turnId } of draft.carry.open) {
    const turn = draft.turnAt(turnId);
    if (turn >= 0) placeExit(step, turn, payload);
  }
  endOpenTurns(step, 'failed');
  abortQuestions(step);
  draft.carry = { ...draft.carry, requests: [], asks: [] };
}

/** Outside turns an exit is no failure of anything that was asked. */
function placeExitNotice(step: Step, payload: JsonObject | undefined): void {
  const severity = payload?.expected === true ? 'info' : 'error';
  placeNotice(step, noteTurn(step), { topic: 'session', severity, text: exitText(payload) });
}

/** `harness_started`: its cwd is where sessions are until one says otherwise. */
export function noteHarness(step: Step): void {
  const cwd = text(parseObject(step.event.payload), 'cwd');
  const { session } = step.draft;
  if (cwd !== undefined && session.cwd === undefined) step.draft.session = { ...session, cwd };
}
