import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { eventSigner, signEvent } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { readDecisions } from './access-store.ts';
import { STORE_CONTRACT } from './contract.ts';
import { SqliteAccess } from './sqlite-access.ts';
import { joinDatabase } from './sqlite-file.ts';
import { SCHEMA } from './sqlite-schema.ts';
import { openSqliteStore, type SqliteStore } from './sqlite-store.ts';
import { type StorableEvent, storableEvent } from './storable-event.ts';
import { EVENTS_WITH_WORDS } from './word-index.ts';

const root = mkdtempSync(join(tmpdir(), 'heliograph-store-'));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;
function newFolder(): string {
  folders += 1;
  return join(root, `${folders}`, 'nested');
}

function open(folder: string): SqliteStore {
  const store = openSqliteStore(folder);
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}

function codeOf(folder: string): string | undefined {
  const store = openSqliteStore(folder);
  if (!store.ok) return store.error.code;
  store.value.close();
  return undefined;
}

it.each(STORE_CONTRACT)('SQLite $title', async ({ check }) => {
  const store = open(newFolder());
  await check(store);
  store.close();
});

describe('the file', () => {
  const note = storableEvent(
    signEvent({ kind: 1, created_at: 1, tags: [], content: 'kept' }, new Uint8Array(32).fill(1), nobleCrypto),
  );
  const everything = { reader: { pubkey: undefined, kinds: undefined }, nowSec: 0, maxEvents: 10, maxBytes: 1e6 };

  it('RL9: what was written is there after closing and opening again', () => {
    const folder = newFolder();
    const first = open(folder);
    if (note === undefined) throw new TypeError('kind 1 is durable');
    first.write([note]);
    first.close();
    const second = open(folder);
    expect(second.query({}, everything).map((event) => event.json)).toEqual([note.json]);
    expect(second.write([note])).toEqual(['duplicate']);
    second.close();
  });

  it('RL10: makes its folder and files for the owner alone', () => {
    const folder = newFolder();
    const store = open(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ['relay.db', 'relay.db-wal', 'relay.db-shm', 'relay.lock']) {
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
    }
    store.close();
  });

  it('RL10: takes the rights of others from files it finds', () => {
    const folder = newFolder();
    open(folder).close();
    rmSync(join(folder, 'relay.lock'));
    writeFileSync(join(folder, 'relay.lock'), '', { mode: 0o644 });
    open(folder).close();
    expect(statSync(join(folder, 'relay.lock')).mode & 0o777).toBe(0o600);
  });

  it('RL10: refuses a folder that another relay uses, until that one is gone', () => {
    const folder = newFolder();
    const store = open(folder);
    const second = openSqliteStore(folder);
    expect(second).toMatchObject({ ok: false, error: { code: 'in-use' } });
    expect(second.ok ? '' : second.error.message).toContain(folder);
    expect(second.ok ? '' : second.error.message).toContain('--data');
    store.close();
    expect(codeOf(folder)).toBeUndefined();
  });

  it('RL10: names the path and the user when the folder can not be made', () => {
    writeFileSync(join(root, 'a-file'), '');
    const folder = join(root, 'a-file', 'data');
    const store = openSqliteStore(folder);
    expect(store).toMatchObject({ ok: false, error: { code: 'not-writable' } });
    const message = store.ok ? '' : store.error.message;
    expect(message).toContain(folder);
    expect(message).toContain(`uid ${process.getuid?.()}`);
  });

  it('RL10: says so when a folder stands where its file should be', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'relay.db'), { recursive: true });
    expect(codeOf(folder)).toBe('not-writable');
  });

  it('RL10: leaves a file alone that is no database, or not ours', () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'relay.db');
    writeFileSync(path, 'x'.repeat(5_000));
    expect(codeOf(folder)).toBe('not-a-database');
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(5_000));
    rmSync(path);
    const foreign = new Database(path);
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    expect(codeOf(folder)).toBe('not-a-database');
  });

  it('RL10: leaves a file alone that a later version wrote', () => {
    const folder = newFolder();
    open(folder).close();
    const later = new Database(join(folder, 'relay.db'));
    later.pragma('user_version = 99');
    later.close();
    const store = openSqliteStore(folder);
    expect(store).toMatchObject({ ok: false, error: { code: 'too-new' } });
    expect(store.ok ? '' : store.error.message).toMatch(/schema 99/);
    expect(codeOf(folder)).toBe('too-new');
  });
});

it('RL136: a hundred events of one second touch few pages of the file, and come in order', () => {
  const folder = newFolder();
  const store = open(folder);
  const signer = eventSigner(new Uint8Array(32).fill(1), selectNodeCrypto().crypto);
  const some = (count: number): StorableEvent[] =>
    Array.from({ length: count }, () => {
      const content = randomBytes(8).toString('hex');
      const event = storableEvent(signer.sign({ kind: 7, created_at: 5, tags: [['t', 'same']], content }));
      if (event === undefined) throw new TypeError('kind 7 is durable');
      return event;
    });
  const events = some(2_000);
  store.write(events);
  const walBytes = (): number => statSync(join(folder, 'relay.db-wal')).size;
  const before = walBytes();
  events.push(...some(100));
  store.write(events.slice(-100));
  // A page for nearly each id, which lie anywhere; a dozen for the texts, and a few for all else.
  expect((walBytes() - before) / 4_096).toBeLessThan(100);
  const scope = { reader: { pubkey: undefined, kinds: undefined }, nowSec: 9, maxEvents: 50, maxBytes: 1e6 };
  const first = events
    .map(({ id }) => id)
    .sort()
    .slice(0, 50);
  for (const filter of [{}, { authors: [signer.publicKey] }, { kinds: [7] }, { '#t': ['same'] }]) {
    expect(store.query(filter, scope).map(({ id }) => id)).toEqual(first);
  }
  store.close();
});

