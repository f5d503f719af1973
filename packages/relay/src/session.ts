import type { Conditions } from '@heliograph/wire';
import type { Refusal } from './policy.ts';
import type { ConnectionId } from './relay-input.ts';
import type { Subscription } from './subscription-index.ts';
import type { Sync } from './sync-session.ts';

/** An owner named in the relay's configuration, a member the operator allowed, or an agent one of them vouched for (NIP-AA). Keys are hex. */
export type Admission =
  | { readonly role: 'owner' | 'member'; readonly pubkey: string; readonly expiresAtSec: undefined }
  | {
      readonly role: 'agent';
      readonly pubkey: string;
      readonly owner: string;
      readonly conditions: Conditions;
      /** The AUTH event's created_at, which the conditions are held against. */
      readonly authenticatedAtSec: number;
      /** From this second on the agent is a stranger again; undefined: never. */
      readonly expiresAtSec: number | undefined;
    };

/** One connection. The stages write to it; nobody else holds it. */
export interface Session {
  readonly connection: ConnectionId;
  readonly address: string;
  readonly challenge: string;
  admission: Admission | undefined;
  /** Why the last AUTH did not admit, or what ended the admission: answered to all that follows. */
  refusal: Refusal | undefined;
  /** When this connection last became one without an admitted key. */
  unadmittedSinceMs: number;
  authAttempts: number;
  readonly subscriptions: Map<string, Subscription>;
  /** Open NIP-77 reconciliations by id. */
  readonly syncs: Map<string, Sync>;
}

/** The session's admission if it still holds at `nowSec`. */
export function admissionAt(session: Session, nowSec: number): Admission | undefined {
  const { admission } = session;
  return admission?.expiresAtSec !== undefined && nowSec >= admission.expiresAtSec ? undefined : admission;
}
