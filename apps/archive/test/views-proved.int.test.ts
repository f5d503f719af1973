import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedEvent } from '@heliograph/client';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkViews } from '../src/check-views.ts';
import { describeReport, rebuildArchive, searchArchive, unsealArchive, verifyArchiveFile } from '../src/index.ts';
import { crypto, keepArchive, owner, ownerSecret, recording } from './support/kept-archive.ts';
import { MadeSession, openParts } from './support/made-session.ts';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-proved-'));
  await keepArchive(join(folder, 'archive.db'), [recording('claude-shell'), recording('codex-edit')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function verified(path: string) {
  const report = verifyArchiveFile(path, { crypto, owner: owner.publicKey });
  if (!report.ok) throw new Error(report.error.message);
  return report.value;
}

/** A copy of the archive that somebody had their hands on. */
function altered(name: string, sql: string): string {
  const path = join(folder, `${name}.db`);
  copyFileSync(join(folder, 'archive.db'), path);
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  db.unsafeMode(true);
  db.exec(sql);
  db.close();
  return path;
}

const ATTACKS: readonly (readonly [string, string, RegExp])[] = [
  ['a command that was not run', "UPDATE command_rows SET command = 'ls'", /items shows/],
  ['a command that is gone', 'DELETE FROM command_rows', /items does not show/],
  ['a text that was not said', "UPDATE texts SET text = 'all is well' WHERE text <> ''", /items shows/],
  ['a decision nobody made', "UPDATE permission_rows SET option_kind = 'allow_always'", /items shows/],
  ['a tool call that is gone', 'DELETE FROM tool_rows', /items does not show/],
  ['a turn that is gone', 'DELETE FROM turn_rows', /turns does not show/],
  ['a file that was not touched', "UPDATE file_rows SET path = '/etc/passwd', outside_cwd = 1", /files shows/],
  ["another's session", 'UPDATE streams SET session = (SELECT max(session) FROM session_rows)', /streams shows/],
  ['a folder it did not work in', "UPDATE session_rows SET cwd = '/'", /sessions shows/],
  ['a message as a thought', "UPDATE item_rows SET kind = 'thought' WHERE kind = 'agent'", /items shows/],
  [
    'a turn that would hide all others',
    "UPDATE turn_rows SET first_seq = 0, last_seq = 999999999; UPDATE command_rows SET command = 'ls'",
    /turns shows/,
  ],
  [
    'an error that never was',
    `INSERT INTO item_rows SELECT max(item) + 1, turn, 'made-up', 'error', at, at, first_seq, last_seq, 0, NULL, 0 FROM item_rows;
     INSERT INTO texts SELECT max(item), 'it failed', '', '', '' FROM item_rows`,
    /items shows/,
  ],
  ['a text that belongs to nothing', "INSERT INTO texts VALUES (99999, 'x', 'x', '', '')", /belong to nothing/],
  ['a key the agent did not make', "UPDATE agents SET key_made_by = 'agent'", /keys shows/],
  [
    'a loss nobody told of',
    "INSERT INTO lost_rows SELECT stream, 7, 8, 'made up' FROM streams LIMIT 1",
    /losses shows/,
  ],
  ['a stream that reaches further', 'UPDATE streams SET head_seq = head_seq + 9', /heads shows/],
  [
    'a view that leaves out',
    'DROP VIEW commands_run; CREATE VIEW commands_run AS SELECT 1 AS command',
    /view commands_run/,
  ],
  ['a table for a view', 'DROP VIEW commands_run; CREATE TABLE commands_run (command TEXT)', /table commands_run/],
  ['a table more', 'CREATE TABLE more (x)', /table more/],
  ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON item_rows BEGIN DELETE FROM command_rows; END', /trigger t/],
  [
    'a trigger on what is kept',
    "CREATE TRIGGER t AFTER UPDATE ON streams BEGIN UPDATE command_rows SET command = 'ls'; END",
    /trigger t/,
  ],
  ['words that are not found', "INSERT INTO search (search) VALUES ('delete-all')", /index of words/],
];

describe('what an archive shows', () => {
  it('AR100: made anew from the records it is the same', () => {
    const report = verified(join(folder, 'archive.db'));
    expect([report.ok, report.views, report.problems]).toEqual([true, { state: 'match' }, []]);
  });

  it.each(ATTACKS)('AR100: verify finds %s, and AR101: a rebuild mends it', (name, sql, expected) => {
    const path = altered(name.replace(/\W+/g, '-'), sql);
    const report = verified(path);
    expect([report.ok, report.views]).toEqual([false, { state: 'differ' }]);
    expect(report.problems.every(({ code }) => code === 'views')).toBe(true);
    expect(report.problems.map(({ message }) => message).join('\n')).toMatch(expected);
    expect(rebuildArchive(path, crypto)).toMatchObject({ ok: true });
    const mended = verified(path);
    expect([mended.ok, mended.views, mended.problems]).toEqual([true, { state: 'match' }, []]);
  });

  it('AR131: views of another version of the program are not compared, which is said, until they are made anew', () => {
    const path = altered('older', "DELETE FROM meta WHERE name = 'views'; UPDATE command_rows SET command = 'ls'");
    const report = verified(path);
    expect([report.ok, report.views?.state]).toEqual([true, 'unknown']);
    expect(describeReport(report).join('\n')).toMatch(/not compared .*another version .*rebuild/);
    expect(rebuildArchive(path, crypto).ok).toBe(true);
    expect(verified(path).views).toEqual({ state: 'match' });
  });

  it('AR101: a rebuild keeps the numbers of sessions, and answers as before', () => {
    const path = altered('rebuilt', 'DELETE FROM texts');
    const ask = (file: string) => {
      const db = new Database(file, { readonly: true });
      const hits = searchArchive(db, { question: 'no-decision', limit: 100 });
      db.close();
      return hits.map(({ item: _, ...hit }) => hit);
    };
    expect(rebuildArchive(path, crypto).ok).toBe(true);
    expect(ask(path)).toEqual(ask(join(folder, 'archive.db')));
  });

  it('AR100, AR105: what somebody planted in a file of ciphertext only is found, runs nothing, and is taken away', async () => {
    const path = join(folder, 'sealed.db');
    await keepArchive(path, [recording('claude-shell')], { atRest: 'sealed' });
    expect(verified(path).ok).toBe(true);
    const db = new Database(path);
    db.pragma('foreign_keys = OFF');
    db.exec(`INSERT INTO turn_rows VALUES (1, 1, 't', 'owner', 'ended', NULL, NULL, '2026', NULL, 1, 2, NULL, NULL, NULL);
      CREATE TRIGGER planted AFTER UPDATE OF text ON bodies BEGIN DELETE FROM records; END`);
    const opened = unsealArchive(db, ownerSecret, crypto);
    expect(opened).toMatchObject({ ok: false, error: { message: expect.stringContaining('trigger planted') } });
    db.close();
    expect(verified(path)).toMatchObject({ ok: false, views: { state: 'differ' } });
    expect(rebuildArchive(path, crypto)).toMatchObject({ ok: true });
    expect(verified(path).ok).toBe(true);
  });

  it('AR100: an archive that is written meanwhile is looked at in one moment', async () => {
    const path = join(folder, 'live.db');
    const { keep, indexer, file } = openParts(path, crypto);
    const session = new MadeSession('s1', 'c1', crypto);
    keep([await session.seal([session.event('stream_opened', { channelId: 'c1' })])]);
    const frames: ReceivedEvent[] = [];
    for (let turn = 1; turn <= 20; turn++)
      frames.push(await session.seal(session.turn(turn, 5, (chunk) => `word ${chunk} `)));
    keep(frames.slice(0, 10));
    indexer.flush();
    const db = new Database(path, { readonly: true });
    const prepare = db.prepare.bind(db);
    let isWritten = false;
    // More is kept, and shown, right after the copy was made.
    db.prepare = ((sql: string) => {
      if (sql.startsWith('VACUUM') && !isWritten) {
        isWritten = true;
        const run = (to: string) => {
          prepare(sql).run(to);
          keep(frames.slice(10));
          indexer.flush();
        };
        return { run };
      }
      return prepare(sql);
    }) as typeof db.prepare;
    expect(checkViews(db, crypto)).toEqual({ problems: [], behind: 0 });
    expect(isWritten).toBe(true);
    db.close();
    file.close();
  });
});
