import type { Filter } from '@heliograph/wire';
import { expect, it } from 'vitest';
import type { Session } from './session.ts';
import { type Subscription, SubscriptionIndex } from './subscription-index.ts';

const hex = (n: number) => n.toString(16).padStart(64, '0');
const session = {} as Session;
const subscribe = (index: SubscriptionIndex, id: string, ...filters: Filter[]): Subscription => {
  const subscription = { session, id, filters, openedAtMs: 0, waiting: undefined, answered: undefined };
  index.add(subscription);
  return subscription;
};

/** An event that counts how many filters were held against it. */
function countedEvent(p: number) {
  let checks = 0;
  return {
    checks: () => checks,
    id: hex(1),
    pubkey: hex(2),
    kind: 24_200,
    tags: [['p', hex(p)]],
    content: '',
    sig: '',
    get created_at() {
      checks += 1;
      return 5;
    },
  };
}

it('RL33: ten thousand subscriptions on other #p cost an event nothing', () => {
  const index = new SubscriptionIndex();
  for (let n = 0; n < 10_000; n++) subscribe(index, `${n}`, { kinds: [24_200], '#p': [hex(n)] });
  const event = countedEvent(77);
  expect([...index.match(event)].map(({ id }) => id)).toEqual(['77']);
  expect(event.checks()).toBeLessThanOrEqual(2);
});

it('RL33: finds a subscription once, whichever of its filters and values match', () => {
  const index = new SubscriptionIndex();
  subscribe(
    index,
    'a',
    { '#p': [hex(7), hex(8), hex(7)] },
    { kinds: [24_200, 1] },
    { authors: [hex(2)] },
    { ids: [hex(1)] },
    {},
  );
  subscribe(index, 'b', { kinds: [], authors: [hex(2)] }, { ids: [] });
  expect([...index.match(countedEvent(7))].map(({ id }) => id)).toEqual(['a']);
});

it('RL33: finds nothing that was removed, and forgets all of it', () => {
  const index = new SubscriptionIndex();
  const first = subscribe(index, 'a', { '#p': [hex(7)] }, {});
  const second = subscribe(index, 'b', { '#p': [hex(7)] });
  index.remove(first);
  index.remove(first);
  expect([...index.match(countedEvent(7))]).toEqual([second]);
  index.remove(second);
  const event = countedEvent(7);
  expect(index.match(event)).toEqual([]);
  expect(event.checks()).toBe(0);
});
