// The store alone in a process of its own: writes events and prints each id once it is committed. It starts in a fraction
// of the time of a whole relay, and commits by the same code. The events (a file of JSON lines, read from the given line
// on) were signed by who started it, so that no time goes into what is not tested here.
import { createHash } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { openSqliteStore, storableEvent } from '@heliograph/relay';
import { beginVerification, type NostrEvent } from '@heliograph/wire';

const [, , dataDir = '', eventsFile = '', first = '0'] = process.argv;
const store = openSqliteStore(dataDir);
if (!store.ok) throw new Error(store.error.message);
const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
for (const line of readFileSync(eventsFile, 'utf8').split('\n').slice(Number(first))) {
  const pending = beginVerification(JSON.parse(line) as NostrEvent, { sha256 });
  const event = pending.ok ? pending.value.settle(true) : pending;
  const kept = event.ok ? storableEvent(event.value) : undefined;
  if (kept !== undefined && store.value.write([kept])[0] === 'stored') writeSync(1, `${kept.id}\n`);
}
