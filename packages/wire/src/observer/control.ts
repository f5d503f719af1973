import type { ContentBlock } from '../acp/acp.ts';
import { isHex64 } from '../nostr/bytes.ts';
import { err, ok, type Result } from '../result.ts';

/** Members of every control. `requestId`, `issuedAt` and `run` are absent in Buzz's three controls, `run` in `hello`. */
export interface ControlBase {
  readonly requestId?: string;
  /** RFC 3339, unchanged in repeats. */
  readonly issuedAt?: string;
  /** The harness run it is meant for. */
  readonly run?: string;
}

export interface CancelTurn extends ControlBase {
  readonly type: 'cancel_turn';
  readonly channelId: string;
  readonly turnId?: string;
  readonly force?: boolean;
}

export interface Prompt extends ControlBase {
  readonly type: 'prompt';
  readonly channelId: string;
  readonly content: readonly ContentBlock[];
  readonly mode?: 'queue' | 'steer' | 'interrupt';
}

/** Takes back a prompt that waits. */
export interface Unqueue extends ControlBase {
  readonly type: 'unqueue';
  readonly channelId: string;
  /** The prompt's requestId. */
  readonly promptRequestId: string;
}

/** Gives a prompt that waits other content; it keeps its place. */
export interface ReplaceQueued extends ControlBase {
  readonly type: 'replace_queued';
  readonly channelId: string;
  readonly promptRequestId: string;
  readonly content: readonly ContentBlock[];
}

/** Sets the session's model; answered `switched` once the agent has confirmed it. */
export interface SwitchModel extends ControlBase {
  readonly type: 'switch_model';
  readonly channelId: string;
  readonly modelId: string;
}

/** Sets the session's mode. */
export interface SetMode extends ControlBase {
  readonly type: 'set_mode';
  readonly channelId: string;
  readonly modeId: string;
}

/** Sets one of the options the agent offers. */
export interface SetConfigOption extends ControlBase {
  readonly type: 'set_config_option';
  readonly channelId: string;
  readonly configId: string;
  readonly value: string | boolean;
}

/** Ends the agent, whatever it does, and starts it anew; also ends its rest after crashes. */
export interface RestartAgent extends ControlBase {
  readonly type: 'restart_agent';
}

/** What becomes of permission requests from now on, until the harness is restarted. */
export interface SetPolicy extends ControlBase {
  readonly type: 'set_policy';
  readonly policy: 'ask' | 'allow' | 'reject';
}

export interface PermissionDecisionControl extends ControlBase {
  readonly type: 'permission_decision';
  readonly channelId: string;
  readonly requestNonce: string;
  readonly requestSha256?: string;
  readonly optionId: string;
  /** Needed for an option of kind allow_always. */
  readonly confirm?: boolean;
}

export interface Hello extends ControlBase {
  readonly type: 'hello';
  readonly viewer: string;
  readonly features: readonly string[];
  readonly have?: readonly { readonly stream: string; readonly seq: number }[];
}

export interface Replay extends ControlBase {
  readonly type: 'replay';
  readonly stream: string;
  readonly fromSeq: number;
  readonly toSeq?: number;
}

/** An owner's order to a harness, discriminated by `type` (WIRE 4). */
export type Control =
  | CancelTurn
  | Prompt
  | Unqueue
  | ReplaceQueued
  | SwitchModel
  | SetMode
  | SetConfigOption
  | RestartAgent
  | SetPolicy
  | PermissionDecisionControl
  | Hello
  | Replay;

export type ControlType = Control['type'];

/** `not-json`, `malformed` (names the member), or `unknown-type` (a control of the future, or one this harness lacks). */
export interface ControlError {
  readonly code: 'not-json' | 'malformed' | 'unknown-type';
  readonly message: string;
  /** So that even a control that is not understood can be answered. */
  readonly type?: string;
  readonly requestId?: string;
}

