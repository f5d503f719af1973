import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedEvent } from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { createReader, rebuildShown } from '@heliograph/record';
import { splitPayload } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packer, searchArchive, verifyArchiveFile } from '../src/index.ts';
import { makeViews, remakeViews } from '../src/views-anew.ts';
import { MadeSession, openParts } from './support/made-session.ts';

const { crypto } = selectNodeCrypto();
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-views-'));
  path = join(folder, 'archive.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Everything the views tell of turns and items, without this file's own numbers. */
function told(db: Database.Database): unknown[] {
  const turns = db.prepare(
    'SELECT stream, turn_id, source, status, outcome, started_at, ended_at, first_seq, last_seq FROM turns ORDER BY stream, first_seq',
  );
  const items = db.prepare(
    `SELECT t.turn_id, i.id, i.kind, i.at, i.first_seq, i.last_seq, x.title, x.text, x.input, x.output, o.status
     FROM item_rows i JOIN turns t USING (turn) JOIN texts x USING (item) LEFT JOIN tool_rows o USING (item) ORDER BY t.stream, i.first_seq, i.id`,
  );
  return [...turns.all(), ...items.all()];
}

async function framesOf(
  session: MadeSession,
  turns: number,
  chunks: number,
  perFrame: number,
): Promise<ReceivedEvent[]> {
  const frames: ReceivedEvent[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const events = session.turn(turn, chunks, (chunk) => `turn ${turn} word ${chunk} `);
    for (let at = 0; at < events.length; at += perFrame)
      frames.push(await session.seal(events.slice(at, at + perFrame)));
  }
  return frames;
}

describe('views', () => {
  it('AR43: they say the same however frames came: at once, one by one, late, or made again after a crash', async () => {
    const session = new MadeSession('s1', 'c1', crypto);
    const opened = await session.seal([session.event('stream_opened', { channelId: 'c1' })]);
    const frames = [opened, ...(await framesOf(session, 12, 8, 3))];
    const results: unknown[][] = [];
    const orders: ((keep: (frames: readonly ReceivedEvent[]) => void, flush: () => void) => void)[] = [
      (keep, flush) => {
        keep(frames);
        flush();
      },
      (keep, flush) => {
        for (const frame of frames) {
          keep([frame]);
          flush();
        }
      },
      (keep, flush) => {
        // A hole in the middle is filled after the rest was shown, the newest of it first.
        keep([...frames.slice(0, 10), ...frames.slice(25)]);
        flush();
        for (const frame of frames.slice(10, 25).reverse()) {
          keep([frame]);
          flush();
        }
      },
    ];
    for (const [at, order] of orders.entries()) {
      const { keep, indexer, file } = openParts(`${path}.${at}`, crypto);
      order(keep, () => indexer.flush());
      results.push(told(file.db));
      file.close();
    }
    const crashed = openParts(path, crypto);
    crashed.keep(frames.slice(0, 20));
    crashed.indexer.flush();
    crashed.keep(frames.slice(20));
    crashed.file.close();
    const again = openParts(path, crypto);
    for (const _ of again.indexer.catchUp());
    results.push(told(again.file.db));
    again.file.close();
    expect(results[0]).toHaveLength(12 * 4);
    for (const result of results.slice(1)) expect(result).toEqual(results[0]);
  });

  it('AR44: a long session is folded in windows of turns, and its last turn reads as its first', async () => {
    const session = new MadeSession('s1', 'c1', crypto);
    const { keep, indexer, file } = openParts(path, crypto);
    for (const frame of await framesOf(session, 60, 150, 50)) keep([frame]);
    indexer.flush();
    const db = file.db;
    expect(db.prepare("SELECT count(*) FROM turns WHERE outcome = 'completed'").pluck().get()).toBe(60);
    expect(db.prepare("SELECT count(*) FROM turns WHERE source = 'none'").pluck().get()).toBe(0);
    expect(db.prepare("SELECT count(*) FROM item_rows WHERE kind = 'gap'").pluck().get()).toBe(0);
    const texts = db.prepare("SELECT text FROM messages WHERE author = 'agent' ORDER BY at").pluck().all() as string[];
    expect(texts).toHaveLength(60);
    for (const [at, text] of texts.entries()) {
      expect(text).toBe(Array.from({ length: 150 }, (_, chunk) => `turn ${at + 1} word ${chunk} `).join(''));
    }
    expect(searchArchive(db, { text: '"turn 60 word 149"', limit: 5 })).toHaveLength(1);
    expect(searchArchive(db, { question: 'no-decision', limit: 100 })).toHaveLength(60);
    const shown = told(db);
    rebuildShown(db, createReader(file.reading, packer, crypto).records(), crypto);
    makeViews(db, db, crypto);
    expect(told(db)).toEqual(shown);
    file.close();
  });

  it('AR106: what could not be shown for a fault is made up for, of a stream that says nothing more too', async () => {
    const [silent, other] = [new MadeSession('s1', 'c1', crypto), new MadeSession('s2', 'c2', crypto)];
    const { keep, indexer, file } = openParts(path, crypto);
    const [first, ...rest] = await framesOf(silent, 2, 4, 50);
    keep(first === undefined ? [] : [first]);
    indexer.flush();
    file.db.exec("CREATE TEMP TRIGGER full BEFORE INSERT ON main.item_rows BEGIN SELECT RAISE(ABORT, 'no room'); END");
    keep(rest);
    keep(await framesOf(other, 1, 4, 50));
    expect(() => indexer.flush()).toThrow('no room');
    keep(await framesOf(other, 1, 2, 50));
    expect(() => indexer.flush()).toThrow('no room');
    file.db.exec('DROP TRIGGER temp.full');
    // A stream a call, and what is kept between the calls too.
    expect(indexer.flush()).toBe(true);
    keep(await framesOf(other, 1, 2, 50));
    for (let calls = 1; indexer.flush(); calls++) expect(calls).toBeLessThan(10);
    const turns = file.db.prepare('SELECT stream, count(*) FROM turns GROUP BY stream ORDER BY stream').raw();
    expect(turns.all()).toEqual([
      ['s1', 2],
      ['s2', 1],
    ]);
    const shown = told(file.db);
    rebuildShown(file.db, createReader(file.reading, packer, crypto).records(), crypto);
    makeViews(file.db, file.db, crypto);
    expect(told(file.db)).toEqual(shown);
    file.close();
  });

  it('AR111: what a harness said it no longer had is a named gap, also when all is made anew, and no view differs for it', async () => {
    const session = new MadeSession('s1', 'c1', crypto);
    const frames = await framesOf(session, 3, 8, 3);
    const { keep, indexer, store, file } = openParts(path, crypto);
    keep(frames.filter((_, at) => at !== 4));
    indexer.flush();
    const gaps = () => file.db.prepare('SELECT first_seq, last_seq, reason FROM gaps').raw().all();
    expect(gaps()).toEqual([[13, 14, 'never received']]);
    store.noteLost(session.agent, 's1', 13, 14);
    const named = [[13, 14, 'the harness no longer had it when it was asked']];
    expect(gaps()).toEqual(named);
    rebuildShown(file.db, createReader(file.reading, packer, crypto).records(), crypto);
    makeViews(file.db, file.db, crypto);
    expect(gaps()).toEqual(named);
    store.checkpoint(1_790_000_000);
    file.close();
    expect(verifyArchiveFile(path, { crypto })).toMatchObject({ ok: true, value: { ok: true } });
  });

  it('AR33: a secret that was cut over two chunks is in no readable text of the file, and what is left verifies', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    for (const secrets of ['seal', 'drop'] as const) {
      const name = `${path}.${secrets}`;
      const session = new MadeSession('s1', 'c1', crypto);
      const { keep, indexer, file } = openParts(name, crypto, secrets);
      const words = ['the token is ', token.slice(0, 20), `${token.slice(20)} and no more`];
      for (const event of session.turn(1, 3, (chunk) => words[chunk] ?? '')) keep([await session.seal([event])]);
      indexer.flush();
      const text = file.db.prepare("SELECT text FROM messages WHERE author = 'agent'").pluck().get();
      expect(text).toBe('the token is [redacted:github-token] and no more');
      const lines = [...openReader(file, session)].map(({ payload }) => payload).join('\n');
      for (const piece of [token.slice(0, 20), token.slice(20)]) expect(lines).not.toContain(piece);
      expect(file.db.prepare('SELECT DISTINCT kind FROM redactions').pluck().all()).toEqual(['github-token']);
      expect(searchArchive(file.db, { question: 'secrets', limit: 9 })).toHaveLength(1);
      const bare = file.db.prepare('SELECT count(*) FROM bodies WHERE opening IS NULL').pluck().get();
      expect(bare).toBe(2);
      file.close();
      const report = verifyArchiveFile(name, { crypto });
      expect(report).toMatchObject({ ok: true, value: { problems: [], texts: { redacted: 2 } } });
      expect(readFileSync(name).includes(token.slice(0, 20))).toBe(false);
    }
  });
});

