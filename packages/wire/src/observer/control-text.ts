import type { ContentBlock } from '../acp/acp.ts';
import { isHex64 } from '../nostr/bytes.ts';
import { parseAuthTag } from '../nostr/nip-oa.ts';
import { err, ok, type Result } from '../result.ts';
import type { Control, ControlError, ControlType } from './control.ts';
import { isPermissionPolicy, readPermissionRule } from './permission-rule.ts';
import { isPushQuiet, isPushReasons, isPushSubscription, PUSH_REASONS } from './push.ts';

/** What a member must be: read as it is used, or undefined where it is something else. */
interface Member {
  readonly expected: string;
  readonly isOptional: boolean;
  /** What an absent one counts as. */
  readonly absent?: unknown;
  read(value: unknown): unknown;
}

const MAX_HAVE = 256;
const MAX_RULES = 256;
const MAX_VIEWER_LENGTH = 128;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const member = (expected: string, accepts: (value: unknown) => boolean): Member => ({
  expected,
  isOptional: false,
  read: (value) => (accepts(value) ? value : undefined),
});
const optional = (required: Member): Member => ({ ...required, isOptional: true });
const text = member('text', (value) => typeof value === 'string' && value !== '');
const anyText = member('text', (value) => typeof value === 'string');
const flag = member('true or false', (value) => typeof value === 'boolean');
const seq = member('a seq from 1 on', isSeq);
const uuid = member('a UUID', (value) => typeof value === 'string' && UUID.test(value));
const path = member('an absolute path', (value) => typeof value === 'string' && value.startsWith('/'));
const content = member('a non-empty list of ACP content blocks', isPromptContent);
const rules: Member = {
  expected: `at most ${MAX_RULES} rules like {"decide": "allow", "kind": ["read"]}`,
  isOptional: false,
  read: (value) => {
    if (!Array.isArray(value) || value.length > MAX_RULES) return undefined;
    const read = value.map(readPermissionRule);
    return read.some((rule) => typeof rule === 'string') ? undefined : read;
  },
};

const boundedText = member(
  `text of at most ${MAX_VIEWER_LENGTH} characters`,
  (value) => typeof value === 'string' && value.length <= MAX_VIEWER_LENGTH,
);

const BASE: Readonly<Record<string, Member>> = {
  issuedAt: optional(member('an RFC 3339 time', (value) => typeof value === 'string' && RFC_3339.test(value))),
  run: optional(anyText),
  viewer: optional(boundedText),
};

/** The members of each control beside those of every one. */
const SHAPES: { readonly [T in ControlType]: Readonly<Record<string, Member>> } = {
  cancel_turn: { channelId: text, turnId: optional(text), force: optional(flag) },
  prompt: {
    channelId: text,
    content,
    mode: optional(
      member('queue, steer or interrupt', (value) => ['queue', 'steer', 'interrupt'].includes(value as string)),
    ),
  },
  unqueue: { channelId: text, promptRequestId: text },
  replace_queued: { channelId: text, promptRequestId: text, content },
  switch_model: { channelId: text, modelId: text },
  set_mode: { channelId: text, modeId: text },
  set_config_option: {
    channelId: text,
    configId: text,
    value: member('text, or true or false', (value) => typeof value === 'string' || typeof value === 'boolean'),
  },
  new_session: { channelId: uuid, cwd: optional(path) },
  load_session: { channelId: uuid, sessionId: text, cwd: optional(path) },
  close_session: { channelId: text },
  restart_agent: {},
  set_auth: {
    tag: { expected: 'a NIP-OA tag', isOptional: false, read: (value) => (parseAuthTag(value).ok ? value : undefined) },
  },
  set_policy: {
    channelId: optional(text),
    policy: optional(
      member('ask, allow, reject or inherit', (value) => value === 'inherit' || isPermissionPolicy(value)),
    ),
    rules: optional(rules),
    persist: optional(flag),
  },
  push_subscribe: {
    subscription: member('a Web Push subscription, or null', (value) => value === null || isPushSubscription(value)),
    device: optional(boundedText),
    reasons: optional(member(`a list of ${PUSH_REASONS.join(', ')}`, isPushReasons)),
    quiet: optional(member('{from: "HH:MM", to: "HH:MM", timeZone: an IANA name}', isPushQuiet)),
  },
  push_test: { device: optional(boundedText) },
  permission_decision: {
    channelId: text,
    requestNonce: text,
    requestSha256: optional(member('64 hex digits', isHex64)),
    optionId: anyText,
    confirm: optional(flag),
  },
  elicitation_answer: {
    channelId: member('text or null', (value) => value === null || (typeof value === 'string' && value !== '')),
    requestNonce: text,
    requestSha256: member('64 hex digits', isHex64),
    action: member('accept, decline or cancel', (value) => ['accept', 'decline', 'cancel'].includes(value as string)),
    content: optional(
      member('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
    ),
  },
  hello: {
    viewer: text,
    wire: optional(seq),
    version: optional(boundedText),
    features: {
      ...optional(
        member('a list of text', (value) => Array.isArray(value) && value.every((f) => typeof f === 'string')),
      ),
      absent: [],
    },
    have: optional(
      member(
        `at most ${MAX_HAVE} of {stream, seq}`,
        (value) => Array.isArray(value) && value.length <= MAX_HAVE && value.every(isHave),
      ),
    ),
  },
  replay: { stream: text, fromSeq: seq, toSeq: optional(seq) },
};

/** The JSON text of a control. */
export function encodeControl(control: Control): string {
  return JSON.stringify(control);
}

/** Reads a decrypted control strictly: a member that is there must have the right shape. Unknown members are ignored. */
export function parseControl(json: string): Result<Control, ControlError> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return err({ code: 'not-json', message: 'a control is a JSON object' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return err({ code: 'malformed', message: 'a control is a JSON object' });
  }
  const said = value as Record<string, unknown>;
  const { type } = said;
  if (typeof type !== 'string') return err({ code: 'malformed', message: 'type: expected text' });
  const requestId = uuid.read(said.requestId) as string | undefined;
  const known = { type, ...(requestId !== undefined ? { requestId } : {}) };
  const bad = (name: string, expected: string) =>
    err({ code: 'malformed', message: `${type}: ${name}: expected ${expected}`, ...known } as const);
  if (said.requestId !== undefined && requestId === undefined) return bad('requestId', uuid.expected);
  if (!Object.hasOwn(SHAPES, type)) {
    return err({ code: 'unknown-type', message: `control "${type.slice(0, 64)}" is not known here`, ...known });
  }
  const shape = SHAPES[type as ControlType];
  const control: Record<string, unknown> = known;
  for (const [name, { expected, isOptional, absent, read }] of Object.entries({ ...BASE, ...shape })) {
    const member = said[name] === undefined && isOptional ? absent : read(said[name]);
    if (member === undefined && said[name] === undefined && isOptional) continue;
    if (member === undefined) return bad(name, expected);
    control[name] = member;
  }
  if (type === 'set_policy' && control.policy === undefined && control.rules === undefined)
    return bad('policy', 'ask, allow, reject or inherit, or rules beside it');
  if (control.policy === 'inherit' && (control.channelId === undefined || control.rules !== undefined))
    return bad('policy', 'inherit with a channelId and without rules');
  return ok(control as unknown as Control);
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
