import { isEphemeral, type VerifiedEvent } from '@heliograph/wire';

declare const storable: unique symbol;

/** A verified event that may be kept. Stores take nothing else, so keeping an ephemeral one (kind 24200) does not compile. */
export type StorableEvent = VerifiedEvent & { readonly [storable]: true };

/** The event as one that may be kept, or undefined when its kind is ephemeral (NIP-01). The only maker of the type. */
export function storableEvent(event: VerifiedEvent): StorableEvent | undefined {
  return isEphemeral(event.kind) ? undefined : (event as StorableEvent);
}
