import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Problem, SCHEMA } from '@heliograph/record';
import type { Crypto } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { remakeViews } from './views-anew.ts';

/** What each view shows that its records say; numbers that are this file's own are left out. */
const COMPARED: Readonly<Record<string, readonly string[]>> = {
  sessions: ['agent', 'channel_id'],
  turns: ['stream', 'first_seq'],
  messages: ['stream', 'first_seq'],
  tool_calls: ['stream', 'first_seq'],
  permissions: ['stream', 'first_seq'],
  files_touched: ['stream', 'first_seq'],
  commands_run: ['stream', 'first_seq'],
  controls: ['agent', 'n'],
  usage: ['agent', 'n'],
};
const OWN_NUMBERS = new Set(['item', 'turn']);
/** What a look at the views found. */
export interface ViewsCheck {
  readonly problems: readonly Problem[];
  /** Streams of which the file does not show the newest records yet; they were not compared. */
  readonly behind: number;
}

/** Differences named of one view. */
const MAX_NAMED = 5;

/**
 * Makes what an archive shows anew from its records, in a private copy beside the system's other temporary files, and names
 * what the file itself shows otherwise: altered views and triggers, rows that are too many, missing or other ones, and an
 * index of words that is not of these texts. `db` is only read. Throws what SQLite and the file system throw.
 */
export function checkViews(db: Database.Database, crypto: Crypto): ViewsCheck {
  const altered = alteredSchema(db);
  if (altered.length > 0) {
    const message = `the file's ${altered.join(', ')} are not those of an archive: what it answers proves nothing`;
    return { problems: [problem(message)], behind: 0 };
  }
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-views-'));
  try {
    const path = join(folder, 'anew.db');
    db.prepare('VACUUM INTO ?').run(path);
    const problems = remake(path, db, crypto);
    db.prepare('ATTACH ? AS anew').run(path);
    try {
      db.exec(BEHIND);
      const behind = db.prepare('SELECT count(*) FROM behind').pluck().get() as number;
      return { problems: [...problems, ...Object.keys(COMPARED).flatMap((view) => differences(db, view))], behind };
    } finally {
      db.exec('DROP TABLE IF EXISTS temp.behind; DETACH anew');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a copy's views anew, and tells whether its index of words was one of its texts before. */
function remake(path: string, db: Database.Database, crypto: Crypto): readonly Problem[] {
  const anew = new Database(path);
  try {
    for (const setting of ['journal_mode', 'synchronous', 'foreign_keys']) anew.pragma(`${setting} = OFF`);
    const problems = wrongWords(anew);
    remakeViews(anew, db, crypto);
    return problems;
  } finally {
    anew.close();
  }
}

/** Names of what in the file's schema is not as this version makes it. */
function alteredSchema(db: Database.Database): readonly string[] {
  const empty = new Database(':memory:');
  try {
    empty.exec(SCHEMA);
    const read = (from: Database.Database) =>
      from
        .prepare("SELECT type || ' ' || name AS name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
        .all() as {
        name: string;
        sql: string | null;
      }[];
    const own = new Map(read(empty).map(({ name, sql }) => [name, sql]));
    const found = new Map(read(db).map(({ name, sql }) => [name, sql]));
    return [...new Set([...own.keys(), ...found.keys()])].filter((name) => own.get(name) !== found.get(name));
  } finally {
    empty.close();
  }
}

function wrongWords(db: Database.Database): readonly Problem[] {
  try {
    db.exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)");
    return [];
  } catch {
    return [problem('the index of words is not of the texts that the views show')];
  }
}

function differences(db: Database.Database, view: string): readonly Problem[] {
  const place = COMPARED[view] ?? [];
  const columns = (db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(view) as string[])
    .filter((name) => !OWN_NUMBERS.has(name))
    .join(', ');
  const where = place[0] === 'stream' ? ` WHERE ${WHOLE}` : view === 'sessions' ? ` WHERE ${WHOLE_SESSION}` : '';
  const rows = (schema: string) => `SELECT ${columns} FROM ${schema}.${view} v${where}`;
  const count = (sql: string) => db.prepare(`SELECT count(*) FROM (${sql})`).pluck().get() as number;
  // As many rows, and none that the other has not: EXCEPT alone does not see one row twice.
  const [shown, said] = [count(rows('main')), count(rows('anew'))];
  const only = (one: string, other: string) =>
    db
      .prepare(`SELECT ${place.join(', ')} FROM (${rows(one)} EXCEPT ${rows(other)}) LIMIT ${MAX_NAMED}`)
      .all() as Record<string, string | number | null>[];
  const at = (row: Record<string, string | number | null>) => place.map((name) => `${name} ${row[name]}`).join(', ');
  const untrue = only('main', 'anew').map((row) => problem(`${view} shows at ${at(row)} what the records do not say`));
  const lacking = only('anew', 'main').map((row) =>
    problem(`${view} does not show what the records say at ${at(row)}`),
  );
  if (untrue.length + lacking.length === 0 && shown !== said) {
    return [problem(`${view} shows ${shown} rows, and the records say ${said}`)];
  }
  return [...untrue, ...lacking];
}

const BEHIND = `CREATE TEMP TABLE behind AS SELECT s.stream, s.id, s.session FROM main.streams s
  WHERE s.viewed_n < (SELECT max(n) FROM anew.records r WHERE r.stream = s.stream AND r.text_sha IS NOT NULL)`;
/** The beginning of a turn may have been removed by retention: then its records can't say it again. */
const WHOLE = `v.stream NOT IN (SELECT id FROM behind)
  AND NOT EXISTS (SELECT 1 FROM anew.streams s JOIN main.turn_rows t ON t.stream = s.stream WHERE s.id = v.stream
    AND t.first_seq < (SELECT min(r.first_seq) FROM anew.records r WHERE r.stream = s.stream) AND t.last_seq >= v.first_seq)`;
const WHOLE_SESSION = `NOT EXISTS (SELECT 1 FROM anew.streams s JOIN anew.session_rows e ON e.session = s.session
  WHERE e.channel_id = v.channel_id AND (s.stream IN (SELECT stream FROM behind)
    OR (SELECT min(r.first_seq) FROM anew.records r WHERE r.stream = s.stream) > 1))`;

function problem(message: string): Problem {
  return { code: 'views', n: undefined, message };
}
