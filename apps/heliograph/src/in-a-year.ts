import { INVITE_TERM_SEC } from '@heliograph/wire/nostr';

/** When an owner's word for an agent ends unless said otherwise: a year from now. */
export function inAYearSec(nowMs = Date.now()): number {
  return Math.floor(nowMs / 1000) + INVITE_TERM_SEC;
}
