import { nobleCrypto } from '@heliograph/crypto/noble';
import { hexDecode, hexEncode } from '@heliograph/wire';
import fc from 'fast-check';
import { nip77 } from 'nostr-tools';
import { expect, it } from 'vitest';
import { Reconciler } from './negentropy.ts';

interface Item {
  readonly createdAtSec: number;
  readonly id: string;
}

/** Some twelve hundred items, many in one second, many ids alike at the front. */
const pool: readonly Item[] = Array.from({ length: 1_200 }, (_, n) => ({
  createdAtSec: 1_700_000_000 + Math.floor(n / 70),
  id: hexEncode(nobleCrypto.sha256(new Uint8Array([n % 256, n >> 8]))).replace(/^../, n % 3 === 0 ? 'aa' : 'ab'),
}));

function serve(items: readonly Item[]): Reconciler {
  const references = items.map(({ id, createdAtSec }) => ({ id: hexDecode(id), createdAtSec }));
  return new Reconciler(references, nobleCrypto);
}

/** What nostr-tools' side learns: which ids only it has, and which only we have. */
function reconcile(mine: readonly Item[], theirs: Reconciler): { have: string[]; need: string[]; rounds: number } {
  const storage = new nip77.NegentropyStorageVector();
  for (const { id, createdAtSec } of mine) storage.insert(createdAtSec, id);
  storage.seal();
  const client = new nip77.Negentropy(storage);
  const have = new Set<string>();
  const need = new Set<string>();
  let message: string | null = client.initiate();
  let rounds = 0;
  while (message !== null) {
    rounds += 1;
    if (rounds > 50) throw new Error('no end');
    const answer = theirs.answer(message);
    if (!answer.ok) throw new Error(answer.error.message);
    message = client.reconcile(
      answer.value,
      (id) => have.add(id),
      (id) => need.add(id),
    );
  }
  return { have: [...have].sort(), need: [...need].sort(), rounds };
}

function ids(items: readonly Item[], without: readonly Item[]): string[] {
  const others = new Set(without);
  return items
    .filter((item) => !others.has(item))
    .map(({ id }) => id)
    .sort();
}

it('RL42: nostr-tools finds exactly the differences of any two sets, in few rounds', () => {
  const subset = fc.oneof(
    fc.subarray([...pool]),
    fc.subarray([...pool], { minLength: 1_190 }),
    fc.subarray([...pool], { maxLength: 5 }),
  );
  fc.assert(
    fc.property(subset, subset, (mine, theirs) => {
      const { have, need, rounds } = reconcile(mine, serve(theirs));
      expect(have).toEqual(ids(mine, theirs));
      expect(need).toEqual(ids(theirs, mine));
      expect(rounds).toBeLessThan(12);
    }),
    { numRuns: 60 },
  );
});

it('RL42: a difference larger than one answer comes in several', () => {
  const many = Array.from({ length: 6_000 }, (_, n) => ({
    createdAtSec: n >> 4,
    id: hexEncode(nobleCrypto.sha256(new Uint8Array([n % 256, n >> 8, 1]))),
  }));
  const { need, have } = reconcile([], serve(many));
  expect(have).toEqual([]);
  expect(need).toEqual(ids(many, []));
});

it('RL42: another protocol version is answered with ours, and what is broken is an error, whatever it is', () => {
  const server = serve(pool);
  expect(server.answer('62')).toEqual({ ok: true, value: '61' });
  for (const broken of ['', '00', '6100', '610003', '61000001', '6100000205', '61ffffffffffffffffff00']) {
    expect(server.answer(broken), broken).toMatchObject({ ok: false, error: { code: 'malformed' } });
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const answer = server.answer(`61${hexEncode(bytes)}`);
      if (answer.ok) expect(answer.value.length).toBeLessThan(400_000);
    }),
  );
});
