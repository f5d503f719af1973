import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Filter, matchFilter, ok, type VerifiedEvent } from '@heliograph/wire';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { agent, owner, ScriptedRelay, secondOwner, stranger, template, vouch } from './scripted-relay.ts';
import { eventAddress } from './store/event-store.ts';
import { MemoryStore } from './store/memory-store.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import { storableEvent } from './store/storable-event.ts';

const START = 1_700_000_000;
const KEYS = [owner, secondOwner, agent, stranger];
const KINDS = [0, 1, 7, 1_059, 10_002, 20_001, 24_200, 30_023, 44_200];
const VALUES = ['', 'x', 'y', 'zz'];

/** Two hundred events in which everything collides: authors, kinds, seconds, tag values. */
const pool: readonly VerifiedEvent[] = fc
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
const filters = fc.array(filter, { minLength: 1, maxLength: 3 });
const readers = fc.constantFrom(owner, secondOwner, agent);

function mayRead(event: VerifiedEvent, reader: string): boolean {
  const isPrivate = [1_059, 24_200, 44_200].includes(event.kind);
  return !isPrivate || event.pubkey === reader || event.tags.some(([name, value]) => name === 'p' && value === reader);
}

/** In these contents no two words touch, and a search is words without more. */
function obviouslyMatches(filter: Filter, event: VerifiedEvent): boolean {
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

function obviouslyStored(asked: readonly Filter[], reader: string): string[] {
  const found = asked.flatMap((filter) =>
    held
      .filter((event) => obviouslyMatches(filter, event) && mayRead(event, reader) && !hasEnded(event))
      .sort(newestFirst)
      .slice(0, filter.limit ?? 500),
  );
  return [...new Set(found)].sort(newestFirst).map((event) => event.id);
}

const folder = mkdtempSync(join(tmpdir(), 'heliograph-filters-'));
const opened = openSqliteStore(folder);
if (!opened.ok) throw new Error(opened.error.message);
const sqlite = opened.value;
afterAll(() => {
  sqlite.close();
  rmSync(folder, { recursive: true });
});

const limits = { requestBurst: 1e9, eventBurst: 1e9 };
const stores = [
  ['memory', new MemoryStore()],
  ['SQLite', sqlite],
] as const;

for (const [name, store] of stores) {
  store.write(pool.map(storableEvent).filter((event) => event !== undefined));
  it(`RL6, RL40: every COUNT is that of an obvious filter (${name})`, () => {
    const relay = new ScriptedRelay({ limits, store });
    const clients = new Map([
      [owner, relay.connectOwner()],
      [agent, relay.connectAgent(vouch())],
    ]);
    fc.assert(
      fc.property(filters, fc.constantFrom(owner, agent), (asked, reader) => {
        const unlimited = asked.map(({ limit: _, ...filter }) => filter);
        const count = obviouslyStored(unlimited, reader.publicKey).length;
        expect(clients.get(reader)?.say('COUNT', 'c', ...asked)).toEqual([['COUNT', 'c', { count }]]);
      }),
      { numRuns: 200 },
    );
  });

  it(`RL6: every stored answer is that of an obvious filter (${name})`, () => {
    const relay = new ScriptedRelay({ limits, store });
    const clients = new Map([
      [owner, relay.connectOwner()],
      [secondOwner, relay.connectOwner(secondOwner)],
      [agent, relay.connectAgent(vouch())],
    ]);
    let answersWithEvents = 0;
    fc.assert(
      fc.property(filters, readers, (asked, reader) => {
        const answer = clients.get(reader)?.say('REQ', 'a', ...asked) ?? [];
        const ids = answer.map((message) => (message[0] === 'EVENT' ? message[2].id : message[0]));
        expect(ids).toEqual([...obviouslyStored(asked, reader.publicKey), 'EOSE']);
        if (ids.length > 1) answersWithEvents += 1;
      }),
      { numRuns: 300 },
    );
    expect(answersWithEvents).toBeGreaterThan(150);
  });
}

it('RL6: every live delivery is that of an obvious filter', () => {
  const relay = new ScriptedRelay({ limits, policies: [] });
  const clients = new Map([
    [owner, relay.connectOwner()],
    [secondOwner, relay.connectOwner(secondOwner)],
    [agent, relay.connectAgent(vouch())],
  ]);
  fc.assert(
    fc.property(fc.array(fc.tuple(readers, filters), { maxLength: 4 }), (subscriptions) => {
      for (const [n, [reader, asked]] of subscriptions.entries()) clients.get(reader)?.say('REQ', `${n}`, ...asked);
      for (const event of pool) deliver(relay, event);
      const delivered = new Map([...clients].map(([key, client]) => [key, client.take()]));
      for (const [n, [reader, asked]] of subscriptions.entries()) {
        const ids = delivered.get(reader)?.flatMap((message) => {
          return message[0] === 'EVENT' && message[1] === `${n}` ? [message[2].id] : [];
        });
        const expected = pool.filter((event) => asked.some((filter) => obviouslyMatches(filter, event)));
        expect(ids).toEqual(expected.filter((event) => mayRead(event, reader.publicKey)).map((event) => event.id));
        clients.get(reader)?.say('CLOSE', `${n}`);
      }
    }),
    { numRuns: 60 },
  );
});

/** The event at the point where it goes out: just committed, or verified when it is ephemeral. Connection 1 is an owner's. */
function deliver(relay: ScriptedRelay, event: VerifiedEvent): void {
  const kept = storableEvent(event);
  if (kept !== undefined) {
    relay.handle({ type: 'stored', request: { type: 'store', connection: 0, event: kept }, outcome: 'stored' });
    return;
  }
  const request = { type: 'verify', connection: 1, purpose: 'publish', event } as const;
  relay.handle({ type: 'verified', request, result: ok(event) });
}
