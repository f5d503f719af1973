import { deepEqual, equal } from 'node:assert/strict';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { type EventTemplate, eventSigner, type Filter, hexEncode, type VerifiedEvent } from '@heliograph/wire';
import type { Reader } from '../visibility.ts';
import type { EventStore, QueryScope, SweepScope, WriteOutcome } from './event-store.ts';
import { storableEvent } from './storable-event.ts';

const alice = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);
const bob = eventSigner(new Uint8Array(32).fill(2), nobleCrypto);

/** One rule of SPEC RL1–RL8 and what shows it on an empty store; throws AssertionError. */
export interface StoreRule {
  readonly title: string;
  check(store: EventStore): Promise<void>;
}

/** What every store must do; each store's own test file runs all of it. */
export const STORE_CONTRACT: readonly StoreRule[] = [
  {
    title: 'RL1: keeps a regular event with its exact text, and calls the same id a duplicate',
    async check(store) {
      const note = alice.sign(template({ content: 'é "quoted" \u2028 \u0000' }));
      deepEqual(await write(store, note), ['stored']);
      deepEqual(await write(store, note), ['duplicate']);
      const found = await store.query({}, scope({ reader: as(bob.publicKey) }));
      deepEqual(
        found.map(({ id, createdAtSec, json }) => ({ id, createdAtSec, json })),
        [{ id: note.id, createdAtSec: note.created_at, json: note.json }],
      );
    },
  },
  {
    title: 'RL1: tells outcomes apart inside one batch',
    async check(store) {
      const note = alice.sign(template({}));
      const older = alice.sign(template({ kind: 0, created_at: 5 }));
      const newer = alice.sign(template({ kind: 0, created_at: 6 }));
      deepEqual(await write(store, note, note, newer, older), ['stored', 'duplicate', 'stored', 'superseded']);
      deepEqual(await write(store), []);
    },
  },
  {
    title: 'RL2: keeps only the newest version of a replaceable event per author and kind',
    async check(store) {
      for (const kind of [0, 3, 10_000, 19_999]) {
        const first = alice.sign(template({ kind, created_at: 10 }));
        const second = alice.sign(template({ kind, created_at: 20, tags: [['d', 'ignored']] }));
        const others = bob.sign(template({ kind, created_at: 15 }));
        deepEqual(await write(store, first, others, second), ['stored', 'stored', 'stored']);
        deepEqual(await ids(store, { kinds: [kind] }), [second.id, others.id]);
        deepEqual(await write(store, first), ['superseded']);
      }
    },
  },
  {
    title: 'RL2: keeps the lowest id of versions with the same created_at, whichever comes first',
    async check(store) {
      const versions = [1, 2, 3].map((n) => alice.sign(template({ kind: 10_002, content: `${n}` }))).sort(byId);
      const [lowest, middle, highest] = versions as [VerifiedEvent, VerifiedEvent, VerifiedEvent];
      deepEqual(await write(store, middle, highest, lowest), ['stored', 'superseded', 'stored']);
      deepEqual(await ids(store), [lowest.id]);
    },
  },
  {
    title: 'RL3: keeps only the newest version of an addressable event per author, kind and first d tag',
    async check(store) {
      const page = (created_at: number, tags: string[][], kind = 30_000): VerifiedEvent =>
        alice.sign(template({ kind, created_at, tags }));
      const a1 = page(10, [['d', 'a']]);
      const a2 = page(11, [
        ['d', 'a'],
        ['d', 'b'],
      ]);
      const b1 = page(9, [['d', 'b']]);
      const none = page(8, []);
      const empty = page(7, [['d', '']]);
      const otherKind = page(6, [['d', 'a']], 39_999);
      deepEqual(await write(store, a1, a2, b1, none), ['stored', 'stored', 'stored', 'stored']);
      deepEqual(await write(store, empty, otherKind), ['superseded', 'stored']);
      deepEqual(await ids(store), [a2.id, b1.id, none.id, otherKind.id]);
      deepEqual(await ids(store, { '#d': ['b'] }), [a2.id, b1.id]);
    },
  },
  {
    title: 'RL3: a replaced version is found by none of its tags',
    async check(store) {
      const tags = [
        ['d', 'a'],
        ['t', 'old\u0000tag'],
      ];
      const old = alice.sign(template({ kind: 30_000, created_at: 1, tags }));
      await write(store, old);
      deepEqual(await ids(store, { '#t': ['old\u0000tag'] }), [old.id]);
      await write(store, alice.sign(template({ kind: 30_000, created_at: 2, tags: [['d', 'a']] })));
      deepEqual(await ids(store, { '#t': ['old\u0000tag'] }), []);
    },
  },
  {
    title: 'RL5: answers newest first, ties by lowest id, cut to the newest that fit',
    async check(store) {
      const tied = [1, 2, 3].map((n) => alice.sign(template({ created_at: 50, content: `${n}` })));
      const newest = alice.sign(template({ created_at: 60 }));
      await write(store, ...tied, newest);
      const order = [newest, ...tied.sort(byId)].map((event) => event.id);
      deepEqual(await ids(store), order);
      deepEqual(await ids(store, {}, { maxEvents: 2 }), order.slice(0, 2));
      deepEqual(await ids(store, {}, { maxEvents: 0 }), []);
      deepEqual(await ids(store, {}, { maxBytes: newest.json.length + 10 }), order.slice(0, 1));
      const both = [alice.publicKey, bob.publicKey];
      deepEqual(await ids(store, { kinds: [1], authors: both }, { maxEvents: 3 }), order.slice(0, 3));
    },
  },
  {
    title: 'RL5: gives an event once when several values of one list match it',
    async check(store) {
      const tags = [
        ['t', 'x'],
        ['t', 'y'],
        ['t', 'x', 'again'],
      ];
      const note = alice.sign(template({ tags }));
      await write(store, note);
      deepEqual(await ids(store, { '#t': ['x', 'y'] }), [note.id]);
      const many = Array.from({ length: 100 }, (_, n) => `v${n}`);
      deepEqual(await ids(store, { '#t': [...many, 'x', 'y'] }), [note.id]);
      deepEqual(await ids(store, { '#t': ['x'], '#e': [note.id] }), []);
    },
  },
  {
    title: 'RL5: finds values, words and addresses of any length',
    async check(store) {
      const long = 'long '.repeat(2_000);
      const word = 'w'.repeat(9_000);
      const page = (created_at: number): VerifiedEvent => {
        const tags = [
          ['d', long],
          ['t', `${long}x`],
        ];
        return alice.sign(template({ kind: 30_023, created_at, tags, content: `some ${word} here` }));
      };
      const [older, newer] = [page(1), page(2)] as const;
      deepEqual(await write(store, older, newer), ['stored', 'stored']);
      deepEqual(await ids(store, { '#t': [`${long}x`], '#d': [long] }), [newer.id]);
      deepEqual(await ids(store, { '#t': [`${long}y`] }), []);
      deepEqual(await ids(store, { search: word }), [newer.id]);
      deepEqual(await ids(store, { search: `${word}w` }), []);
    },
  },
  {
    title: 'RL5: takes long lists, empty lists and bounds that no event meets',
    async check(store) {
      const note = alice.sign(template({ created_at: 50 }));
      await write(store, note);
      const strangers = Array.from({ length: 3_000 }, (_, n) => n.toString(16).padStart(64, '0'));
      deepEqual(await ids(store, { authors: [...strangers, alice.publicKey] }), [note.id]);
      deepEqual(await ids(store, { ids: [...strangers, note.id] }), [note.id]);
      deepEqual(await ids(store, { kinds: Array.from({ length: 200 }, (_, n) => n) }), [note.id]);
      const nothing: Filter[] = [
        { ids: [] },
        { authors: [] },
        { kinds: [] },
        { '#t': [] },
        { since: 51 },
        { until: 49 },
      ];
      for (const filter of nothing) deepEqual(await ids(store, filter), []);
      deepEqual(await ids(store, { since: 50, until: 50 }), [note.id]);
    },
  },
  {
    title: 'RL7: deletes what its author names, keeps the request, and does not let the event come back',
    async check(store) {
      const note = alice.sign(template({ created_at: 50, tags: [['t', 'x']] }));
      const request = deletion(alice, 10, ['e', note.id]);
      deepEqual(await write(store, note, request), ['stored', 'stored']);
      deepEqual(await ids(store), [request.id]);
      deepEqual(await ids(store, { '#t': ['x'] }), []);
      deepEqual(await write(store, note), ['deleted']);
    },
  },
  {
    title: 'RL7: a deletion request that comes before its event works too',
    async check(store) {
      const note = alice.sign(template({}));
      await write(store, deletion(alice, 10, ['e', note.id]));
      deepEqual(await write(store, note), ['deleted']);
    },
  },
  {
    title: 'RL7: nobody deletes what another wrote, before or after',
    async check(store) {
      const note = alice.sign(template({}));
      const later = alice.sign(template({ content: 'later' }));
      const page = alice.sign(template({ kind: 30_000, created_at: 5, tags: [['d', 'a']] }));
      const foreign = deletion(bob, 10, ['e', note.id], ['e', later.id], ['a', `30000:${alice.publicKey}:a`]);
      deepEqual(await write(store, note, page, foreign, later), ['stored', 'stored', 'stored', 'stored']);
      deepEqual((await ids(store, { kinds: [1, 30_000] })).sort(), [note.id, later.id, page.id].sort());
    },
  },
  {
    title: 'RL7: deleting a deletion request does nothing',
    async check(store) {
      const note = alice.sign(template({}));
      const request = deletion(alice, 10, ['e', note.id]);
      const undo = deletion(alice, 11, ['e', request.id]);
      deepEqual(await write(store, note, request, undo), ['stored', 'stored', 'stored']);
      deepEqual(await ids(store), [undo.id, request.id]);
      deepEqual(await write(store, note), ['deleted']);
      const late = deletion(alice, 12, ['e', note.id]);
      deepEqual(await write(store, deletion(alice, 13, ['e', late.id]), late), ['stored', 'stored']);
    },
  },
  {
    title: 'RL7: an a tag deletes versions up to the time of the request, and not later ones',
    async check(store) {
      const address = `30000:${alice.publicKey}:a`;
      const page = (created_at: number): VerifiedEvent =>
        alice.sign(template({ kind: 30_000, created_at, tags: [['d', 'a']] }));
      const profile = alice.sign(template({ kind: 0, created_at: 100 }));
      const request = deletion(alice, 100, ['a', address], ['a', `0:${alice.publicKey}:`]);
      deepEqual(await write(store, page(99), profile, request), ['stored', 'stored', 'stored']);
      deepEqual(await ids(store), [request.id]);
      deepEqual(await write(store, page(100), page(98)), ['deleted', 'deleted']);
      const later = page(101);
      deepEqual(await write(store, later), ['stored']);
      deepEqual(await write(store, deletion(alice, 100, ['a', address], ['k', '30000'])), ['stored']);
      deepEqual(await ids(store, { kinds: [30_000] }), [later.id]);
    },
  },
  {
    title: 'RL8: gives a private kind to its author and its p only, and counts the limit over what the reader may see',
    async check(store) {
      const usage = alice.sign(template({ kind: 44_200, created_at: 50, tags: [['p', bob.publicKey]] }));
      const hidden = Array.from({ length: 5 }, (_, n) =>
        alice.sign(template({ kind: 44_200, created_at: 60 + n, tags: [['p', alice.publicKey]] })),
      );
      await write(store, usage, ...hidden, alice.sign(template({ created_at: 40 })));
      const stranger = '3'.padStart(64, '0');
      const filters: Filter[] = [
        {},
        { ids: [usage.id, ...hidden.map((event) => event.id)] },
        { authors: [alice.publicKey] },
        { kinds: [44_200, 1] },
        { '#p': [bob.publicKey, alice.publicKey] },
        { authors: [alice.publicKey], kinds: [44_200] },
      ];
      for (const filter of filters) {
        equal((await ids(store, filter, { reader: as(stranger) })).includes(usage.id), false);
        equal((await ids(store, filter, { reader: as(alice.publicKey) })).includes(usage.id), true);
        equal((await ids(store, filter, { reader: as(bob.publicKey), maxEvents: 1 }))[0], usage.id);
        for (const { id } of hidden)
          equal((await ids(store, filter, { reader: as(bob.publicKey) })).includes(id), false);
      }
    },
  },
  {
    title: 'RL8: a guest gets the kinds that are open, and private kinds never',
    async check(store) {
      const note = alice.sign(template({ kind: 1, created_at: 3 }));
      const wrap = alice.sign(template({ kind: 1059, created_at: 2, tags: [['p', '']] }));
      const page = alice.sign(template({ kind: 30_023, created_at: 1, tags: [['d', 'a']] }));
      await write(store, note, wrap, page);
      const guest = (...kinds: (readonly [number, number])[]): Reader => ({ pubkey: undefined, kinds });
      deepEqual(await ids(store, {}, { reader: guest([1, 2]) }), [note.id]);
      deepEqual(await ids(store, {}, { reader: guest([0, 65_535]) }), [note.id, page.id]);
      deepEqual(await ids(store, { '#d': ['a'] }, { reader: guest([1, 2], [30_000, 39_999]) }), [page.id]);
      deepEqual(await ids(store, { '#p': [''] }, { reader: guest([0, 65_535]) }), []);
      deepEqual(await ids(store, {}, { reader: guest() }), []);
    },
  },
  {
    title: 'RL39: what has expired is in no answer, and a sweep takes a bounded number away for good',
    async check(store) {
      const ending = [1, 2, 3].map((n) =>
        alice.sign(
          template({
            content: `word${n}`,
            tags: [
              ['expiration', '500'],
              ['t', 'x'],
            ],
          }),
        ),
      );
      const lasting = alice.sign(template({ created_at: 5, tags: [['expiration', 'never']] }));
      deepEqual(await write(store, ...ending, lasting), ['stored', 'stored', 'stored', 'stored']);
      equal((await ids(store, {}, { nowSec: 499 })).length, 4);
      deepEqual(await ids(store, {}, { nowSec: 500 }), [lasting.id]);
      deepEqual(await ids(store, { '#t': ['x'] }, { nowSec: 500 }), []);
      deepEqual(await ids(store, { search: 'word1' }, { nowSec: 500 }), []);
      equal(await count(store, [{}], { nowSec: 500 }), 1);
      equal((await store.references({}, scope({ nowSec: 500 }), 10)).length, 1);
      equal(await sweep(store, { nowSec: 499 }), 0);
      equal(await sweep(store, { nowSec: 500, maxEvents: 2 }), 2);
      equal(await sweep(store, { nowSec: 500, maxEvents: 2 }), 1);
      equal(await sweep(store, { nowSec: 500 }), 0);
      deepEqual(await ids(store, {}, { nowSec: 1 }), [lasting.id]);
      deepEqual(await ids(store, { '#t': ['x'] }, { nowSec: 1 }), []);
      deepEqual(await ids(store, { search: 'word1' }, { nowSec: 1 }), []);
    },
  },
  {
    title: 'RL55: a sweep takes what is older than its kind is kept, oldest first, and never a deletion request',
    async check(store) {
      const note = (created_at: number, kind = 1): VerifiedEvent => alice.sign(template({ kind, created_at }));
      const [oldest, old, young, otherKind] = [note(10), note(20), note(960), note(10, 7)] as const;
      const request = deletion(alice, 5, ['e', 'ab'.repeat(32)]);
      await write(store, young, old, oldest, otherKind, request);
      const retention = [{ kinds: [[0, 6]], maxAgeSec: 50 }] as const;
      equal(await sweep(store, { retention, maxEvents: 1 }), 1);
      deepEqual(await ids(store), [young.id, old.id, otherKind.id, request.id]);
      equal(await sweep(store, { retention }), 1);
      equal(await sweep(store, { retention: [{ kinds: [[0, 65_535]], maxAgeSec: 50 }] }), 1);
      deepEqual(await ids(store), [young.id, request.id]);
    },
  },
  {
    title: 'RL40: COUNT counts each event once whatever filters meet it, and only what the reader may see',
    async check(store) {
      const tags = [
        ['t', 'x'],
        ['t', 'y'],
      ];
      const notes = [1, 2, 3].map((n) => alice.sign(template({ created_at: n, tags })));
      const hidden = bob.sign(template({ kind: 1059, tags: [['p', bob.publicKey]] }));
      await write(store, ...notes, hidden);
      equal(await count(store, []), 0);
      equal(await count(store, [{}]), 3);
      equal(await count(store, [{}], { reader: as(bob.publicKey) }), 4);
      equal(await count(store, [{ kinds: [1059] }, { ids: [hidden.id] }, { authors: [bob.publicKey] }]), 0);
      equal(await count(store, [{ '#t': ['x', 'y'] }, { kinds: [1] }, { authors: [alice.publicKey], limit: 1 }]), 3);
      equal(await store.count([{}], scope({}), 2), 2);
      const many = Array.from({ length: 64 }, (_, n) => n);
      const filters = Array.from({ length: 16 }, (_, n): Filter => ({ kinds: many, until: n }));
      equal(await count(store, filters), 3);
    },
  },
  {
    title: 'RL41: search finds whole words of any script without case and accents, in plain kinds only',
    async check(store) {
      const note = alice.sign(template({ created_at: 9, content: 'Crème brûlée, "quoted" OR ĐÀ NẴNG 東京 2026!' }));
      const page = alice.sign(template({ kind: 30_023, created_at: 8, content: 'creme', tags: [['d', 'a']] }));
      const hidden = [4, 13, 14, 1059, 44_200, 10_000, 30_078].map((kind) =>
        alice.sign(template({ kind, content: 'creme', tags: [['d', 'x']] })),
      );
      await write(store, note, page, ...hidden);
      deepEqual(await ids(store, { search: 'CREME' }), [note.id, page.id]);
      deepEqual(await ids(store, { search: 'creme quoted language:en' }), [note.id]);
      deepEqual(await ids(store, { search: 'crem' }), []);
      deepEqual(await ids(store, { search: '東京' }), [note.id]);
      deepEqual(await ids(store, { search: 'creme', kinds: [30_023], authors: [alice.publicKey], ids: [page.id] }), [
        page.id,
      ]);
      deepEqual(await ids(store, { search: 'creme', '#d': ['a'] }), [page.id]);
      deepEqual(await ids(store, { search: 'creme', kinds: [4, 44_200] }), []);
      for (const search of ['', '"', '* AND (', 'include:spam', 'NEAR(a b)'])
        deepEqual(await ids(store, { search }), []);
      equal(await count(store, [{ search: 'creme' }]), 2);
      equal(await store.remove(note.id), true);
      deepEqual(await ids(store, { search: 'creme' }), [page.id]);
      await write(store, alice.sign(template({ kind: 30_023, created_at: 9, content: 'other', tags: [['d', 'a']] })));
      deepEqual(await ids(store, { search: 'creme' }), []);
    },
  },
  {
    title: 'RL43: the key a gift wrap is addressed to may delete it, before or after it comes, and nobody else',
    async check(store) {
      const wrap = (n: number): VerifiedEvent =>
        alice.sign(template({ kind: 1059, content: `${n}`, tags: [['p', bob.publicKey]] }));
      const reader = as(bob.publicKey);
      const [first, second] = [wrap(1), wrap(2)];
      const foreign = eventSigner(new Uint8Array(32).fill(3), nobleCrypto);
      await write(store, first, foreign.sign(template({ kind: 5, tags: [['e', first.id]] })));
      deepEqual(await ids(store, { kinds: [1059] }, { reader }), [first.id]);
      await write(store, deletion(bob, 20, ['e', first.id], ['e', second.id], ['k', '1059']));
      deepEqual(await ids(store, { kinds: [1059] }, { reader }), []);
      deepEqual(await write(store, first, second), ['deleted', 'deleted']);
    },
  },
  {
    title: 'RL42: references name what a query would give, newest first',
    async check(store) {
      const notes = [1, 2, 3].map((n) => alice.sign(template({ created_at: n })));
      await write(store, ...notes);
      const named = await store.references({ kinds: [1] }, scope({}), 2);
      deepEqual(
        named.map(({ id, createdAtSec }) => [hexEncode(id), createdAtSec]),
        [notes[2], notes[1]].map((event) => [event?.id, event?.created_at]),
      );
    },
  },
];

