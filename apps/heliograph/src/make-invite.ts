import { type AuthTag, attest, type Crypto, encodeInvite, MAX_INVITE_RELAYS } from '@heliograph/wire/nostr';
import { type KeyPair, makeKey } from './key-file.ts';

/** What an invite is made of; `untilSec` is when it ends, in Unix seconds. */
export interface InviteParts {
  readonly owner: KeyPair;
  readonly relays: readonly string[];
  readonly name?: string | undefined;
  readonly untilSec: number;
}

/** An invite and the agent it makes known. */
export interface MadeInvite {
  readonly token: string;
  /** The new agent's public key, 64 hex characters. */
  readonly agent: string;
  readonly authTag: AuthTag;
}

export const maxInviteRelays = MAX_INVITE_RELAYS;

const yearSec = 365 * 24 * 3600;

/** When an owner's word for an agent ends unless said otherwise: a year from now. */
export function inAYearSec(nowMs = Date.now()): number {
  return Math.floor(nowMs / 1000) + yearSec;
}

/** Makes a fresh agent key, vouches for it and packs all an agent needs into one `helio1…` token. */
export function makeInvite({ owner, relays, name, untilSec }: InviteParts, crypto: Crypto): MadeInvite {
  const agent = makeKey(crypto);
  const authTag = attest(owner.secret, agent.publicKey, untilCondition(untilSec), crypto);
  const token = encodeInvite({
    relays,
    secretKey: agent.secret,
    owner: owner.publicKey,
    ...(name ? { name } : {}),
    authTag,
  });
  return { token, agent: agent.publicKey, authTag };
}

/** The NIP-OA condition that ends at this Unix second. */
export function untilCondition(untilSec: number): string {
  return `created_at<${untilSec}`;
}
