import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildArchive, searchArchive, verifyArchiveFile } from '../src/index.ts';
import { crypto, keepArchive, owner, recording } from './support/kept-archive.ts';

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
  ['a command that was not run', "UPDATE command_rows SET command = 'ls'", /commands_run/],
  ['a command that is gone', 'DELETE FROM command_rows', /commands_run/],
  ['a text that was not said', "UPDATE texts SET text = 'all is well' WHERE text <> ''", /messages/],
  ['a decision nobody made', "UPDATE permission_rows SET option_kind = 'allow_always'", /permissions|tool_calls/],
  ['a tool call that is gone', 'DELETE FROM tool_rows', /tool_calls/],
  ['a turn that is gone', 'DELETE FROM turn_rows', /turns/],
  ['a file that was not touched', "UPDATE file_rows SET path = '/etc/passwd', outside_cwd = 1", /files_touched/],
  ["another's session", 'UPDATE streams SET session = (SELECT max(session) FROM session_rows)', /sessions|messages/],
  ['a folder it did not work in', "UPDATE session_rows SET cwd = '/'", /sessions/],
  ['a message as a thought', "UPDATE item_rows SET kind = 'thought' WHERE kind = 'agent'", /messages/],
  [
    'a view that leaves out',
    'DROP VIEW commands_run; CREATE VIEW commands_run AS SELECT 1 AS command',
    /view commands_run/,
  ],
  ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON item_rows BEGIN DELETE FROM command_rows; END', /trigger t/],
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
});
