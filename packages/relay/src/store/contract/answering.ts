import { deepEqual, equal } from 'node:assert/strict';
import { type Filter, hexEncode, type VerifiedEvent } from '@heliograph/wire';
import type { Reader } from '../../visibility.ts';
import { alice, as, bob, byId, count, ids, type StoreRule, scope, template, write } from './store-rule.ts';

/** What questions are answered with, and to whom. */
export const ANSWERING: readonly StoreRule[] = [
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
