// The store alone in a process of its own: writes small events and prints each id once it is committed. It starts in a
// third of the time of a whole relay, and commits by the same code.
import { writeSync } from 'node:fs';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { openSqliteStore, storableEvent } from '@heliograph/relay';
import { eventSigner } from '@heliograph/wire';

const key = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);
const store = openSqliteStore(process.argv[2] ?? '');
if (!store.ok) throw new Error(store.error.message);
for (;;) {
  const event = storableEvent(
    key.sign({ kind: 1, created_at: 1_700_000_000, tags: [['t', 'kill']], content: `${Math.random()}` }),
  );
  if (event !== undefined && store.value.write([event])[0] === 'stored') writeSync(1, `${event.id}\n`);
}
