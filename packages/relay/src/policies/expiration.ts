import { err, ok } from '@heliograph/wire';
import { expiresAt } from '../expiration.ts';
import type { Policy } from '../policy.ts';

/** What is over already is not taken (NIP-40). */
export const expirationPolicy: Policy = (event, { nowSec }) => {
  const endsAtSec = expiresAt(event);
  if (endsAtSec === undefined || nowSec < endsAtSec) return ok(undefined);
  return err({ code: 'invalid', message: `this event expired at ${endsAtSec} (NIP-40), and it is ${nowSec}` });
};
