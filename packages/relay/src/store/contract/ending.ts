import { deepEqual, equal } from 'node:assert/strict';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { eventSigner, type VerifiedEvent } from '@heliograph/wire';
import { alice, as, bob, count, deletion, ids, type StoreRule, scope, sweep, template, write } from './store-rule.ts';

/** What goes: deleted, expired, or older than it is kept. */
export const ENDING: readonly StoreRule[] = [
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
];
