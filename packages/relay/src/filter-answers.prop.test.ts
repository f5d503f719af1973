import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok, type VerifiedEvent } from '@heliograph/wire';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { MemoryStore } from './store/memory-store.ts';
import { openSqliteStore } from './store/sqlite-store.ts';
import { storableEvent } from './store/storable-event.ts';
import { filters, mayRead, obviouslyMatches, obviouslyStored, pool } from './testing/scripted-filters.ts';
import { agent, owner, ScriptedRelay, secondOwner, vouch } from './testing/scripted-relay.ts';

const readers = fc.constantFrom(owner, secondOwner, agent);
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
