import { nobleCrypto } from '@heliograph/crypto/noble';
import { type EventTemplate, eventSigner, type Filter, type VerifiedEvent } from '@heliograph/wire';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresServer } from '../../../fixtures/servers/postgres-server.ts';
import { eventRecord } from '../src/postgres/event-record.ts';
import { POSTGRES_SCHEMA_VERSION } from '../src/postgres/postgres-schema.ts';
import { openPostgresStore, type PostgresStore } from '../src/postgres/postgres-store.ts';
import { readDecisions } from '../src/store/access-store.ts';
import { STORE_CONTRACT } from '../src/store/contract.ts';
import { eventAddress, type WriteOutcome } from '../src/store/event-store.ts';
import { MemoryStore } from '../src/store/memory-store.ts';
import { type StorableEvent, storableEvent } from '../src/store/storable-event.ts';
import { filters, obviouslyStored, pool } from '../src/testing/scripted-filters.ts';
import { agent, owner, ScriptedRelay, secondOwner, vouch } from '../src/testing/scripted-relay.ts';

let server: PostgresServer;
const opened: PostgresStore[] = [];
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  await server.close();
});

async function open(url = server.database()): Promise<PostgresStore> {
  const store = await openPostgresStore(url);
  if (!store.ok) throw new Error(store.error.message);
  opened.push(store.value);
  return store.value;
}

const alice = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);
const bob = eventSigner(new Uint8Array(32).fill(2), nobleCrypto);

function kept(event: VerifiedEvent): StorableEvent {
  const storable = storableEvent(event);
  if (storable === undefined) throw new TypeError('an ephemeral event is not kept');
  return storable;
}

function signed(key: typeof alice, fields: Partial<EventTemplate>): StorableEvent {
  return kept(key.sign({ kind: 1, created_at: 10, tags: [], content: '', ...fields }));
}

const everything = {
  reader: { pubkey: alice.publicKey, kinds: undefined },
  nowSec: 1_000,
  maxEvents: 10_000,
  maxBytes: 1e9,
};
async function idsOf(store: PostgresStore | MemoryStore, filter: Filter = {}): Promise<string[]> {
  return (await store.query(filter, everything)).map(({ id }) => id);
}

describe('the contract', () => {
  let url: string;
  let store: PostgresStore;
  let client: pg.Client;
  beforeAll(async () => {
    url = server.database();
    store = await open(url);
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterAll(() => client.end());

  it.each(STORE_CONTRACT)('PostgreSQL $title', async ({ check }) => {
    await client.query('TRUNCATE heliograph.events, heliograph.tags');
    await check(store);
  });

  it('RL92: keeps tag values of any characters apart, NUL too, and finds nothing by a lone surrogate', async () => {
    await client.query('TRUNCATE heliograph.events, heliograph.tags');
    const values = ['\ufffd', '\u0000', 'a\u0000', 'a', '\\x00', "'; DROP TABLE heliograph.events; --"];
    const events = values.map((value) => signed(alice, { tags: [['t', value]] }));
    expect(await store.write(events)).toEqual(events.map(() => 'stored'));
    for (const [n, value] of values.entries()) expect(await idsOf(store, { '#t': [value] })).toEqual([events[n]?.id]);
    expect(await idsOf(store, { '#t': ['\ud800'] })).toEqual([]);
    expect((await store.query({}, everything)).map(({ json }) => json).sort()).toEqual(
      events.map(({ json }) => json).sort(),
    );
  });

  it('RL92: an event stored a moment ago is marked as one that may come live yet, and an older one is not', async () => {
    await client.query('TRUNCATE heliograph.events, heliograph.tags');
    const [old, fresh] = [signed(alice, { content: 'old' }), signed(alice, { content: 'fresh' })];
    await store.write([old]);
    await client.query("UPDATE heliograph.events SET stored_at = stored_at - interval '31 seconds'");
    await store.write([fresh]);
    const found = new Map((await store.query({}, everything)).map((event) => [event.id, event.isFresh]));
    expect([found.get(old.id), found.get(fresh.id)]).toEqual([undefined, true]);
  });
});

it('RL6, RL40: every stored answer and COUNT is that of an obvious filter (PostgreSQL)', async () => {
  const store = await open();
  await store.write(pool.map(storableEvent).filter((event) => event !== undefined));
  const relay = new ScriptedRelay({ limits: { requestBurst: 1e9 }, store });
  const clients = new Map([
    [owner, relay.connectOwner()],
    [secondOwner, relay.connectOwner(secondOwner)],
    [agent, relay.connectAgent(vouch())],
  ]);
  let answersWithEvents = 0;
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(owner, secondOwner, agent), async (asked, reader) => {
      const client = clients.get(reader);
      client?.say('REQ', 'a', ...asked);
      client?.say('COUNT', 'c', ...asked);
      await relay.settled();
      const answer = client?.take() ?? [];
      const ids = answer.flatMap((message) => (message[0] === 'EVENT' ? [message[2].id] : []));
      expect(ids).toEqual(obviouslyStored(asked, reader.publicKey));
      const count = obviouslyStored(
        asked.map(({ limit: _, ...filter }) => filter),
        reader.publicKey,
      ).length;
      expect(answer).toContainEqual(['COUNT', 'c', { count }]);
      if (ids.length > 0) answersWithEvents += 1;
    }),
    { numRuns: 300 },
  );
  expect(answersWithEvents).toBeGreaterThan(150);
});

