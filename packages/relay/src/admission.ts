import {
  type Crypto,
  conditionsHold,
  encodeNpub,
  err,
  expiresAtSec,
  findAuthTag,
  ok,
  type Result,
  type VerifiedEvent,
  verifyAuthTag,
} from '@heliograph/wire';
import type { AccessRules } from './access.ts';
import type { Admission } from './session.ts';

/**
 * Why an authenticated key is not admitted. `bad-attestation`: its NIP-OA tag is broken or not signed by who it names.
 * `denied`: the operator refuses it, or who vouches for it. `stranger`: no owner here and nobody vouches for it. `foreign-owner`: vouched for by someone who is no owner here.
 * `ended`, `not-begun`: the attestation's time does not hold.
 */
export interface AdmissionError {
  readonly code: 'denied' | 'bad-attestation' | 'stranger' | 'foreign-owner' | 'ended' | 'not-begun';
  readonly message: string;
}

/** What decides on an admission. */
export interface AdmissionGrounds {
  readonly owners: ReadonlySet<string>;
  readonly access: AccessRules;
  readonly nowSec: number;
  readonly crypto: Crypto;
}

/**
 * Whether the author of a checked AUTH event may use the relay (NIP-AA): an owner from the configuration, never from a
 * tag, a member the operator allowed, or an agent whose tag one of them signed and whose conditions hold for this AUTH event; `kind=` is not evaluated.
 */
export function admit(
  event: VerifiedEvent,
  { owners, access, nowSec, crypto }: AdmissionGrounds,
): Result<Admission, AdmissionError> {
  const { pubkey, created_at: authenticatedAtSec } = event;
  if (owners.has(pubkey)) return ok({ role: 'owner', pubkey, expiresAtSec: undefined });
  const npub = encodeNpub(pubkey);
  if (access.denied.has(pubkey)) return err({ code: 'denied', message: deniedMessage(npub) });
  if (access.allowed.has(pubkey)) return ok({ role: 'member', pubkey, expiresAtSec: undefined });
  const tag = findAuthTag(event);
  if (!tag.ok) return err({ code: 'bad-attestation', message: `the attestation of ${npub}: ${tag.error.message}` });
  if (tag.value === undefined) return err({ code: 'stranger', message: strangerMessage(npub) });
  const attested = verifyAuthTag(tag.value, pubkey, crypto);
  if (!attested.ok) {
    return err({ code: 'bad-attestation', message: `the attestation of ${npub}: ${attested.error.message}` });
  }
  const { owner, conditions } = attested.value;
  if (access.denied.has(owner)) return err({ code: 'denied', message: deniedMessage(encodeNpub(owner)) });
  if (!owners.has(owner) && !access.allowed.has(owner)) {
    const ownerNpub = encodeNpub(owner);
    const message = `${npub} is vouched for by ${ownerNpub}, no owner of this relay; to make it one: heliograph relay --owner ${ownerNpub}, or to let it in: heliograph relay allow ${ownerNpub}`;
    return err({ code: 'foreign-owner', message });
  }
  const endsAtSec = expiresAtSec(conditions);
  if (endsAtSec !== undefined && Math.max(nowSec, authenticatedAtSec) >= endsAtSec) {
    return err({ code: 'ended', message: attestationEnded(pubkey, endsAtSec) });
  }
  if (!conditionsHold(conditions, { createdAtSec: authenticatedAtSec })) {
    return err({ code: 'not-begun', message: `the attestation of ${npub} (${conditions.text}) does not hold yet` });
  }
  return ok({ role: 'agent', pubkey, owner, conditions, authenticatedAtSec, expiresAtSec: endsAtSec });
}

/** The sentence for an agent whose attestation is over, with the command that renews it. */
export function attestationEnded(pubkey: string, endsAtSec: number): string {
  const npub = encodeNpub(pubkey);
  const end = new Date(endsAtSec * 1_000).toISOString();
  return `the attestation of ${npub} ended at ${end}; its owner renews it with: heliograph attest --agent ${npub}`;
}

/** The sentence for a key that the operator refuses, with the command that lets it in. */
export function deniedMessage(npub: string): string {
  return `${npub} is banned from this relay; its operator can let it in again with: heliograph relay allow ${npub}`;
}

function strangerMessage(npub: string): string {
  return (
    `${npub} is not admitted to this relay; if it is an owner: heliograph relay --owner ${npub}; ` +
    `to let it in as it is: heliograph relay allow ${npub}; ` +
    `if it is an agent, its owner vouches for it with: heliograph attest --agent ${npub}, or heliograph invite for a new one`
  );
}