it('AR140: a call whose result came in parts is shown as one where a secret stands in a part, or is cut over two', async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const session = new MadeSession('s1', 'c1', crypto);
  const { keep, indexer, file } = openParts(path, crypto);
  keep([await session.seal([session.event('stream_opened', { channelId: 'c1' })])]);
  const places = [10, 60, 90, 120, 150, 180];
  for (const before of places) {
    const { seq } = session.says('-');
    const update = {
      sessionUpdate: 'tool_call',
      toolCallId: `call-${before}`,
      title: 'Read',
      kind: 'read',
      status: 'completed',
      rawOutput: `${'x'.repeat(before)} ${token} ${'y'.repeat(700)}`,
    };
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });
    const pieces = splitPayload('acp_read', line, seq + 1, 400) ?? [];
    for (const piece of pieces) keep([await session.seal([session.event('acp_part', JSON.parse(piece))])]);
  }
  indexer.flush();
  const calls = () => file.db.prepare('SELECT tool_call_id, status, output FROM tool_calls ORDER BY first_seq').all();
  const shown = places.map((before) => ({
    tool_call_id: `call-${before}`,
    status: 'completed',
    output: `"${'x'.repeat(before)} [redacted:github-token] ${'y'.repeat(700)}"`,
  }));
  expect(calls()).toEqual(shown);
  remakeViews(file.db, file.reading, crypto);
  expect(calls()).toEqual(shown);
  expect(searchArchive(file.db, { question: 'secrets', limit: 9 })).toHaveLength(places.length);
  const lines = [...openReader(file, session)].map(({ payload }) => payload).join('\n');
  for (const piece of [token.slice(0, 20), token.slice(20)]) expect(lines).not.toContain(piece);
  file.close();
  expect(verifyArchiveFile(path, { crypto })).toMatchObject({ ok: true, value: { problems: [] } });
});

