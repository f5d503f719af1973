import { describe, expect, it } from 'vitest';
import { agent, controlRecord, newArchive, openScene, SceneStream } from './testing/scene.ts';

describe('record store', () => {
  it('AR10: keeps the signed event exactly as received beside its text, and reads it back', async () => {
    const { store, reader } = newArchive();
    const stream = new SceneStream('s1');
    const records = await stream.say(3);
    expect(store.append(records).numbers).toEqual([1, 2, 3]);
    const kept = [...reader.records()];
    for (const [at, record] of records.entries()) {
      const { event, opened } = record;
      const { id, sig, tags, kind, content, createdAtSec, agent: of, text } = kept[at] ?? {};
      expect({ id, sig, tags: JSON.parse(tags ?? ''), kind, content, created_at: createdAtSec, pubkey: of }).toEqual(
        JSON.parse(event.json),
      );
      expect(text).toBe(opened?.text);
    }
    expect([...reader.events(agent.publicKey, 's1', 2, 3)]).toEqual(records.slice(1).flatMap((r) => r.opened?.events));
  });

  it('AR11: what is held already is kept once: the same event, and the same envelope in another event', async () => {
    const { store, reader } = newArchive();
    const stream = new SceneStream('s1');
    const [record] = await stream.say(1);
    if (record === undefined) throw new Error('no record');
    const again = (await import('./testing/scene.ts')).telemetryRecord(record.opened?.text ?? '');
    expect(store.append([record, record, await again]).numbers).toEqual([1, undefined, undefined]);
    expect(reader.about().records).toBe(1);
  });

  it('AR12: a batch is kept whole or not at all, and the chain goes on after a fault', async () => {
    const { db, store, reader } = newArchive();
    const stream = new SceneStream('s1');
    const [first, second, third] = await stream.say(3);
    if (first === undefined || second === undefined || third === undefined) throw new Error('no records');
    store.append([first]);
    db.exec("CREATE TRIGGER fail BEFORE INSERT ON bodies WHEN new.n = 3 BEGIN SELECT raise(ABORT, 'disk'); END");
    expect(() => store.append([second, third])).toThrow('disk');
    expect(reader.about().records).toBe(1);
    db.exec('DROP TRIGGER fail');
    expect(store.append([second, third]).numbers).toEqual([2, 3]);
    const reopened = openScene(db);
    expect(reopened.store.head).toEqual(store.head);
  });

  it('AR13: pages of a session reach from the newest line to the first and back, over streams', async () => {
    const { db, store, reader } = newArchive();
    for (const id of ['s1', 's2']) {
      const stream = new SceneStream(id, 'one channel');
      for (const record of await stream.say(5, id)) store.append([record]);
    }
    expect(db.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(1);
    expect(reader.sessions({ agent: agent.publicKey })).toMatchObject([{ session: 1, streams: ['s1', 's2'] }]);
    expect(reader.sessions({ session: 2 })).toEqual([]);
    const seen: string[] = [];
    let page = reader.lines(1, { limit: 3 });
    for (;;) {
      seen.unshift(...page.lines.map(({ stream, seq }) => `${stream} ${seq}`));
      if (page.before === undefined) break;
      page = reader.lines(1, { before: page.before, limit: 3 });
    }
    const all = ['s1', 's2'].flatMap((id) => [1, 2, 3, 4, 5].map((seq) => `${id} ${seq}`));
    expect(seen).toEqual(all);
    const forward = reader.lines(1, { after: { stream: 's1', seq: 4 }, limit: 4 });
    expect(forward.lines.map(({ stream, seq }) => `${stream} ${seq}`)).toEqual(all.slice(3, 7));
    expect(reader.lines(1, { after: { stream: 's1', seq: 1 }, limit: 99 }).after).toBeUndefined();
  });

  it('AR133: lines in which secrets were replaced are marked with the places, and no others', async () => {
    const { store, reader } = newArchive();
    const stream = new SceneStream('s1');
    const key = `npm_${'a1B2'.repeat(9)}`;
    store.append([...(await stream.say(1, `token ${key}`)), ...(await stream.say(1, 'as [redacted:npm-token]'))]);
    const [marked, plain] = reader.lines(1, { limit: 9 }).lines;
    expect(marked).toMatchObject({
      redacted: ['/params/text'],
      payload: expect.stringContaining('[redacted:npm-token]'),
    });
    expect(plain?.payload).toContain('[redacted:npm-token]');
    expect(plain?.redacted).toBeUndefined();
    expect([...reader.events(agent.publicKey, 's1', 1, 1)]).toEqual([marked]);
  });

  it('AR14: what is not there is a named gap: between frames, before a head that was told, and what the harness lost', async () => {
    const { db, store } = newArchive();
    const [run, stream] = [new SceneStream('run', null), new SceneStream('s1')];
    const records = await stream.say(9);
    await store.append([0, 1, 4, 5].flatMap((at) => records[at] ?? []));
    const heads = run.event('heads', { streams: [stream.head] });
    const gap = stream.event('observer_telemetry_gap', { firstSeq: 3, lastSeq: 4, reasonCounts: { evicted: 2 } });
    store.append([await run.seal(heads), await stream.seal(gap)]);
    const gaps = db.prepare('SELECT stream, first_seq, last_seq, reason FROM gaps ORDER BY first_seq').all();
    expect(gaps).toEqual([
      { stream: 's1', first_seq: 3, last_seq: 4, reason: 'lost by the harness: evicted' },
      { stream: 's1', first_seq: 7, last_seq: 9, reason: 'never received' },
    ]);
  });

  it('AR15: controls stand beside what became of them', async () => {
    const { db, store } = newArchive();
    const stream = new SceneStream('s1');
    const requestId = '00000000-0000-4000-8000-000000000001';
    const issuedAt = '2026-11-30T09:00:00Z';
    const control = await controlRecord({ type: 'cancel_turn', channelId: 'channel of s1', requestId, issuedAt });
    const result = stream.event('control_result', { type: 'cancel_turn', requestId, status: 'cancelled' });
    store.append([control, await stream.seal(result)]);
    expect(db.prepare('SELECT type, issued_at, status, session FROM controls').all()).toEqual([
      { type: 'cancel_turn', issued_at: issuedAt, status: 'cancelled', session: 1 },
    ]);
  });

  it('AR16: in ciphertext-only mode no text is kept, and the file says so', async () => {
    const { db, store, reader } = newArchive({ atRest: 'sealed' });
    const stream = new SceneStream('s1');
    store.append(await stream.say(2, 'marker word'));
    store.append([await controlRecord({ type: 'restart_agent' })]);
    for (const record of reader.records()) {
      expect(record.text).toBeUndefined();
      expect(record.opening).toBeUndefined();
      expect(record.content).toBeDefined();
    }
    expect(db.prepare('SELECT note FROM about').pluck().get()).toContain('Only ciphertext');
    expect(db.prepare('SELECT count(*) FROM controls').pluck().get()).toBe(0);
    expect(db.serialize().includes('marker')).toBe(false);
  });
});
