import { err, ok, type Result } from '../result.ts';
import { hexDecode, hexEncode, isHex64, isHex128, utf8Encode } from './bytes.ts';
import type { Crypto } from './crypto.ts';
import type { EventTemplate } from './event.ts';

/** Why an owner's word for an agent does not count (NIP-OA). */
export interface AttestError {
  readonly code: 'malformed' | 'bad-conditions' | 'duplicate' | 'self-attestation' | 'bad-signature';
  readonly message: string;
}

/** The NIP-OA tag: the owner's signature over the agent's key and the conditions, word for word. */
export type AuthTag = readonly [name: 'auth', owner: string, conditions: string, sig: string];

/** One clause of the conditions; `value` is a kind or Unix seconds. */
export type Clause =
  | { readonly field: 'kind'; readonly op: '='; readonly value: number }
  | { readonly field: 'created_at'; readonly op: '<' | '>'; readonly value: number };

/** Conditions of an attestation: their exact text, which is what was signed, and its clauses in that order; all must hold. */
export interface Conditions {
  readonly text: string;
  readonly clauses: readonly Clause[];
}

const MAX_KIND = 65_535;
const MAX_TIME = 4_294_967_295;

/** Reads conditions: '' or clauses `kind=N`, `created_at<T`, `created_at>T` joined by '&', in canonical decimals (NIP-OA). */
export function parseConditions(text: string): Result<Conditions, AttestError> {
  const clauses: Clause[] = [];
  for (const part of text === '' ? [] : text.split('&')) {
    const clause = parseClause(part);
    if (clause === undefined) {
      const expected = `kind=0…${MAX_KIND}, created_at<T or created_at>T with T up to ${MAX_TIME}`;
      return err({
        code: 'bad-conditions',
        message: `condition ${JSON.stringify(part.slice(0, 40))} is not ${expected}`,
      });
    }
    clauses.push(clause);
  }
  return ok({ text, clauses });
}

function parseClause(text: string): Clause | undefined {
  const match = /^(kind=|created_at<|created_at>)(0|[1-9][0-9]{0,9})$/.exec(text);
  if (match === null) return undefined;
  const value = Number(match[2]);
  if (match[1] === 'kind=') return value <= MAX_KIND ? { field: 'kind', op: '=', value } : undefined;
  return value <= MAX_TIME ? { field: 'created_at', op: match[1] === 'created_at<' ? '<' : '>', value } : undefined;
}

/** The tag in an untrusted JSON value: exactly four elements of the right shape; its signature is not checked here. */
export function parseAuthTag(value: unknown): Result<AuthTag, AttestError> {
  if (!Array.isArray(value) || value.length !== 4) return malformed('an auth tag must have exactly four elements');
  const [name, owner, conditions, sig] = value as unknown[];
  if (name !== 'auth') return malformed('an auth tag must start with "auth"');
  if (!isHex64(owner)) return malformed('the owner must be 64 lower-case hex characters');
  if (typeof conditions !== 'string') return malformed('conditions must be a string');
  if (!isHex128(sig)) return malformed('the signature must be 128 lower-case hex characters');
  const parsed = parseConditions(conditions);
  return parsed.ok ? ok([name, owner, conditions, sig]) : parsed;
}

/** The auth tag of an event, undefined when it has none; two are as invalid as a broken one. */
export function findAuthTag(event: EventTemplate): Result<AuthTag | undefined, AttestError> {
  const tags = event.tags.filter((tag) => tag[0] === 'auth');
  if (tags.length > 1)
    return err({ code: 'duplicate', message: `an event may have one auth tag, this has ${tags.length}` });
  return tags.length === 0 ? ok(undefined) : parseAuthTag(tags[0]);
}

function attestationHash(agent: string, conditions: string, crypto: Crypto): Uint8Array {
  return crypto.sha256(utf8Encode(`nostr:agent-auth:${agent}:${conditions}`));
}

/** Vouches for an agent (hex public key); throws RangeError on bad keys or conditions, and when owner and agent are one. */
export function attest(ownerSecret: Uint8Array, agent: string, conditions: string, crypto: Crypto): AuthTag {
  if (!isHex64(agent)) throw new RangeError('agent must be a public key of 64 lower-case hex characters');
  const parsed = parseConditions(conditions);
  if (!parsed.ok) throw new RangeError(parsed.error.message);
  const owner = hexEncode(crypto.publicKey(ownerSecret));
  if (owner === agent) throw new RangeError('an owner can not attest its own key');
  const sig = crypto.schnorrSign(attestationHash(agent, conditions, crypto), ownerSecret, crypto.randomBytes(32));
  return ['auth', owner, conditions, hexEncode(sig)];
}

/** Who vouches for this agent and under which conditions, after the signature is checked; whether they hold is `conditionsHold`. */
export function verifyAuthTag(
  tag: AuthTag,
  agent: string,
  crypto: Crypto,
): Result<{ readonly owner: string; readonly conditions: Conditions }, AttestError> {
  const checked = parseAuthTag(tag);
  if (!checked.ok) return checked;
  const [, owner, text, sig] = checked.value;
  const conditions = parseConditions(text);
  if (!conditions.ok) return conditions;
  if (!isHex64(agent)) return malformed('the agent must be 64 lower-case hex characters');
  if (owner === agent) return err({ code: 'self-attestation', message: 'a key can not attest itself' });
  if (!crypto.schnorrVerify(hexDecode(sig), attestationHash(agent, text, crypto), hexDecode(owner))) {
    return err({ code: 'bad-signature', message: 'the owner did not sign this for this agent' });
  }
  return ok({ owner, conditions: conditions.value });
}

/** Whether all clauses hold; without a `kind`, as for AUTH (NIP-AA), `kind=` clauses are not evaluated. */
export function conditionsHold(
  conditions: Conditions,
  event: { readonly kind?: number; readonly createdAtSec: number },
): boolean {
  return conditions.clauses.every(({ op, value }) => {
    if (op === '=') return event.kind === undefined || event.kind === value;
    return op === '<' ? event.createdAtSec < value : event.createdAtSec > value;
  });
}

/** The first second in which the conditions hold no more (the smallest `created_at<`), undefined when they never end. */
export function expiresAtSec(conditions: Conditions): number | undefined {
  const ends = conditions.clauses.filter(({ op }) => op === '<').map(({ value }) => value);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function malformed(message: string): { readonly ok: false; readonly error: AttestError } {
  return err({ code: 'malformed', message });
}
