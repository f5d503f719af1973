import { deepEqual } from 'node:assert/strict';
import type { VerifiedEvent } from '@heliograph/wire';
import { alice, as, bob, byId, ids, type StoreRule, scope, template, write } from './store-rule.ts';

/** What is kept of what is written. */
export const KEEPING: readonly StoreRule[] = [
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
];