describe('two relays on one database', () => {
  it('RL93: they make its tables once, however many start together, and are one cluster', async () => {
    const url = server.database();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    expect(new Set(stores.map(({ cluster }) => cluster)).size).toBe(1);
    expect((await open()).cluster).not.toBe(stores[0].cluster);
  });

  it('RL93: what both write at once ends as one writer would have it: one outcome stored per event, the newest versions, nothing deleted', async () => {
    const url = server.database();
    const nodes = await Promise.all([open(url), open(url)]);
    const random = fc.sample(fc.nat(1e6), { numRuns: 4_000, seed: 11 });
    let at = 0;
    const next = (below: number): number => (random[at++ % random.length] ?? 0) % below;
    // Few ids, few addresses, versions of every age, and requests that delete some of each, all colliding.
    const notes = Array.from({ length: 60 }, (_, n) => signed(n % 2 ? alice : bob, { content: `${n}` }));
    const versions = Array.from({ length: 240 }, (_, n) => {
      const kind = [0, 10_002, 30_023][n % 3] ?? 0;
      return signed(n % 2 ? alice : bob, {
        kind,
        created_at: 1 + next(20),
        tags: [['d', `${n % 5}`]],
        content: `version ${n}`,
      });
    });
    const deletions = Array.from({ length: 30 }, (_, n) => {
      const author = n % 2 ? alice : bob;
      const note = notes[next(notes.length)] as StorableEvent;
      const version = versions[next(versions.length)] as StorableEvent;
      const tags = [
        ['e', note.id],
        ['a', eventAddress(version) ?? ''],
      ];
      return signed(author, { kind: 5, created_at: 1 + next(20), tags, content: `${n}` });
    });
    const all = [...notes, ...versions, ...deletions];
    const outcomes = new Map<string, WriteOutcome[]>(all.map(({ id }) => [id, []]));
    const work = async (store: PostgresStore): Promise<void> => {
      const own = [...all].sort(() => next(3) - 1);
      while (own.length > 0) {
        const batch = own.splice(0, 1 + next(12));
        const written = await store.write(batch);
        for (const [index, event] of batch.entries()) outcomes.get(event.id)?.push(written[index] as WriteOutcome);
      }
    };
    await Promise.all([work(nodes[0]), work(nodes[1])]);
    for (const [id, both] of outcomes) {
      expect(both, id).toHaveLength(nodes.length);
      expect(both, id).not.toContain(undefined);
      expect(both.filter((outcome) => outcome === 'stored').length, id).toBeLessThanOrEqual(1);
    }

    // In any order the end is the same: every request, and of each address the newest version that none deletes.
    const once = new MemoryStore();
    once.write(deletions);
    once.write([...versions].sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? 1 : -1)));
    once.write(notes);
    const [a, b] = [await idsOf(nodes[0]), await idsOf(nodes[1])];
    expect(a).toEqual(b);
    expect(a).toEqual(await idsOf(once));
    // No row of a removed event is left in the index of tags.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      'SELECT count(*)::int AS n FROM heliograph.tags t LEFT JOIN heliograph.events e USING (seq) WHERE e.seq IS NULL',
    );
    await client.end();
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('RL93: a version that another relay committed after it was looked for and before its address was is a duplicate', async () => {
    const url = server.database();
    const store = await open(url);
    const [older, newer] = [1, 2].map((created_at) => signed(alice, { kind: 0, created_at })) as [
      StorableEvent,
      StorableEvent,
    ];
    await store.write([older]);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE heliograph.tags IN ACCESS EXCLUSIVE MODE');
    // It has found no event of this id, and waits for the tags to see whether one was deleted.
    const written = store.write([newer]);
    const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'heliograph.tags'::regclass`;
    await expect.poll(async () => (await other.query(waiting)).rows[0].n, { timeout: 20_000 }).toBe(1);
    const batch = JSON.stringify([eventRecord(newer)]);
    const first = await other.query('SELECT heliograph.write_events($1::json, false) AS outcomes', [batch]);
    await other.query('COMMIT');
    expect(first.rows[0].outcomes).toEqual(['stored']);
    expect(await written).toEqual(['duplicate']);
    expect(await idsOf(store)).toEqual([newer.id]);
    await other.end();
  });

  it('RL94: a database of the schema before is brought up to this one as it is opened', async () => {
    const url = server.database();
    const store = await open(url);
    await store.write([signed(alice, { content: 'kept' })]);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE heliograph.relay SET schema_version = 1');
    await client.query('DROP FUNCTION heliograph.write_events');
    const again = await open(url);
    expect(await again.write([signed(alice, { content: 'new' })])).toEqual(['stored']);
    expect(await idsOf(again)).toHaveLength(2);
    const { rows } = await client.query('SELECT schema_version FROM heliograph.relay');
    expect(rows).toEqual([{ schema_version: POSTGRES_SCHEMA_VERSION }]);
    await client.end();
  });

  it('RL93: an event and the request that deletes it, written at once on two relays, never both stay', async () => {
    const url = server.database();
    const [first, second] = await Promise.all([open(url), open(url)]);
    for (let n = 0; n < 40; n++) {
      const note = signed(alice, { content: `${n}` });
      const request = signed(alice, { kind: 5, tags: [['e', note.id]], content: `${n}` });
      const [[outcome]] = await Promise.all([first.write([note]), second.write([request])]);
      expect(['stored', 'deleted']).toContain(outcome);
      expect(await idsOf(first, { ids: [note.id, request.id] })).toEqual([request.id]);
    }
  });

  it('RL93: sweeps of two relays together take away each event once', async () => {
    const url = server.database();
    const nodes = await Promise.all([open(url), open(url)]);
    const ending = Array.from({ length: 50 }, (_, n) =>
      signed(alice, { content: `${n}`, tags: [['expiration', '500']] }),
    );
    await nodes[0].write(ending);
    let swept = 0;
    while (swept < 50) {
      const scope = { nowSec: 600, retention: [], maxEvents: 7 };
      const [a, b] = await Promise.all([nodes[0].sweep(scope), nodes[1].sweep(scope)]);
      expect(a + b).toBeGreaterThan(0);
      swept += a + b;
    }
    expect(swept).toBe(50);
  });

  it('RL131: its journal gives what was stored after a place, in order and in pages, and nothing that has expired', async () => {
    const store = await open();
    const [first, second, third] = ['1', '2', '3'].map((content) => signed(alice, { content })) as StorableEvent[];
    const over = signed(alice, { content: 'over', tags: [['expiration', '500']] });
    await store.write([first as StorableEvent]);
    const begin = await store.journal.end();
    for (const event of [second, over, third]) await store.write([event as StorableEvent]);
    const page = await store.journal.after(begin, 2);
    expect(page.entries).toEqual([{ json: second?.json, ageMs: expect.any(Number) }]);
    const rest = await store.journal.after(page.place, 2);
    expect(rest.entries.map(({ json }) => json)).toEqual([third?.json]);
    expect(rest.place).toBe(await store.journal.end());
    expect(await store.journal.after(rest.place, 2)).toEqual({ entries: [], place: rest.place });
    const ageMs = rest.entries[0]?.ageMs ?? -1;
    expect(ageMs >= 0 && ageMs < 60_000).toBe(true);
  });

  it('RL93: what one decides on keys, events and its name the other reads, with another version', async () => {
    const url = server.database();
    const [first, second] = await Promise.all([open(url), open(url)]);
    const before = await second.access.version();
    expect(await first.access.setKey(alice.publicKey, 'allow', 'a friend \u0000')).toBe(true);
    expect(await first.access.setKey(alice.publicKey, 'allow', 'a friend ')).toBe(false);
    await first.access.setKey(bob.publicKey, 'deny');
    await first.access.banEvent('ab'.repeat(32), 'spam');
    await first.access.setSetting('name', 'Ours');
    expect(await second.access.version()).not.toBe(before);
    expect(await readDecisions(second.access)).toMatchObject({
      rules: {
        allowed: new Set([alice.publicKey]),
        denied: new Set([bob.publicKey]),
        bannedEvents: new Set(['ab'.repeat(32)]),
      },
      name: 'Ours',
    });
    expect(await second.access.setKey(bob.publicKey, undefined)).toBe(true);
    expect(await second.access.setKey(bob.publicKey, undefined)).toBe(false);
    await second.access.unbanEvent('ab'.repeat(32));
    expect(await first.access.keys()).toEqual([{ pubkey: alice.publicKey, verdict: 'allow', reason: 'a friend ' }]);
    expect(await first.access.bannedEvents()).toEqual([]);
  });
});

describe('the database', () => {
  it('RL94: one that a later version made is refused, and one that can not be reached is named without its password', async () => {
    const url = server.database();
    await (await open(url)).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE heliograph.relay SET schema_version = 99');
    await client.end();
    expect(await openPostgresStore(url)).toMatchObject({
      ok: false,
      error: { code: 'too-new', message: expect.stringMatching(/schema 99/) },
    });
    const wrong = new URL(url);
    wrong.password = 'not-the-password';
    const missing = new URL(url);
    missing.pathname = '/nowhere';
    const silent = 'postgres://relay:not-the-password@127.0.0.1:1/relay';
    for (const [bad, mend] of [
      [wrong.href, /password is wrong/],
      [missing.href, /createdb/],
      [silent, /127\.0\.0\.1:1\/relay.*ECONNREFUSED.*--postgres/],
    ] as const) {
      const refused = await openPostgresStore(bad);
      expect(refused).toMatchObject({
        ok: false,
        error: { code: 'unreachable', message: expect.stringMatching(mend) },
      });
      expect(JSON.stringify(refused)).not.toContain('not-the-password');
    }
  });

  it('RL94: when it is away questions and writes fail and its trouble is told; once it is back all is as it was', async () => {
    const own = await PostgresServer.start();
    const store = await open(own.database());
    const [first, second] = [signed(alice, { content: '1' }), signed(alice, { content: '2' })];
    await store.write([first]);
    expect(await store.trouble()).toBeUndefined();
    expect(await store.sizeBytes()).toBeGreaterThan(1_000);
    await own.end('crash');
    await expect(store.query({}, everything)).rejects.toThrow();
    await expect(store.write([second])).rejects.toThrow();
    expect(await store.trouble()).toMatch(/PostgreSQL at 127\.0\.0\.1:\d+\/relay1 can't be used/);
    await own.resume();
    expect(await store.write([second, first])).toEqual(['stored', 'duplicate']);
    expect(await store.trouble()).toBeUndefined();
    expect((await idsOf(store)).sort()).toEqual([first.id, second.id].sort());
    await own.close();
  });
});
