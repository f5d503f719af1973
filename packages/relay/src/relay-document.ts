import type { RelayLimits } from './limits.ts';

/** What the operator says about the relay. */
export interface RelayIdentity {
  readonly name: string;
  readonly description: string;
  readonly software: string;
  readonly version: string;
}

/** NIPs the engine implements, and no others. */
const SUPPORTED_NIPS: readonly number[] = [1, 9, 11, 42];
/** Drafts without a number: frames, attestation, admission by attestation, usage. */
const SUPPORTED_EXTENSIONS: readonly string[] = ['nip-aa', 'nip-am', 'nip-ao', 'nip-oa'];

/** The relay information document (NIP-11), written from the very object that is enforced. */
export function relayDocument(identity: RelayIdentity, limits: RelayLimits): Record<string, unknown> {
  return {
    ...identity,
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
      auth_required: true,
      payment_required: false,
      restricted_writes: true,
      created_at_lower_limit: limits.maxPastSec,
      created_at_upper_limit: limits.maxFutureSec,
    },
  };
}
