import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './limits.ts';
import { relayDocument } from './relay-document.ts';

it('RL22: the document says what is enforced, from the same numbers', () => {
  const identity = { name: 'n', description: 'd', software: 's', version: '1' };
  const document = relayDocument(identity, { ...DEFAULT_LIMITS, maxMessageBytes: 5, maxFilters: 7 });
  expect(document).toMatchObject({
    ...identity,
    supported_nips: [1, 2, 9, 11, 17, 40, 42, 45, 50, 59, 65, 70, 77, 86],
    limitation: {
      max_message_length: 5,
      max_filters: 7,
      max_subscriptions: 64,
      max_limit: 1_000,
      max_subid_length: 64,
      max_event_tags: 2_000,
      max_content_length: 196_608,
      auth_required: true,
      restricted_writes: true,
      created_at_lower_limit: 315_360_000,
      created_at_upper_limit: 900,
    },
  });
});
