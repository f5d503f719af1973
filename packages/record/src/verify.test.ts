import { describe, expect, it } from 'vitest';
import {
  agent,
  controlRecord,
  newArchive,
  openScene,
  owner,
  packer,
  SceneStream,
  verifyScene,
} from './testing/scene.ts';

/** Two sessions, a control, a checkpoint at record 12 and one record after it. */
async function keptArchive() {
  const scene = newArchive();
  const [run, one, two] = [new SceneStream('run', null), new SceneStream('s1'), new SceneStream('s2')];
  const started = run.event('harness_started', { wire: 1, run: 'run', keyMadeBy: 'agent' });
  scene.store.append([await run.seal(started)]);
  scene.store.append([...(await one.say(5)), ...(await two.say(5))]);
  scene.store.append([await controlRecord({ type: 'restart_agent' })]);
  const checkpoint = scene.store.checkpoint(1_790_000_100);
  scene.store.append(await one.say(1));
  return { ...scene, one, two, run, checkpoint: checkpoint?.id ?? '' };
}

type Scene = Awaited<ReturnType<typeof keptArchive>>;

const attacks: readonly (readonly [name: string, at: number, attack: (scene: Scene) => void])[] = [
  ['a byte of a ciphertext flipped', 3, ({ db }) => flip(db, 'bodies', 'content', 3)],
  ['a byte of a kept text flipped', 4, ({ db }) => rewriteText(db, 4, 'hello', 'jello')],
  ['a byte of a packed text flipped', 4, ({ db }) => flip(db, 'bodies', 'opening', 4)],
  ['a byte of a signature flipped', 5, ({ db }) => flip(db, 'bodies', 'sig', 5)],
  ["a byte of a record's hash flipped", 6, ({ db }) => flip(db, 'records', 'hash', 6)],
  ['an envelope hash flipped', 6, ({ db }) => flip(db, 'records', 'envelope', 6)],
  [
    'the time of receipt changed',
    7,
    ({ db }) => run(db, 'UPDATE records SET received_ms = received_ms + 1 WHERE n = 7'),
  ],
  ['a record deleted', 5, ({ db }) => run(db, 'DELETE FROM records WHERE n = 5')],
  ['a body deleted', 5, ({ db }) => run(db, 'DELETE FROM bodies WHERE n = 5')],
  ['an opening deleted', 5, ({ db }) => run(db, 'UPDATE bodies SET opening = NULL WHERE n = 5')],
  ['a signed event deleted', 5, ({ db }) => run(db, 'UPDATE bodies SET content = NULL WHERE n = 5')],
  ['a text deleted', 5, ({ db }) => run(db, 'UPDATE bodies SET text = NULL WHERE n = 5')],
  ['two records swapped', 4, ({ db }) => swap(db, 'records', 4, 8)],
  ['two bodies swapped', 4, ({ db }) => swap(db, 'bodies', 4, 8)],
  [
    'two records swapped whole',
    4,
    ({ db }) => {
      for (const table of ['records', 'bodies']) swap(db, table, 4, 8);
    },
  ],
  ['a record moved to another session', 3, ({ db }) => run(db, 'UPDATE records SET stream = 3 WHERE n = 3')],
  ['a session renamed', 2, ({ db }) => run(db, "UPDATE streams SET id = 's9' WHERE id = 's1'")],
  ['a record copied in', 14, ({ db }) => copyRow(db, 3, 14)],
  ['a record copied to another session', 14, ({ db }) => copyRow(db, 3, 14, 3)],
];

