import {
  type AuthTag,
  type Conditions,
  type Crypto,
  conditionsHold,
  type EventTemplate,
  err,
  findAuthTag,
  isHex64,
  ok,
  parseEvent,
  type Result,
  tagValue,
  type VerifiedEvent,
  verifyAuthTag,
  verifyEvent,
} from '@heliograph/wire';

/** Application data (NIP-78): any relay can hold a statement, so a second relay can witness it. */
export const KIND_STATEMENT = 30_078;

/**
 * What an archive's own key signs. `checkpoint`: record n has this hash, and so all before it are as they are.
 * `tombstone`: records `first` to n were removed by retention. `redaction`: the text of record n was replaced.
 * `interruption`: the archive had ended without closing, after record n at the earliest.
 */
export type StatementType = 'checkpoint' | 'tombstone' | 'redaction' | 'interruption';

/** A statement before signing. Hashes in hex. */
export interface StatementDraft {
  readonly type: StatementType;
  readonly chain: string;
  readonly n: number;
  /** Hash of record n; of n = 0 the chain's id. */
  readonly head: string;
  /** Id of the statement before this one; of the first, the chain's id. */
  readonly prev: string;
  /** tombstone: the first record that is gone, and why. */
  readonly first?: number;
  readonly reason?: string;
  /** redaction: SHA-256 of the text now kept, '' where none is. */
  readonly textSha?: string;
}

/** A statement whose signature holds. */
export interface Statement extends StatementDraft {
  readonly id: string;
  readonly archiveKey: string;
  readonly createdAtSec: number;
  /** Who vouches for the archive's key, when that signature holds. */
  readonly owner: string | undefined;
  readonly json: string;
}

/** `malformed`: no signed event of this shape. `signature`: its id or signature does not hold. */
export interface StatementError {
  readonly code: 'malformed' | 'signature';
  readonly message: string;
}

/** The event to sign with the archive's key. `authTag` is the owner's word for that key (NIP-OA). */
export function statementTemplate(draft: StatementDraft, authTag: AuthTag, createdAtSec: number): EventTemplate {
  const { type, chain, n, head, prev, first, reason, textSha } = draft;
  const tags = [
    ['d', `heliograph-archive:${chain.slice(0, 16)}:${type}:${n}:${prev.slice(0, 16)}`],
    ['archive', type],
    ['chain', chain],
    ['n', String(n)],
    ['head', head],
    ['prev', prev],
    ...(first === undefined ? [] : [['first', String(first)]]),
    ...(reason === undefined ? [] : [['reason', reason]]),
    ...(textSha === undefined ? [] : [['text', textSha]]),
    authTag,
  ];
  return { kind: KIND_STATEMENT, created_at: createdAtSec, tags, content: '' };
}

/** Reads and verifies a statement's JSON text. */
export function parseStatement(json: string, crypto: Crypto): Result<Statement, StatementError> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return malformed('it is no JSON');
  }
  const event = parseEvent(value);
  if (!event.ok) return malformed(event.error.message);
  const verified = verifyEvent(event.value, crypto);
  if (!verified.ok) return err({ code: 'signature', message: verified.error.message });
  return readStatement(verified.value, crypto);
}

function readStatement(event: VerifiedEvent, crypto: Crypto): Result<Statement, StatementError> {
  const tag = (name: string) => tagValue(event, name);
  const [type, chain, n, head, prev] = [tag('archive'), tag('chain'), Number(tag('n')), tag('head'), tag('prev')];
  if (event.kind !== KIND_STATEMENT || !isType(type)) return malformed('it is no statement of an archive');
  if (!isHex64(chain) || !isHex64(head) || !isHex64(prev) || !Number.isSafeInteger(n) || n < 0) {
    return malformed('chain, head and prev must be 64 hex digits and n a number');
  }
  const auth = findAuthTag(event);
  const attested = auth.ok && auth.value !== undefined ? verifyAuthTag(auth.value, event.pubkey, crypto) : undefined;
  const [first, reason, textSha] = [tag('first'), tag('reason'), tag('text')];
  return ok({
    type,
    chain,
    n,
    head,
    prev,
    ...(first === undefined ? {} : { first: Number(first) }),
    ...(reason === undefined ? {} : { reason }),
    ...(textSha === undefined ? {} : { textSha }),
    id: event.id,
    archiveKey: event.pubkey,
    createdAtSec: event.created_at,
    owner: attested?.ok === true && holds(attested.value.conditions, event) ? attested.value.owner : undefined,
    json: event.json,
  });
}

function holds(conditions: Conditions, { kind, created_at }: VerifiedEvent): boolean {
  return conditionsHold(conditions, { kind, createdAtSec: created_at });
}

function isType(type: string | undefined): type is StatementType {
  return type === 'checkpoint' || type === 'tombstone' || type === 'redaction' || type === 'interruption';
}

function malformed(message: string): Result<never, StatementError> {
  return err({ code: 'malformed', message });
}
