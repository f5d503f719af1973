import type { RpcMessage } from '@heliograph/wire/acp';
import { reduceAgentLine } from './agent-line.ts';
import { type CarriedTranscript, carryAt, EMPTY_CARRY } from './carry.ts';
import { reduceClientLine } from './client-line.ts';
import { blankTranscript, Draft } from './draft.ts';
import { reduceElicitationComplete } from './elicitation.ts';
import { placeConflict } from './failure.ts';
import { placeGap } from './gap.ts';
import { asObject, object, parseObject, text } from './json.ts';
import { reduceLetGo } from './let-go.ts';
import { readLine } from './lines.ts';
import { FOREIGN_STREAM, type LogEvent } from './log-event.ts';
import { endAgent, noteHarness, reduceNote } from './note.ts';
import { countReplayed, placeNotice } from './notice.ts';
import { abortQuestions } from './question.ts';
import { rememberRequest, takeRequest } from './request.ts';
import {
  enterSession,
  forgetSettings,
  isSessionUpdate,
  noteInitialized,
  reduceSessionAnswer,
  SESSION_REQUESTS,
} from './session.ts';
import { Step } from './step.ts';
import { endOpenTurns, noteTurn } from './turn.ts';
import { placeRaw, reduceUpdate, updateKind } from './update.ts';

/** The transcript of a channel before its first event. */
export function emptyTranscript(channelId: string | null): CarriedTranscript {
  return { ...blankTranscript(channelId), carry: EMPTY_CARRY };
}

/**
 * The transcript with one more event in it. Pure and total: no event and no order of events throws; nothing is changed in
 * place. Events come in log order (stream by stream, seq by seq); a jump in seq leaves a gap, and what stands at or before
 * the newest seq seen is passed over. Events of no channel (the harness stream's) tell a channel's transcript only of
 * session and agent.
 */
export function reduce(transcript: CarriedTranscript, event: LogEvent): CarriedTranscript {
  const draft = new Draft(transcript);
  reduceInto(draft, event);
  return draft.finish();
}

/** `reduce` into a draft: folding many events then costs each array one copy, not one per event. */
export function reduceInto(draft: Draft, event: LogEvent): void {
  const { channelId } = draft;
  if (event.letGo !== undefined) {
    reduceLetGo(draft, event.stream ?? FOREIGN_STREAM, event.letGo);
    return;
  }
  if (channelId !== null && event.channelId !== null && event.channelId !== channelId) return;
  const step = new Step(draft, event);
  if (channelId !== null && event.channelId === null) reduceShared(step);
  else if (enterStream(step)) reduceOwn(step);
  step.close();
}

/** Follows the streams and their seqs. False for an event that has been passed already. */
function enterStream(step: Step): boolean {
  const { draft, event, stream } = step;
  if (event.stream === undefined) {
    draft.carry = carryAt(draft.carry, draft.carry.stream, draft.carry.lastSeq, event.timestamp);
    return true;
  }
  const { carry } = draft;
  if (carry.stream !== stream) {
    if (draft.streams.includes(stream)) return false;
    if (carry.stream !== undefined) beginRun(step);
    if (draft.streams.length > 0)
      placeNotice(step, noteTurn(step), { topic: 'session', text: 'A new run of the agent begins' }, `run:${stream}`);
    draft.streams = [...draft.streams, stream];
  } else if (step.last <= carry.lastSeq) return false;
  const before = carry.stream === stream ? carry.lastSeq : 0;
  draft.carry = carryAt(draft.carry, stream, step.last, event.timestamp);
  if (step.first > before + 1) placeGap(step, before + 1, step.first - 1);
  return true;
}

/** Another run of the harness: what was open in the last one has no end that we know of, settings are not confirmed. */
function beginRun(step: Step): void {
  const { draft } = step;
  endOpenTurns(step, undefined);
  abortQuestions(step);
  draft.session = forgetSettings(draft.session);
  draft.carry = {
    ...EMPTY_CARRY,
    run: draft.carry.run,
    lastAt: draft.carry.lastAt,
    questions: draft.carry.questions,
  };
}

