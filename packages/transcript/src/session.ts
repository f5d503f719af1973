import { carryMore, type PendingRequest } from './carry.ts';
import {
  optionOf,
  readCommands,
  readConfigOptions,
  readInitialize,
  readQueuedText,
  readSessionConfig,
  readUsage,
} from './config.ts';
import { asObject, finite, has, type JsonObject, text } from './json.ts';
import type { ConfigOption, SessionState } from './model.ts';
import { placeNotice } from './notice.ts';
import type { Step } from './step.ts';
import { noteTurn } from './turn.ts';

/** Requests whose answer tells of a session. */
export const SESSION_REQUESTS: readonly string[] = ['session/new', 'session/load', 'session/resume', 'session/fork'];

/** Session state that one update changes; `undefined` for kinds that are not about state. Never a row but for what changed. */
export function reduceSessionUpdate(step: Step, kind: string, update: JsonObject): boolean {
  switch (kind) {
    case 'available_commands_update':
      return change(step, readCommands(update));
    case 'config_option_update':
      return change(step, readConfigOptions(update));
    case 'current_mode_update': {
      const modeId = text(update, 'currentModeId') ?? text(update, 'modeId');
      return modeId === undefined ? false : change(step, { modeId });
    }
    case 'session_info_update':
      return changeTitle(step, update);
    case 'usage_update':
      step.draft.session = { ...step.draft.session, usage: readUsage(update, step.draft.session.usage) };
      return true;
    default:
      return false;
  }
}

/** Whether an update kind is about session state: such updates hold even when they are part of a replay. */
export function isSessionUpdate(kind: string): boolean {
  return [
    'available_commands_update',
    'config_option_update',
    'current_mode_update',
    'session_info_update',
    'usage_update',
  ].includes(kind);
}

function changeTitle(step: Step, update: JsonObject): boolean {
  const { session } = step.draft;
  if (!has(update, 'title')) return true;
  // The one member of v1 where null clears (session_info_update is a patch of its own kind).
  const title = update.title === null ? undefined : (text(update, 'title') ?? session.title);
  if (title !== session.title) step.draft.session = { ...session, title };
  return true;
}

/** Applies what the agent confirmed; a mode, model or option that had another value before is told in a notice. */
function change(step: Step, patch: Partial<SessionState>): boolean {
  if (Object.keys(patch).length === 0) return false;
  const before = step.draft.session;
  const after = { ...before, ...patch };
  step.draft.session = after;
  noteChoice(step, 'mode', before.modeId, after.modeId, after.modes);
  noteChoice(step, 'model', before.modelId, after.modelId, after.models);
  for (const option of after.configOptions) noteOption(step, before, option, after.configOptions);
  return true;
}

function noteChoice(
  step: Step,
  topic: 'mode' | 'model',
  before: string | undefined,
  after: string | undefined,
  choices: SessionState['modes'],
): void {
  if (before === undefined || after === undefined || before === after) return;
  const name = (id: string) => choices.find((choice) => choice.id === id)?.name ?? id;
  const subject = topic === 'mode' ? 'Mode' : 'Model';
  placeNotice(
    step,
    noteTurn(step),
    { topic, text: `${subject}: ${name(before)} → ${name(after)}` },
    `${topic}:${step.origin}`,
  );
}

function noteOption(step: Step, before: SessionState, option: ConfigOption, all: readonly ConfigOption[]): void {
  if (option === optionOf(all, 'mode') || option === optionOf(all, 'model')) return;
  const was = before.configOptions.find((known) => known.id === option.id);
  if (was === undefined || was.value === undefined || option.value === undefined || was.value === option.value) return;
  const name = (value: string | boolean) =>
    typeof value === 'boolean'
      ? value
        ? 'on'
        : 'off'
      : (option.options.find((choice) => choice.id === value)?.name ?? value);
  placeNotice(
    step,
    noteTurn(step),
    { topic: 'config', text: `${option.name}: ${name(was.value)} → ${name(option.value)}` },
    `config:${option.id}:${step.origin}`,
  );
}

