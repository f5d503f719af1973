import { figures, readFigure, USAGE_KEYS, type UsageFigures } from '../acp/usage.ts';
import { isHex64 } from '../nostr/bytes.ts';
import type { NostrEvent, VerifiedEvent } from '../nostr/event.ts';
import { MAX_PAYLOAD_LENGTH, MIN_PAYLOAD_LENGTH } from '../nostr/nip44.ts';
import type { Signer } from '../nostr/signer.ts';
import { err, ok, type Result } from '../result.ts';
import { onlyTag } from './only-tag.ts';

/** Usage of one turn, NIP-AM: stored, encrypted to the owner. */
export const KIND_USAGE = 44_200;

/** What one turn used, and the session so far: the plaintext of a kind 44200 event (NIP-AM, names as in Buzz). */
export interface UsageReport {
  /** The program that spoke to the model: the agent's own name. */
  readonly harness: string;
  readonly model: string | null;
  readonly channelId: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  /** Counts the session's turns from 1. */
  readonly turnSeq: number | null;
  /** RFC 3339, when the turn ended. */
  readonly timestamp: string;
  readonly turn: UsageFigures;
  readonly cumulative: UsageFigures;
  /** False where `turn` could not be told from the agent's counters: it must not be added up. */
  readonly deltaReliable: boolean;
  readonly stopReason: UsageStopReason;
}

/** How the turn ended; `unknown` also stands for words of the future. */
export type UsageStopReason = 'end_turn' | 'max_tokens' | 'cancelled' | 'error' | 'unknown';

/** `not-usage`: another kind. `tags`, `signer`, `length`, `decrypt`: as for frames. `malformed`: the plaintext, naming the member. */
export interface UsageError {
  readonly code: 'not-usage' | 'tags' | 'signer' | 'length' | 'decrypt' | 'malformed';
  readonly message: string;
}

/** Between which keys a usage event goes. */
export interface UsageRoute {
  readonly agent: string;
  readonly owner: string;
}

const STOP_REASONS: readonly UsageStopReason[] = ['end_turn', 'max_tokens', 'cancelled', 'error', 'unknown'];
const MAX_TEXT_LENGTH = 256;
const RFC_3339 = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The JSON text of a report; cache figures that are not reported are left out. */
export function encodeUsage(report: UsageReport): string {
  const { turn, cumulative } = report;
  return JSON.stringify({ ...report, turn: written(turn), cumulative: written(cumulative) });
}

function written({ cacheReadTokens, cacheWriteTokens, ...rest }: UsageFigures): Partial<UsageFigures> {
  return {
    ...rest,
    ...(cacheReadTokens !== null ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens !== null ? { cacheWriteTokens } : {}),
  };
}

/**
 * Reads a report strictly: a member that is there has the right type, and each figure is a number in range; a report with
 * one that is not is refused whole, so that nothing wrong is ever added up. Members that are absent count as `null`,
 * unknown ones are dropped.
 */
export function decodeUsage(text: string): Result<UsageReport, UsageError> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed('expected a JSON object');
  }
  if (!isObject(value)) return malformed('expected a JSON object');
  const { harness, turnSeq = null, timestamp, deltaReliable = false, stopReason = null } = value;
  if (!isText(harness)) return malformed(`harness: expected text of at most ${MAX_TEXT_LENGTH} characters`);
  if (typeof timestamp !== 'string' || !RFC_3339.test(timestamp)) {
    return malformed('timestamp: expected an RFC 3339 time');
  }
  if (turnSeq !== null && !(Number.isSafeInteger(turnSeq) && (turnSeq as number) >= 0)) {
    return malformed('turnSeq: expected a whole number');
  }
  if (typeof deltaReliable !== 'boolean') return malformed('deltaReliable: expected true or false');
  if (stopReason !== null && typeof stopReason !== 'string') return malformed('stopReason: expected text');
  for (const name of ['model', 'channelId', 'sessionId', 'turnId']) {
    if (!isText(value[name] ?? '')) return malformed(`${name}: expected text of at most ${MAX_TEXT_LENGTH} characters`);
  }
  const turn = readFigures('turn', value.turn);
  if (!turn.ok) return turn;
  const cumulative = readFigures('cumulative', value.cumulative);
  if (!cumulative.ok) return cumulative;
  const textOrNull = (name: string) => (value[name] ?? null) as string | null;
  return ok({
    harness,
    model: textOrNull('model'),
    channelId: textOrNull('channelId'),
    sessionId: textOrNull('sessionId'),
    turnId: textOrNull('turnId'),
    turnSeq: turnSeq as number | null,
    timestamp,
    turn: turn.value,
    cumulative: cumulative.value,
    deltaReliable,
    stopReason: STOP_REASONS.find((known) => known === stopReason) ?? 'unknown',
  });
}

function readFigures(name: string, value: unknown): Result<UsageFigures, UsageError> {
  if (value === undefined || value === null) return ok(figures(() => null));
  if (!isObject(value)) return malformed(`${name}: expected an object`);
  const read = figures((key) => readFigure(key, value[key]));
  const bad = USAGE_KEYS.find((key) => read[key] === null && (value[key] ?? null) !== null);
  return bad === undefined ? ok(read) : malformed(`${name}.${bad}: expected a number from 0 on, or null`);
}

/** Checks a usage event's tags and signer without decrypting it. */
export function parseUsageEvent(event: NostrEvent): Result<UsageRoute, UsageError> {
  if (event.kind !== KIND_USAGE) return err({ code: 'not-usage', message: `kind ${event.kind} is no usage event` });
  const [owner, agent] = [onlyTag(event, 'p'), onlyTag(event, 'agent')];
  if (!isHex64(owner) || !isHex64(agent)) {
    return err({
      code: 'tags',
      message: 'a usage event has exactly one p and one agent tag of 64 lower-case hex digits',
    });
  }
  if (event.pubkey !== agent || owner === agent) {
    return err({ code: 'signer', message: 'a usage event is signed by its agent, for another key' });
  }
  const { length } = event.content;
  if (length < MIN_PAYLOAD_LENGTH || length > MAX_PAYLOAD_LENGTH) {
    return err({ code: 'length', message: `content of ${length} characters is no NIP-44 v2 payload` });
  }
  return ok({ agent, owner });
}

/** Encrypts a report to the owner and signs it as the agent; `signer` is the agent's. */
export async function sealUsage(
  report: UsageReport,
  { agent, owner }: UsageRoute,
  createdAtSec: number,
  signer: Signer,
): Promise<VerifiedEvent> {
  const content = await signer.encrypt(owner, encodeUsage(report));
  const tags = [
    ['p', owner],
    ['agent', agent],
  ];
  return signer.sign({ kind: KIND_USAGE, created_at: createdAtSec, tags, content });
}

/** Checks the tags, decrypts and reads; `signer` is the owner's. Only a verified event gets in: the type says so. */
export async function openUsage(event: VerifiedEvent, signer: Signer): Promise<Result<UsageReport, UsageError>> {
  const route = parseUsageEvent(event);
  if (!route.ok) return route;
  const text = await signer.decrypt(event.pubkey, event.content);
  return text.ok ? decodeUsage(text.value) : err({ code: 'decrypt', message: text.error.message });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;
}

function malformed(message: string): { readonly ok: false; readonly error: UsageError } {
  return err({ code: 'malformed', message: `usage: ${message}` });
}