async function write(store: EventStore, ...events: VerifiedEvent[]): Promise<readonly WriteOutcome[]> {
  const kept = events.map(storableEvent);
  return store.write(kept.filter((event) => event !== undefined));
}

async function ids(store: EventStore, filter: Filter = {}, bounds: Partial<QueryScope> = {}): Promise<string[]> {
  return (await store.query(filter, scope(bounds))).map((event) => event.id);
}

function as(pubkey: string): Reader {
  return { pubkey, kinds: undefined };
}

async function count(store: EventStore, filters: readonly Filter[], bounds: Partial<QueryScope> = {}): Promise<number> {
  return store.count(filters, scope(bounds), 1_000);
}

async function sweep(store: EventStore, scope: Partial<SweepScope>): Promise<number> {
  return store.sweep({ nowSec: 1_000, retention: [], maxEvents: 100, ...scope });
}

function scope(bounds: Partial<QueryScope>): QueryScope {
  return { reader: as(alice.publicKey), nowSec: 1_000, maxEvents: 100, maxBytes: 1e9, ...bounds };
}

function template(fields: Partial<EventTemplate>): EventTemplate {
  return { kind: 1, created_at: 10, tags: [], content: '', ...fields };
}

function deletion(author: typeof alice, created_at: number, ...tags: string[][]): VerifiedEvent {
  return author.sign(template({ kind: 5, created_at, tags }));
}

function byId(a: VerifiedEvent, b: VerifiedEvent): number {
  return a.id < b.id ? -1 : 1;
}