/** An answer that makes or reopens a session. On the harness stream it is kept until this channel names that session. */
export function reduceSessionAnswer(step: Step, request: PendingRequest, result: unknown, own: boolean): void {
  const { draft } = step;
  const answer = asObject(result);
  // What was forked off is another conversation: this channel's session stays as it is.
  if (own && request.method === 'session/fork') return;
  const sessionId = text(answer, 'sessionId') ?? request.sessionId;
  const patch = { ...readSessionConfig(answer), ...(request.cwd === undefined ? {} : { cwd: request.cwd }) };
  if (own && sessionId !== undefined && sessionId !== draft.session.sessionId) enterSession(step, sessionId, true);
  if (own || sessionId === draft.session.sessionId) {
    draft.session = { ...draft.session, ...patch };
  } else if (sessionId !== undefined) {
    draft.carry = { ...draft.carry, known: carryMore(draft.carry.known, { sessionId, patch }) };
  }
}

/** This channel's session is the one with this id. A new one starts with nothing of the one before it. */
export function enterSession(step: Step, sessionId: string, isNew: boolean): void {
  const { draft } = step;
  const { session } = draft;
  if (session.sessionId === sessionId) return;
  const known = draft.carry.known.findLast((answer) => answer.sessionId === sessionId)?.patch;
  const follows = isNew && session.sessionId !== undefined;
  draft.session = { ...(follows ? forgetSession(session) : session), ...known, sessionId };
  if (follows)
    placeNotice(step, noteTurn(step), { topic: 'session', text: 'A new session begins' }, `session:${step.origin}`);
}

/** What a session's end takes along. */
function forgetSession(session: SessionState): SessionState {
  return { ...forgetSettings(session), title: undefined, usage: undefined };
}

/** Settings as no agent has confirmed them yet: a mode is shown only as the running agent told it. */
export function forgetSettings(session: SessionState): SessionState {
  return {
    ...session,
    modeId: undefined,
    modes: [],
    modelId: undefined,
    models: [],
    configOptions: [],
    commands: [],
    queue: [],
  };
}

/** `session_resolved`, `session_config_captured`: the harness's word on session and settings. */
export function reduceSessionNote(step: Step, payload: JsonObject | undefined): void {
  const sessionId = text(payload, 'sessionId');
  if (step.event.kind === 'session_resolved') {
    if (sessionId !== undefined) enterSession(step, sessionId, payload?.isNewSession === true);
  } else {
    change(step, readSessionConfig(payload));
  }
}

/** The answer to initialize, from the line or from `agent_initialized`. */
export function noteInitialized(step: Step, result: unknown): void {
  const { draft } = step;
  const { protocolVersion, agentName } = readInitialize(result);
  draft.session = {
    ...draft.session,
    protocolVersion: protocolVersion ?? draft.session.protocolVersion,
    agentName: agentName ?? draft.session.agentName,
  };
}

/** A set_mode, set_model or set_config_option that succeeded: only its asker is told, so the mirror takes it from here. */
export function noteSetting(step: Step, request: PendingRequest, result: unknown): void {
  const { session } = step.draft;
  const { value } = request;
  if (request.method === 'session/set_mode' && typeof value === 'string') {
    change(step, { modeId: value });
  } else if (request.method === 'session/set_model' && typeof value === 'string') {
    // Agents with a model option answer in that option's own values.
    if (optionOf(session.configOptions, 'model') === undefined) change(step, { modelId: value });
  } else if (request.method === 'session/set_config_option' && !change(step, readConfigOptions(asObject(result)))) {
    const configOptions = session.configOptions.map((option) =>
      option.id === request.configId && value !== undefined ? { ...option, value } : option,
    );
    change(step, { configOptions });
  }
}

/** `prompt_queued`, `prompt_dequeued`: what the harness holds back until the open turn ends. */
export function reduceQueue(step: Step, payload: JsonObject | undefined): void {
  const promptRequestId = text(payload, 'promptRequestId');
  if (promptRequestId === undefined) return;
  const { session } = step.draft;
  const queue = session.queue.filter((prompt) => prompt.promptRequestId !== promptRequestId);
  if (step.event.kind === 'prompt_queued') {
    const position = finite(payload, 'position') ?? queue.length;
    queue.push({ promptRequestId, position, text: readQueuedText(payload) });
    queue.sort((a, b) => a.position - b.position);
  }
  step.draft.session = { ...session, queue };
}
