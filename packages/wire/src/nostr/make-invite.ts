import { hexEncode } from './bytes.ts';
import type { Crypto } from './crypto.ts';
import { encodeInvite } from './invite.ts';
import { type AuthTag, attest } from './nip-oa.ts';

/** What an invite is made of; `untilSec` is when it ends, in Unix seconds. */
export interface InviteParts {
  readonly ownerSecret: Uint8Array;
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

/** How long an owner's word for an agent holds unless said otherwise: a year, in seconds. */
export const INVITE_TERM_SEC = 365 * 24 * 3_600;

/** Makes a fresh agent key, vouches for it and packs all an agent needs into one `helio1…` token; throws RangeError as `encodeInvite` does. */
export function makeInvite({ ownerSecret, relays, name, untilSec }: InviteParts, crypto: Crypto): MadeInvite {
  const secretKey = crypto.randomBytes(32);
  const agent = hexEncode(crypto.publicKey(secretKey));
  const authTag = attest(ownerSecret, agent, untilCondition(untilSec), crypto);
  const owner = hexEncode(crypto.publicKey(ownerSecret));
  const token = encodeInvite({ relays, secretKey, owner, ...(name ? { name } : {}), authTag });
  return { token, agent, authTag };
}

/** The NIP-OA condition that ends at this Unix second. */
export function untilCondition(untilSec: number): string {
  return `created_at<${untilSec}`;
}