it("AR33: when its pieces can't be replaced nothing shows it, and all of them are as soon as they can", async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const session = new MadeSession('s1', 'c1', crypto);
  const { keep, indexer, store, file } = openParts(path, crypto);
  const words = ['the token is ', token.slice(0, 20), `${token.slice(20)} and no more`];
  for (const event of session.turn(1, 3, (chunk) => words[chunk] ?? '')) keep([await session.seal([event])]);
  // The second of its two pieces fails, as on a full disk; what is there then is what a crash would leave.
  file.db.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON main.statements
    WHEN NEW.type = 'redaction' AND EXISTS (SELECT 1 FROM main.statements WHERE type = 'redaction')
    BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  expect(() => indexer.flush()).toThrow('no room');
  expect(file.db.prepare('SELECT count(*) FROM turn_rows').pluck().get()).toBe(0);
  file.db.exec('DROP TRIGGER temp.full');
  indexer.flush();
  const lines = [...openReader(file, session)].map(({ payload }) => payload).join('\n');
  for (const piece of [token.slice(0, 20), token.slice(20)]) expect(lines).not.toContain(piece);
  store.checkpoint(1_790_000_000);
  file.close();
  const report = verifyArchiveFile(path, { crypto });
  expect(report).toMatchObject({ ok: true, value: { ok: true, problems: [], texts: { redacted: 2 } } });
});

function openReader(file: ReturnType<typeof openParts>['file'], session: MadeSession) {
  const reader = createReader(file.reading, packer, crypto);
  return reader.events(session.agent, session.stream, 1, 1e9);
}