describe('the words of stored events', () => {
  const scope = { reader: { pubkey: undefined, kinds: undefined }, nowSec: 0, maxEvents: 1_000, maxBytes: 1e6 };
  const signer = eventSigner(new Uint8Array(32).fill(1), selectNodeCrypto().crypto);
  function notes(from: number, count: number): StorableEvent[] {
    return Array.from({ length: count }, (_, n) => {
      const content = `common number${from + n}`;
      const note = storableEvent(signer.sign({ kind: 1, created_at: from + n, tags: [], content }));
      if (note === undefined) throw new TypeError('kind 1 is durable');
      return note;
    });
  }
  function readMark(folder: string): unknown {
    const db = new Database(join(folder, 'relay.db'), { readonly: true });
    try {
      return db.prepare("SELECT value FROM settings WHERE name = 'words_to'").pluck().get();
    } finally {
      db.close();
    }
  }

  it('RL128: they are indexed many at a time, and before a search, a count, a sweep', () => {
    const folder = newFolder();
    const store = open(folder);
    store.write(notes(0, 999));
    store.write(notes(999, 1));
    expect(Number(readMark(folder))).toBe(0);
    store.write(notes(1_000, 1));
    expect(Number(readMark(folder))).toBe(1_000);
    expect(store.query({ search: 'number1000' }, scope)).toHaveLength(1);
    expect(store.query({ search: 'common' }, { ...scope, maxEvents: 2_000 })).toHaveLength(1_001);
    store.write(notes(1_001, 1));
    expect(store.count([{ kinds: [7] }, { search: 'number1001' }], scope, 10)).toBe(1);
    store.write(notes(1_002, 1));
    store.sweep({ nowSec: 0, retention: [], maxEvents: 10 });
    expect(Number(readMark(folder))).toBe(1_003);
    store.write(notes(1_003, 1));
    expect(store.references({ search: 'number1003' }, scope, 10)).toHaveLength(1);
    store.close();
  });

  it('RL128: the events to index are found by their number, however many there are already', () => {
    const db = new Database(':memory:');
    db.exec(SCHEMA);
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${EVENTS_WITH_WORDS}`).all(0);
    expect(steps).toMatchObject([{ detail: 'SEARCH events USING INTEGER PRIMARY KEY (rowid>?)' }]);
    db.close();
  });

  it('RL128: what was stored before the relay was killed is found after', () => {
    const folder = newFolder();
    const store = open(folder);
    store.write(notes(0, 10));
    // A copy of the file and its WAL as they are on the disk now is what a killed relay leaves.
    const killed = newFolder();
    mkdirSync(killed, { recursive: true });
    for (const name of ['relay.db', 'relay.db-wal']) copyFileSync(join(folder, name), join(killed, name));
    store.close();
    const again = open(killed);
    expect(Number(readMark(killed))).toBe(0);
    expect(again.query({ search: 'common' }, scope)).toHaveLength(10);
    again.close();
  });

  it('RL128: what is removed is found by no word, indexed or not, and its number is not given again', () => {
    const folder = newFolder();
    const store = open(folder);
    const [first, second, third] = notes(0, 3) as [StorableEvent, StorableEvent, StorableEvent];
    store.write([first, second]);
    expect(store.query({ search: 'common' }, scope)).toHaveLength(2);
    store.write([third]);
    expect([second, third].map(({ id }) => store.remove(id))).toEqual([true, true]);
    expect(store.query({ search: 'common' }, scope).map(({ id }) => id)).toEqual([first.id]);
    store.close();
    const again = open(folder);
    again.write([third]);
    expect(again.query({ search: 'common' }, scope).map(({ id }) => id)).toEqual([third.id, first.id]);
    again.close();
  });
});

it('RL47: decisions on keys and events are kept, and another process that makes one is noticed', async () => {
  const folder = newFolder();
  const opened = openSqliteStore(folder);
  if (!opened.ok) throw new Error(opened.error.message);
  const { access } = opened.value;
  const [alice, bob] = ['aa'.repeat(32), 'bb'.repeat(32)] as const;
  expect([access.setKey(alice, 'allow', 'friend'), access.setKey(alice, 'allow', 'friend')]).toEqual([true, false]);
  access.banEvent(bob, 'spam');
  const before = access.version();
  const joined = joinDatabase(join(folder, 'relay.db'));
  if (!joined.ok) throw new Error(joined.error.message);
  new SqliteAccess(joined.value).setKey(bob, 'deny', '');
  joined.value.close();
  expect(access.version()).not.toBe(before);
  expect(await readDecisions(access)).toMatchObject({
    rules: { allowed: new Set([alice]), denied: new Set([bob]), bannedEvents: new Set([bob]) },
    name: undefined,
  });
  access.setKey(alice, undefined);
  access.unbanEvent(bob);
  expect(access.keys()).toEqual([{ pubkey: bob, verdict: 'deny', reason: '' }]);
  expect(access.bannedEvents()).toEqual([]);
  access.setSetting('name', 'Home');
  opened.value.close();
  const again = openSqliteStore(folder);
  expect(again.ok && again.value.access.setting('name')).toBe('Home');
  if (again.ok) again.value.close();
});

it('RL47: what is no relay of this version is not joined', () => {
  const folder = newFolder();
  expect(joinDatabase(join(folder, 'relay.db'))).toMatchObject({ ok: false, error: { code: 'missing' } });
  mkdirSync(folder, { recursive: true });
  new Database(join(folder, 'relay.db')).exec('CREATE TABLE theirs (x)').close();
  expect(joinDatabase(join(folder, 'relay.db'))).toMatchObject({ ok: false, error: { code: 'not-a-database' } });
});