function reduceOwn(step: Step): void {
  const { draft, event } = step;
  if (event.sessionId !== null && draft.session.sessionId === undefined) enterSession(step, event.sessionId, false);
  if (event.conflict) placeConflict(step);
  if (event.kind === 'acp_read' || event.kind === 'acp_write') reduceLine(step);
  else reduceNote(step);
  const open = draft.turnAt(draft.carry.open[0]?.turnId);
  if (step.touched.size === 0 && open >= 0) step.touched.add(open);
}

function reduceLine(step: Step): void {
  const { event } = step;
  // Lines we made toward an editor are not the agent's words; lines that were held back reached nobody.
  if (event.kind === 'acp_read' ? event.via !== undefined : event.forwarded === false) return;
  for (const [n, { text, message }] of readLine(event.payload).entries()) {
    const at = n === 0 ? step : step.element(n);
    if (!message.ok) placeRaw(at, noteTurn(at), event.kind, text);
    else if (event.replayed) reduceReplayed(at, message.value, text);
    else if (event.kind === 'acp_read') reduceAgentLine(at, message.value, text);
    else reduceClientLine(at, message.value);
  }
}

/** History an agent repeats: only what it says of the session as it is now counts, and what it says for the first time. */
function reduceReplayed(step: Step, message: RpcMessage, line: string): void {
  const params = message.type === 'notification' && message.method === 'session/update' ? message.params : undefined;
  if (isSessionUpdate(updateKind(params)) || isSaidNow(step, params)) reduceUpdate(step, asObject(params), line);
  else countReplayed(step);
}

/** Where the messages of the history have ids, one without is none of them: codex's warnings about its settings. */
function isSaidNow({ draft }: Step, params: unknown): boolean {
  if (updateKind(params) !== 'agent_message_chunk') return false;
  const { carry } = draft;
  const isNamed = text(object(asObject(params), 'update'), 'messageId') !== undefined;
  if (isNamed && !carry.namesHistory) draft.carry = { ...carry, namesHistory: true };
  return !isNamed && carry.namesHistory;
}

/** What the harness stream tells every channel of its run. */
function reduceShared(step: Step): void {
  const { draft, event, stream } = step;
  const { run } = draft.carry;
  if (run !== stream) {
    // The first run heard of may well be the one that carries the stream already seen.
    if (run !== undefined && draft.carry.stream !== undefined) beginRun(step);
    draft.carry = { ...draft.carry, run: stream };
  }
  if (event.kind === 'agent_initialized') noteInitialized(step, parseObject(event.payload)?.initializeResult);
  else if (event.kind === 'harness_started') noteHarness(step);
  else if (event.kind === 'agent_exited') endAgent(step, parseObject(event.payload));
  else if (event.kind === 'acp_read' || event.kind === 'acp_write') {
    for (const { message } of readLine(event.payload)) if (message.ok) reduceSharedMessage(step, message.value);
  }
}

function reduceSharedMessage(step: Step, message: RpcMessage): void {
  const writes = step.event.kind === 'acp_write';
  const isShared = ({ method }: { readonly method: string }) =>
    method === 'initialize' || SESSION_REQUESTS.includes(method);
  if (message.type === 'request' && writes && isShared(message)) {
    rememberRequest(step, message.id, message.method, asObject(message.params), undefined);
  } else if (message.type === 'notification' && !writes && message.method === 'elicitation/complete') {
    // It names no session.
    reduceElicitationComplete(step, asObject(message.params));
  } else if (message.type === 'error' && !writes) {
    takeRequest(step, message.id, isShared);
  } else if (message.type === 'response' && !writes) {
    const request = takeRequest(step, message.id, isShared);
    if (request?.method === 'initialize') noteInitialized(step, message.result);
    else if (request !== undefined) reduceSessionAnswer(step, request, message.result, false);
  }
}
