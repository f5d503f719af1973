import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import Database from 'better-sqlite3';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeFault, joinArchiveFile } from '../src/archive-file.ts';
import { searchArchive, verifyArchiveFile } from '../src/index.ts';
import { Keeper } from '../src/keeper.ts';
import { applyRetention, usedBytes } from '../src/retention.ts';
import { MadeSession, openParts } from './support/made-session.ts';

const { crypto } = selectNodeCrypto();
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-faults-'));
  path = join(folder, 'archive.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const verify = (file = path) => {
  const report = verifyArchiveFile(file, { crypto });
  if (!report.ok) throw new Error(report.error.message);
  return report.value;
};

describe('faults', () => {
  it('AR60: killed a hundred times in a burst of writes it opens, verifies, lost nothing it had committed, and says when', async () => {
    const program = await bundle('keep-until-killed');
    const files = ['a', 'b', 'c', 'd', 'e'].map((name) => `${path}.${name}`);
    const committed = await Promise.all(files.map((file) => killOften(program, file, 20)));
    for (const [at, file] of files.entries()) {
      const report = verify(file);
      expect(report.problems).toEqual([]);
      expect(report.records.last).toBeGreaterThanOrEqual(committed[at] ?? 0);
      expect(report.gaps).toEqual([]);
      expect(report.interruptions).toHaveLength(19);

      const { indexer, file: opened } = openParts(file, crypto);
      for (const _ of indexer.catchUp());
      const count = (what: string) => opened.db.prepare(`SELECT count(*) FROM ${what}`).pluck().get() as number;
      expect(count('streams WHERE viewed_n = 0')).toBe(0);
      expect(count("turns WHERE status = 'ended'")).toBeGreaterThanOrEqual(20);
      expect(count("messages WHERE author = 'user'")).toBeGreaterThanOrEqual(count("turns WHERE status = 'ended'"));
      opened.close();
    }
  }, 240_000);

  it('AR61: on a full disk what arrives waits, the trouble is told, nothing is overwritten, and it goes on once there is room', async () => {
    const { store, indexer, opener, file } = openParts(path, crypto);
    const said: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (_: object, text: string) => said.push(text) };
    let recovered = 0;
    const keeper = new Keeper({
      store,
      indexer,
      opener,
      keeps: () => true,
      nowMs: () => 1_790_000_000_000,
      log,
      describe: (cause) => describeFault(path, cause),
      onRecovered: () => recovered++,
      onKept: () => {},
    });
    const session = new MadeSession('s1', 'c1', crypto);
    for (const event of session.turn(1, 5, () => 'fits ')) keeper.take(await session.seal([event]));
    keeper.flush();
    const before = store.head.n;
    file.db.pragma(`max_page_count = ${file.db.pragma('page_count', { simple: true })}`);
    for (const event of session.turn(2, 200, () => crypto.randomBytes(300).toString())) {
      keeper.take(await session.seal([event]));
    }
    keeper.flush();
    expect(keeper.trouble).toMatchObject({ code: 'not-writable', message: expect.stringContaining('disk') });
    expect(said).toHaveLength(1);
    expect(store.head.n).toBe(before);
    file.db.pragma('max_page_count = 1000000');
    keeper.flush();
    expect(keeper.trouble).toBeUndefined();
    expect(store.head.n).toBe(before + 206);
    expect(recovered).toBe(0);
    keeper.close();
    file.close();
    expect(verify()).toMatchObject({ ok: true, gaps: [] });
  });

  it('AR62: broken pages are found, the first record behind them named, and nothing is written over', async () => {
    const { store, keep, file } = openParts(path, crypto);
    const session = new MadeSession('s1', 'c1', crypto);
    for (const event of session.turn(1, 400, (chunk) => `${chunk} ${'x'.repeat(200)}`))
      keep([await session.seal([event])]);
    store.checkpoint(1_790_000_000);
    file.close();
    const size = statSync(path).size;
    const handle = openSync(path, 'r+');
    for (let at = 0.4; at < 0.6; at += 0.01)
      writeSync(handle, Buffer.alloc(4_096, 0xa5), 0, 4_096, Math.floor((size * at) / 4_096) * 4_096);
    const outcome = verifyArchiveFile(path, { crypto });
    if (outcome.ok) {
      expect(outcome.value.ok).toBe(false);
      expect(outcome.value.problems[0]?.n).toBeGreaterThan(1);
    } else expect(outcome.error.code).toBe('damaged');
    expect(statSync(path).size).toBe(size);

    writeFileSync(path, 'not a database at all, but long enough to look like one '.repeat(100));
    expect(() => openParts(path, crypto)).toThrow(/damaged or no database/);
    expect(readFileSync(path, 'utf8')).toContain('not a database');
  });

  it('AR63: an older schema is upgraded beside a whole copy; a newer one, a foreign file and a foreign owner are refused', () => {
    openParts(path, crypto).file.close();
    const set = (sql: string) => {
      const db = new Database(path);
      db.exec(sql);
      db.close();
    };
    set('PRAGMA user_version = 0');
    writeFileSync(`${path}.schema.unfinished`, 'half a copy of a start that was killed');
    const { file } = openParts(path, crypto);
    expect(file.backup).toMatch(/archive\.db\.schema-0-/);
    expect(statSync(file.backup ?? '').mode & 0o777).toBe(0o600);
    expect(
      new Database(file.backup ?? '', { readonly: true }).prepare('SELECT count(*) FROM meta').pluck().get(),
    ).toBeGreaterThan(3);
    file.close();
    set('PRAGMA user_version = 99');
    expect(() => openParts(path, crypto)).toThrow(/schema 99/);
    set("PRAGMA user_version = 1; UPDATE meta SET value = 'ff' WHERE name = 'owner'");
    expect(() => openParts(path, crypto)).toThrow(/another owner/);
    set('PRAGMA application_id = 7');
    expect(() => openParts(path, crypto)).toThrow(/another program/);
    expect(readdirSync(folder).filter((name) => name.includes('schema'))).toHaveLength(1);
    expect(() => openParts('/proc/none/archive.db', crypto)).toThrow(/can't be written/);
    expect(existsSync('/proc/none')).toBe(false);
  });

  it('AR113: an archive of an earlier version is verified and searched as it is, and no byte of it changes', async () => {
    const { keep, indexer, store, file } = openParts(path, crypto);
    const session = new MadeSession('s1', 'c1', crypto);
    for (const event of session.turn(1, 5, (chunk) => `wolpertinger ${chunk} `)) keep([await session.seal([event])]);
    indexer.flush();
    store.checkpoint(1_790_000_000);
    file.close();
    const older = new Database(path);
    older.exec('DROP VIEW tool_calls; CREATE VIEW tool_calls AS SELECT 1 AS item WHERE 0; PRAGMA user_version = 2');
    older.pragma('journal_mode = DELETE');
    older.close();
    const before = readFileSync(path);
    expect(verifyArchiveFile(path, { crypto })).toMatchObject({ ok: true, value: { ok: true, problems: [] } });
    const joined = joinArchiveFile(path);
    if (!joined.ok) throw new Error(joined.error.message);
    expect(searchArchive(joined.value, { text: 'wolpertinger', limit: 9 })).toHaveLength(1);
    expect(joined.value.prepare('SELECT count(*) FROM tool_calls').pluck().get()).toBe(1);
    joined.value.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('AR64: a reader that takes its time holds up no write', async () => {
    const { store, keep, file } = openParts(path, crypto);
    const session = new MadeSession('s1', 'c1', crypto);
    const events = session.turn(1, 50, (chunk) => `${chunk} `);
    for (const event of events.slice(0, 20)) keep([await session.seal([event])]);
    const slow = new Database(path, { readonly: true });
    const rows = slow.prepare('SELECT n FROM records').iterate();
    rows.next();
    for (const event of events.slice(20)) keep([await session.seal([event])]);
    expect(store.head.n).toBe(events.length);
    rows.return?.();
    slow.close();
    file.close();
  });

  it('AR65: retention by age and size removes the oldest, gives the space back, and what is left verifies', async () => {
    const { store, keep, indexer, file } = openParts(path, crypto);
    for (let number = 1; number <= 20; number++) {
      const session = new MadeSession(`s${number}`, `c${number}`, crypto);
      const frames = [];
      for (const event of session.turn(1, 40, () => Buffer.from(crypto.randomBytes(150)).toString('hex'))) {
        frames.push(await session.seal([event]));
      }
      keep(frames);
    }
    indexer.flush();
    const day = 86_400_000;
    file.db.exec(`UPDATE records SET received_ms = received_ms WHERE 0`);
    expect(applyRetention(file.db, store, { maxAgeMs: 30 * day }, 1_790_000_000_000)).toBe(0);
    const before = usedBytes(file.db);
    const removed = applyRetention(file.db, store, { maxBytes: before / 2 }, 1_790_000_000_000);
    expect(removed).toBeGreaterThan(100);
    expect(usedBytes(file.db)).toBeLessThan(before * 0.75);
    expect(file.db.pragma('freelist_count', { simple: true })).toBe(0);
    const sessions = file.db.prepare('SELECT count(*) FROM sessions').pluck().get() as number;
    expect(sessions).toBeLessThan(20);
    expect(file.db.prepare('SELECT count(*) FROM texts').pluck().get()).toBe(
      file.db.prepare('SELECT count(*) FROM item_rows').pluck().get(),
    );
    expect(applyRetention(file.db, store, { maxAgeMs: 30 * day }, 1_790_000_000_000 + 31 * day)).toBeGreaterThan(0);
    expect(file.db.prepare('SELECT count(*) FROM texts').pluck().get()).toBe(0);
    file.close();
    const report = verify();
    expect(report.problems).toEqual([]);
    expect(report.tombstones.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/the archive was over/),
      'older than 30 days',
    ]);
  });
});

/** Starts the program on a file so many times and kills it a moment after its first commit; gives the newest commit it told of. */
async function killOften(program: string, file: string, rounds: number): Promise<number> {
  let committed = 0;
  for (let round = 0; round < rounds; round++) {
    const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (chunk) => {
      committed = Math.max(committed, ...String(chunk).trim().split('\n').map(Number));
    });
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  return committed;
}

async function bundle(program: string): Promise<string> {
  const outfile = join(import.meta.dirname, '..', 'node_modules', '.cache', `${program}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, 'support', `${program}.mts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'koffi', 'tiny-secp256k1', 'ws'],
  });
  return outfile;
}
