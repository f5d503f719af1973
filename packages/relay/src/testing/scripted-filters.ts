import { type Filter, matchFilter, type VerifiedEvent } from '@heliograph/wire';
import fc from 'fast-check';
import { eventAddress } from '../store/event-store.ts';
import { storableEvent } from '../store/storable-event.ts';
import { agent, owner, secondOwner, stranger, template } from './scripted-relay.ts';

const START = 1_700_000_000;
const KEYS = [owner, secondOwner, agent, stranger];
const KINDS = [0, 1, 7, 1_059, 10_002, 20_001, 24_200, 30_023, 44_200];
const VALUES = ['', 'x', 'y', 'zz'];

/** Two hundred events in which everything collides: authors, kinds, seconds, tag values. */
export const pool: readonly VerifiedEvent[] = fc
  .sample(
    fc.record({
      key: fc.constantFrom(...KEYS),
      kind: fc.constantFrom(...KINDS),
      created_at: fc.integer({ min: START, max: START + 6 }),
      content: fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('Red moon', 'the red Sun', 'sun, moon')),
      tags: fc.array(
        fc.oneof(
          fc.tuple(fc.constantFrom('d', 't', 'T'), fc.constantFrom(...VALUES)),
          fc.tuple(fc.constant('p'), fc.constantFrom(...KEYS.map((key) => key.publicKey))),
          fc.constantFrom(['expiration', `${START}`], ['expiration', `${START + 1}`]),
          fc.constantFrom(['t'], ['long', 'x'], ['x']),
        ),
        { maxLength: 4 },
      ),
    }),
    { numRuns: 200, seed: 7 },
  )
  .map(({ key, ...fields }) => key.sign(template(fields)));

const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1, maxLength: 3 });
const publicKeys = KEYS.map((key) => key.publicKey);
const members = {
  ids: fc.subarray(
    pool.map((event) => event.id),
    { minLength: 50 },
  ),
  authors: some(...publicKeys),
  kinds: some(...KINDS, 4),
  '#t': some(...VALUES, 'none'),
  '#T': some(...VALUES),
  '#d': some(...VALUES),
  '#p': some(...publicKeys),
  since: fc.integer({ min: START - 1, max: START + 7 }),
  until: fc.integer({ min: START - 1, max: START + 7 }),
  limit: fc.integer({ min: 0, max: 30 }),
  search: fc.constantFrom('red', 'MOON', 'moon red', 'sun lang:en', 'none', ''),
};
/** At most three members each: with more, hardly any filter would match anything. */
const filter: fc.Arbitrary<Filter> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.subarray(Object.keys(members) as (keyof typeof members)[], { maxLength: 3 }).chain((names) => {
      const chosen: Record<string, fc.Arbitrary<unknown>> = {};
      for (const name of names) chosen[name] = members[name];
      return fc.record(chosen) as fc.Arbitrary<Filter>;
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Filter>({ ids: [] }, { authors: [] }, { kinds: [] }, { '#t': [] }) },
);
/** A REQ's filters. */
export const filters = fc.array(filter, { minLength: 1, maxLength: 3 });
/** NIP-01's and NIP-59's words, as plainly as can be. */
export function mayRead(event: VerifiedEvent, reader: string): boolean {
  const isPrivate = [1_059, 24_200, 44_200].includes(event.kind);
  return !isPrivate || event.pubkey === reader || event.tags.some(([name, value]) => name === 'p' && value === reader);
}

/** In these contents no two words touch, and a search is words without more. */
export function obviouslyMatches(filter: Filter, event: VerifiedEvent): boolean {
  if (!matchFilter(filter, event)) return false;
  if (filter.search === undefined) return true;
  const words = filter.search.replace('lang:en', '').toLowerCase().split(' ').filter(Boolean);
  const held = event.content.toLowerCase().split(/[ ,]+/);
  return [0, 1, 30_023].includes(event.kind) && words.length > 0 && words.every((word) => held.includes(word));
}

function hasEnded(event: VerifiedEvent): boolean {
  return event.tags.some(([name, value], at) => name === 'expiration' && isFirst(event, at) && Number(value) <= START);
}

function isFirst(event: VerifiedEvent, at: number): boolean {
  return event.tags.findIndex(([name]) => name === 'expiration') === at;
}

function newestFirst(a: VerifiedEvent, b: VerifiedEvent): number {
  return b.created_at - a.created_at || (a.id < b.id ? -1 : 1);
}

/** What NIP-01 leaves of the pool: no ephemeral event, one version per address. */
const held = pool.filter((event) => {
  const address = eventAddress(event);
  if (storableEvent(event) === undefined) return false;
  return (
    address === undefined || pool.filter((other) => eventAddress(other) === address).sort(newestFirst)[0] === event
  );
});

/** The ids an answer must give, in order. */
export function obviouslyStored(asked: readonly Filter[], reader: string): string[] {
  const found = asked.flatMap((filter) =>
    held
      .filter((event) => obviouslyMatches(filter, event) && mayRead(event, reader) && !hasEnded(event))
      .sort(newestFirst)
      .slice(0, filter.limit ?? 500),
  );
  return [...new Set(found)].sort(newestFirst).map((event) => event.id);
}
