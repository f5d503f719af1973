import { NOTHING_OPEN, type OpenKinds } from './access.ts';
import { encodeKindSet } from './kind-set.ts';
import type { RelayLimits } from './limits.ts';
import type { RetentionRule } from './store/event-store.ts';

/** What the operator says about the relay. */
export interface RelayIdentity {
  readonly name: string;
  readonly description: string;
  readonly software: string;
  readonly version: string;
}

/** NIPs the engine implements, and no others. */
const SUPPORTED_NIPS: readonly number[] = [1, 2, 9, 11, 17, 40, 42, 45, 50, 59, 65, 70, 77, 86];
/** Drafts without a number: frames, attestation, admission by attestation, usage. */
const SUPPORTED_EXTENSIONS: readonly string[] = ['nip-aa', 'nip-am', 'nip-ao', 'nip-oa'];

/** What else the document tells: what is open to all, and what is kept for how long. */
export interface DocumentPolicy {
  readonly open?: OpenKinds;
  readonly retention?: readonly RetentionRule[];
}

function describeRetention({ kinds, maxAgeSec }: RetentionRule): { readonly kinds: unknown; readonly time: number } {
  return { kinds: kinds.map(([first, last]) => (first === last ? first : [first, last])), time: maxAgeSec };
}

/** The relay information document (NIP-11), written from the very object that is enforced. */
export function relayDocument(
  identity: RelayIdentity,
  limits: RelayLimits,
  policy: DocumentPolicy = {},
): Record<string, unknown> {
  const { open = NOTHING_OPEN, retention = [] } = policy;
  return {
    ...identity,
    ...(retention.length === 0 ? {} : { retention: retention.map(describeRetention) }),
    supported_nips: SUPPORTED_NIPS,
    supported_extensions: SUPPORTED_EXTENSIONS,
    limitation: {
      max_message_length: limits.maxMessageBytes,
      max_subscriptions: limits.maxSubscriptions,
      max_filters: limits.maxFilters,
      max_limit: limits.maxLimit,
      default_limit: limits.defaultLimit,
      max_subid_length: limits.maxSubIdLength,
      max_event_tags: limits.maxEventTags,
      max_content_length: limits.maxContentLength,
      min_pow_difficulty: 0,
      auth_required: open.read.length + open.write.length === 0,
      payment_required: false,
      restricted_writes: encodeKindSet(open.write) !== '0-65535',
      created_at_lower_limit: limits.maxPastSec,
      created_at_upper_limit: limits.maxFutureSec,
    },
  };
}