/** What became of a control: payload of `control_result`. Members beyond these belong to the control's type. */
export interface ControlResult {
  readonly type: string;
  readonly requestId?: string;
  readonly status: string;
  readonly reason?: string;
  /** replay: inclusive ranges the harness no longer has. */
  readonly missing?: readonly (readonly [number, number])[];
  readonly turnId?: string;
  readonly requestNonce?: string;
  readonly optionId?: string;
  /** switch_model, set_mode, set_config_option: what the agent confirmed. */
  readonly value?: string | boolean;
}

const MAX_HAVE = 256;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The JSON text of a control. */
export function encodeControl(control: Control): string {
  return JSON.stringify(control);
}

/** Reads a decrypted control strictly: a member that is there must have the right shape. Unknown members are ignored. */
export function parseControl(text: string): Result<Control, ControlError> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return err({ code: 'not-json', message: 'a control is a JSON object' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return err({ code: 'malformed', message: 'a control is a JSON object' });
  }
  const c = value as Record<string, unknown>;
  const { type, requestId, issuedAt, run } = c;
  if (typeof type !== 'string') return err({ code: 'malformed', message: 'type: expected text' });
  const id = typeof requestId === 'string' && UUID.test(requestId) ? requestId : undefined;
  const bad = (member: string, expected: string): Result<never, ControlError> =>
    err({
      code: 'malformed',
      message: `${type}: ${member}: expected ${expected}`,
      type,
      ...(id ? { requestId: id } : {}),
    });
  if (requestId !== undefined && id === undefined) return bad('requestId', 'a UUID');
  if (issuedAt !== undefined && (typeof issuedAt !== 'string' || !RFC_3339.test(issuedAt))) {
    return bad('issuedAt', 'an RFC 3339 time');
  }
  if (run !== undefined && typeof run !== 'string') return bad('run', 'text');
  const base = {
    ...(id !== undefined ? { requestId: id } : {}),
    ...(issuedAt !== undefined ? { issuedAt } : {}),
    ...(run !== undefined ? { run } : {}),
  } as ControlBase;
  const isText = (member: string) => typeof c[member] === 'string' && c[member] !== '';

  switch (type) {
    case 'cancel_turn':
      if (!isText('channelId')) return bad('channelId', 'text');
      if (c.turnId !== undefined && !isText('turnId')) return bad('turnId', 'text');
      if (c.force !== undefined && typeof c.force !== 'boolean') return bad('force', 'true or false');
      return ok({
        ...base,
        type,
        channelId: c.channelId as string,
        ...(c.turnId !== undefined ? { turnId: c.turnId as string } : {}),
        ...(c.force !== undefined ? { force: c.force as boolean } : {}),
      });
    case 'prompt': {
      if (!isText('channelId')) return bad('channelId', 'text');
      const { content, mode } = c;
      if (!isPromptContent(content)) {
        return bad('content', 'a non-empty list of ACP content blocks');
      }
      if (mode !== undefined && mode !== 'queue' && mode !== 'steer' && mode !== 'interrupt') {
        return bad('mode', 'queue, steer or interrupt');
      }
      return ok({ ...base, type, channelId: c.channelId as string, content, ...(mode !== undefined ? { mode } : {}) });
    }
    case 'unqueue':
      if (!isText('channelId')) return bad('channelId', 'text');
      if (!isText('promptRequestId')) return bad('promptRequestId', 'text');
      return ok({ ...base, type, channelId: c.channelId as string, promptRequestId: c.promptRequestId as string });
    case 'replace_queued': {
      if (!isText('channelId')) return bad('channelId', 'text');
      if (!isText('promptRequestId')) return bad('promptRequestId', 'text');
      const { content } = c;
      if (!isPromptContent(content)) return bad('content', 'a non-empty list of ACP content blocks');
      const promptRequestId = c.promptRequestId as string;
      return ok({ ...base, type, channelId: c.channelId as string, promptRequestId, content });
    }
    case 'switch_model':
      if (!isText('channelId')) return bad('channelId', 'text');
      if (!isText('modelId')) return bad('modelId', 'text');
      return ok({ ...base, type, channelId: c.channelId as string, modelId: c.modelId as string });
    case 'set_mode':
      if (!isText('channelId')) return bad('channelId', 'text');
      if (!isText('modeId')) return bad('modeId', 'text');
      return ok({ ...base, type, channelId: c.channelId as string, modeId: c.modeId as string });
    case 'set_config_option': {
      if (!isText('channelId')) return bad('channelId', 'text');
      if (!isText('configId')) return bad('configId', 'text');
      const { value } = c;
      if (typeof value !== 'string' && typeof value !== 'boolean') return bad('value', 'text, or true or false');
      return ok({ ...base, type, channelId: c.channelId as string, configId: c.configId as string, value });
    }
    case 'restart_agent':
      return ok({ ...base, type });
    case 'set_policy': {
      const { policy } = c;
      if (policy !== 'ask' && policy !== 'allow' && policy !== 'reject') return bad('policy', 'ask, allow or reject');
      // Read as the whole agent's and for ever, it would do other than what was said.
      if (c.channelId !== undefined) return bad('channelId', 'nothing: the policy is that of the whole agent');
      if (c.persist === true) return bad('persist', 'nothing: the policy lasts until the harness is restarted');
      return ok({ ...base, type, policy });
    }
    case 'permission_decision':
      if (!isText('channelId')) return bad('channelId', 'text');
      if (!isText('requestNonce')) return bad('requestNonce', 'text');
      if (c.requestSha256 !== undefined && !isHex64(c.requestSha256)) return bad('requestSha256', '64 hex digits');
      if (typeof c.optionId !== 'string') return bad('optionId', 'text');
      if (c.confirm !== undefined && typeof c.confirm !== 'boolean') return bad('confirm', 'true or false');
      return ok({
        ...base,
        type,
        channelId: c.channelId as string,
        requestNonce: c.requestNonce as string,
        ...(c.requestSha256 !== undefined ? { requestSha256: c.requestSha256 as string } : {}),
        optionId: c.optionId,
        ...(c.confirm !== undefined ? { confirm: c.confirm as boolean } : {}),
      });
    case 'hello': {
      if (!isText('viewer')) return bad('viewer', 'text');
      const { features = [], have } = c;
      if (!Array.isArray(features) || !features.every((f) => typeof f === 'string'))
        return bad('features', 'a list of text');
      if (have !== undefined && (!Array.isArray(have) || have.length > MAX_HAVE || !have.every(isHave))) {
        return bad('have', `at most ${MAX_HAVE} of {stream, seq}`);
      }
      return ok({ ...base, type, viewer: c.viewer as string, features, ...(have !== undefined ? { have } : {}) });
    }
    case 'replay':
      if (!isText('stream')) return bad('stream', 'text');
      if (!isSeq(c.fromSeq)) return bad('fromSeq', 'a seq from 1 on');
      if (c.toSeq !== undefined && !isSeq(c.toSeq)) return bad('toSeq', 'a seq from 1 on');
      return ok({
        ...base,
        type,
        stream: c.stream as string,
        fromSeq: c.fromSeq,
        ...(c.toSeq !== undefined ? { toSeq: c.toSeq } : {}),
      });
    default:
      return err({
        code: 'unknown-type',
        message: `control "${type.slice(0, 64)}" is not known here`,
        type,
        ...(id !== undefined ? { requestId: id } : {}),
      });
  }
}

function isPromptContent(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContentBlock);
}

function isContentBlock(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && typeof (value as ContentBlock).type === 'string';
}

function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isHave(value: unknown): value is { stream: string; seq: number } {
  const have = value as { stream?: unknown; seq?: unknown } | null;
  return (
    typeof have === 'object' && have !== null && typeof have.stream === 'string' && (isSeq(have.seq) || have.seq === 0)
  );
}