describe('verifier', () => {
  it('AR20: an archive left alone verifies: signatures, texts, both chains and the checkpoint', async () => {
    const { db, checkpoint } = await keptArchive();
    const report = verifyScene(db, { owner: owner.publicKey, witnesses: [checkpoint] });
    expect(report.problems).toEqual([]);
    expect(report).toMatchObject({
      ok: true,
      owner: owner.publicKey,
      records: { count: 13, first: 1, last: 13 },
      events: { whole: 13, contentDropped: 0 },
      texts: { proved: 13, redacted: 0, sealed: 0 },
      agents: [{ publicKey: agent.publicKey, keyMadeBy: 'agent', records: 13 }],
      streams: 3,
      gaps: [],
      checkpoint: { n: 12, id: checkpoint },
      afterCheckpoint: 1,
      witnessed: [{ hash: checkpoint, n: 12 }],
    });
  });

  it.each(attacks)('AR21: %s is found, and the first bad record named', async (_, at, attack) => {
    const scene = await keptArchive();
    attack(scene);
    const report = verifyScene(scene.db);
    expect(report.ok).toBe(false);
    expect(report.problems[0]?.n).toBe(at);
    expect(report.problems[0]?.message).toContain(String(at));
  });

  it('AR22: a record inserted with a hash of its own breaks the chain behind it and the signed checkpoint', async () => {
    const { db, store, one } = await keptArchive();
    // Written by someone with the file alone: the hashes fit, the signature on the checkpoint does not.
    run(db, 'DELETE FROM records WHERE n >= 10');
    run(db, 'DELETE FROM bodies WHERE n >= 10');
    const forged = openScene(db);
    forged.store.append([...(await one.say(4)).slice(1)]);
    expect(forged.store.head.n).toBe(store.head.n - 1);
    const report = verifyScene(db);
    expect(report.problems.map(({ code, n }) => [code, n])).toContainEqual(['checkpoint', 12]);
  });

  it('AR23: a tail that was cut is found past a witnessed checkpoint, and past a statement that is still there', async () => {
    const { db, checkpoint } = await keptArchive();
    run(db, 'DELETE FROM records WHERE n > 9');
    run(db, 'DELETE FROM bodies WHERE n > 9');
    const report = verifyScene(db, { witnesses: [checkpoint] });
    expect(report.problems[0]).toMatchObject({ code: 'missing', n: 10 });
    run(db, 'DELETE FROM statements');
    expect(verifyScene(db)).toMatchObject({ ok: true, afterCheckpoint: 9 });
    expect(verifyScene(db, { witnesses: [checkpoint] }).problems[0]).toMatchObject({ code: 'witness' });
  });

  it("AR24: a tail that an agent's later signed head names is told as a gap", async () => {
    const { db, store, run: harness, two } = await keptArchive();
    await two.say(3);
    store.append([await harness.seal(harness.event('heads', { streams: [two.head] }))]);
    const report = verifyScene(db);
    expect(report.gaps).toEqual([{ agent: agent.publicKey, stream: 's2', firstSeq: 6, lastSeq: 8 }]);
    expect(report.ok).toBe(true);
  });

  it('AR25: retention leaves a signed tombstone on which the rest verifies; without it the cut is found', async () => {
    const { db, store } = await keptArchive();
    store.prune(5, 'older than 30 days', 1_790_000_200);
    const report = verifyScene(db);
    expect(report.problems).toEqual([]);
    expect(report.tombstones).toMatchObject([{ first: 1, last: 5, reason: 'older than 30 days' }]);
    expect(report.records).toEqual({ count: 8, first: 6, last: 13 });
    expect(openScene(db).store.head).toEqual(store.head);
    store.prune(13, 'over 1 MB', 1_790_000_300);
    expect(verifyScene(db)).toMatchObject({ ok: true, records: { count: 0 } });
    expect(openScene(db).store.head).toEqual(store.head);
    run(db, "DELETE FROM statements WHERE type = 'tombstone' AND at_n = 5");
    expect(verifyScene(db).ok).toBe(false);
  });

  it('AR26: a statement removed, altered or signed by a key the owner did not vouch for is found', async () => {
    for (const attack of [
      'DELETE FROM statements WHERE s = 1',
      'UPDATE statements SET json = replace(json, \'"n","12"\', \'"n","11"\') WHERE s = 1',
      'UPDATE statements SET json = replace(json, \'"auth",\', \'"autc",\') WHERE s = 1',
    ]) {
      const { db, store } = await keptArchive();
      store.checkpoint(1_790_000_400);
      run(db, attack);
      expect(verifyScene(db).problems[0]?.code).toBe('statement');
    }
    const { db } = await keptArchive();
    expect(verifyScene(db, { owner: agent.publicKey }).problems[0]?.code).toBe('statement');
  });

  it('AR27: a text whose secrets were replaced verifies as redacted, at once or later, kept sealed or dropped', async () => {
    for (const secrets of ['seal', 'drop'] as const) {
      const { db, store, reader } = newArchive({ secrets });
      const stream = new SceneStream('s1');
      const token = `ghp_${'a1B2'.repeat(9)}`;
      store.append(await stream.say(1, `my ${token}`));
      store.append(await stream.say(2, 'later found'));
      const shown = [...reader.records({ from: 2, to: 2 })][0]?.text?.replace('later', 'something') ?? '';
      store.redact([{ n: 2, shown }], [{ kind: 'x', digest: '0011223344556677' }], 1_790_000_100);
      const report = verifyScene(db);
      expect(report.problems).toEqual([]);
      expect(report.texts).toEqual({ proved: 1, redacted: 2, sealed: 0 });
      expect(report.events).toEqual(
        secrets === 'seal' ? { whole: 3, contentDropped: 0 } : { whole: 1, contentDropped: 2 },
      );
      expect([...reader.records()][0]?.text).toContain('my [redacted:github-token]');
      expect(db.prepare('SELECT n, kind FROM redactions').all()).toEqual([
        { n: 1, kind: 'github-token' },
        { n: 2, kind: 'x' },
      ]);
      rewriteText(db, 2, 'something', 'anything');
      expect(verifyScene(db).problems[0]).toMatchObject({ code: 'text', n: 2 });
    }
  });

  it('AR28: an archive that ended without closing says after which record', async () => {
    const { db, store } = await keptArchive();
    store.noteInterruption(1_790_000_500);
    expect(verifyScene(db)).toMatchObject({ ok: true, interruptions: [{ afterRecord: 13 }], afterCheckpoint: 0 });
  });
});

type Db = Scene['db'];

function run(db: Db, sql: string): void {
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
}

function flip(db: Db, table: string, column: string, n: number): void {
  const bytes = db.prepare(`SELECT ${column} FROM ${table} WHERE n = ?`).pluck().get(n) as Buffer;
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE n = ?`).run(bytes, n);
}

function rewriteText(db: Db, n: number, from: string, to: string): void {
  const packed = db.prepare('SELECT text FROM bodies WHERE n = ?').pluck().get(n) as Buffer;
  const text = Buffer.from(packer.unpack(packed, 1e6)).toString().replace(from, to);
  db.prepare('UPDATE bodies SET text = ? WHERE n = ?').run(packer.pack(Buffer.from(text)), n);
}

function swap(db: Db, table: string, a: number, b: number): void {
  run(
    db,
    `UPDATE ${table} SET n = -1 WHERE n = ${a}; UPDATE ${table} SET n = ${a} WHERE n = ${b}; UPDATE ${table} SET n = ${b} WHERE n = -1`,
  );
}

function copyRow(db: Db, from: number, to: number, stream?: number): void {
  run(
    db,
    `INSERT INTO bodies SELECT ${to}, kind, tags, sig, content, opening, text FROM bodies WHERE n = ${from};
     INSERT INTO records SELECT ${to}, randomblob(32), role, agent, ${stream ?? 'stream'}, first_seq, last_seq, created_at, received_ms, envelope, text_sha, hash FROM records WHERE n = ${from}`,
  );
}
