// Keeps batch after batch by the archive's own code and prints the number of the newest record once it is committed.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { MadeSession, openParts } from './made-session.ts';

const { crypto } = selectNodeCrypto();
const { store, indexer, keep } = openParts(process.argv[2] ?? '', crypto);
if (store.meta('clean') === '0') store.noteInterruption(1_790_000_000);
store.setMeta('clean', '0');
const session = new MadeSession(randomUUID(), randomUUID(), crypto);
for (let turn = 1; ; turn++) {
  for (const event of session.turn(turn, 20, (chunk) => `word ${chunk} `)) keep([await session.seal([event])]);
  writeSync(1, `${store.head.n}\n`);
  indexer.flush();
  store.checkpoint(1_790_000_000);
}
