import type { OkPrefix, Result, VerifiedEvent } from '@heliograph/wire';
import type { RelayLimits } from './limits.ts';
import { authKindPolicy } from './policies/auth-kind.ts';
import { createdAtPolicy } from './policies/created-at.ts';
import { expirationPolicy } from './policies/expiration.ts';
import { observerFramePolicy } from './policies/observer-frame.ts';
import { protectedPolicy } from './policies/protected.ts';
import { sizePolicy } from './policies/size.ts';
import type { Admission } from './session.ts';

/** What a policy may know of who publishes, and when that is (Unix seconds). */
export interface Publisher {
  /** undefined: a guest, publishing a kind that is open to all. */
  readonly admission: Admission | undefined;
  readonly nowSec: number;
}

/** Why an event is not taken: the prefix of the OK message and its sentence. */
export interface Refusal {
  readonly code: OkPrefix;
  readonly message: string;
}

/** One rule on what an admitted connection may publish: one function, one verdict. */
export type Policy = (event: VerifiedEvent, publisher: Publisher) => Result<void, Refusal>;

/** The rules of a Heliograph relay, in the order they are asked; the first refusal stands. */
export function defaultPolicies(limits: RelayLimits): readonly Policy[] {
  return [
    authKindPolicy,
    sizePolicy(limits),
    createdAtPolicy(limits),
    expirationPolicy,
    protectedPolicy,
    observerFramePolicy,
  ];
}
