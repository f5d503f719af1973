import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Problem, SCHEMA } from '@heliograph/record';
import type { Crypto } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { newPrivateFile } from './archive-file.ts';
import { alteredSchema } from './file-schema.ts';
import { ORPHANS, rowsOf, SHOWN_LISTS, type ShownList } from './shown-rows.ts';
import { remakeViews } from './views-anew.ts';

/** What a look at the views found. */
export interface ViewsCheck {
  readonly problems: readonly Problem[];
  /** Streams of which the file does not show the newest records yet; they were not compared. */
  readonly behind: number;
}

/** Differences named of one list. */
const MAX_NAMED = 5;
const EVERY_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * Makes what an archive shows anew from its records, and names what the file itself shows otherwise: altered tables, views and
 * triggers, rows that are too many, missing or other ones, and an index of words that is not of these texts. It looks at one
 * moment of the file, in private copies that have no name any more while they are worked on. Of a turn whose beginning
 * retention removed nothing is compared, nor what was told in records that are gone. `db` is only read. Throws what SQLite
 * and the file system throw.
 */
export function checkViews(db: Database.Database, crypto: Crypto): ViewsCheck {
  const altered = alteredSchema(db);
  if (altered.length > 0) {
    const message = `the file's ${altered.join(', ')} are not those of an archive: what it answers proves nothing`;
    return { problems: [problem(message)], behind: 0 };
  }
  if (db.prepare("SELECT value FROM meta WHERE name = 'at_rest'").pluck().get() === 'sealed') return checkSealed(db);
  const { kept, anew, problems } = openCopies(db);
  try {
    remakeViews(anew, kept, crypto);
    const { behind, isPruned } = leaveOut(kept, anew);
    const told = isPruned ? SHOWN_LISTS.filter(({ name }) => !TOLD_ONCE.has(name)) : SHOWN_LISTS;
    return {
      problems: [...problems, ...orphans(kept), ...told.flatMap((list) => differences(kept, anew, list))],
      behind,
    };
  } finally {
    kept.close();
    anew.close();
  }
}

/** What may have been told in records that retention removed. */
const TOLD_ONCE = new Set(['losses', 'heads', 'keys']);

const SHOWN_TABLES = [
  ...['turn_rows', 'item_rows', 'texts', 'tool_rows', 'permission_rows', 'file_rows', 'command_rows', 'control_rows'],
  ...['control_result_rows', 'usage_rows'],
];

/** A file of ciphertext only shows nothing, and holds no text. */
function checkSealed(db: Database.Database): ViewsCheck {
  const count = (sql: string) => db.prepare(sql).pluck().get() as number;
  const shown = SHOWN_TABLES.filter((table) => count(`SELECT count(*) FROM ${table}`) > 0);
  const texts = count('SELECT count(*) FROM bodies WHERE text IS NOT NULL');
  return {
    problems: [
      ...shown.map((table) => problem(`${table} shows something, though the file says that it holds only ciphertext`)),
      ...(texts === 0
        ? []
        : [problem(`${texts} records hold text, though the file says that it holds only ciphertext`)]),
    ],
    behind: 0,
  };
}

/**
 * One moment of the file, twice: as it is, and what is proved of it alone, for the rest to be made anew. Neither has a name
 * once this returns, so both are gone with the process.
 */
function openCopies(db: Database.Database) {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-views-'));
  try {
    const path = join(folder, 'kept.db');
    newPrivateFile(path);
    db.prepare('VACUUM INTO ?').run(path);
    const kept = new Database(path);
    kept.pragma('journal_mode = OFF');
    const problems = wrongWords(kept);
    // A database without a name lies in a file that SQLite itself has taken the name from.
    const anew = new Database('');
    for (const setting of ['journal_mode', 'synchronous', 'foreign_keys']) anew.pragma(`${setting} = OFF`);
    anew.exec(SCHEMA);
    anew.prepare('ATTACH ? AS kept').run(path);
    for (const table of PROVED_TABLES) anew.exec(`INSERT INTO main.${table} SELECT * FROM kept.${table}`);
    anew.exec('DETACH kept');
    return { kept, anew, problems };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the rest is made of; the texts are read from the other copy. */
const PROVED_TABLES = ['meta', 'agents', 'session_rows', 'streams', 'records', 'statements', 'redaction_rows'];

/** Notes in both copies which streams, up to which seq, can't be compared: by the copy that was made anew, not by what is asked about. */
function leaveOut(kept: Database.Database, anew: Database.Database) {
  const out: unknown[][] = [];
  const streams = 'FROM streams s JOIN agents a USING (agent)';
  const late = kept
    .prepare(
      `SELECT a.public_key, s.id ${streams} WHERE s.viewed_n <
         (SELECT max(n) FROM records r WHERE r.stream = s.stream AND r.text_sha IS NOT NULL)`,
    )
    .raw()
    .all() as string[][];
  for (const [agent, id] of late) out.push([agent, id, EVERY_SEQ]);
  const isPruned = anew.prepare("SELECT 1 FROM statements WHERE type = 'tombstone'").get() !== undefined;
  if (isPruned) {
    const cut = anew
      .prepare(
        `SELECT a.public_key, s.id, max(m.first, coalesce((SELECT t.last_seq FROM turn_rows t WHERE t.stream = s.stream
           ORDER BY t.first_seq LIMIT 1), 0)) ${streams}
         JOIN (SELECT stream, min(first_seq) AS first FROM records GROUP BY stream) m ON m.stream = s.stream WHERE m.first > 1`,
      )
      .raw()
      .all() as unknown[][];
    out.push(...cut);
  }
  for (const db of [kept, anew]) {
    db.exec('CREATE TEMP TABLE left_out (agent TEXT, id TEXT, up_to INTEGER)');
    const add = db.prepare('INSERT INTO temp.left_out VALUES (?, ?, ?)');
    for (const row of out) add.run(...row);
  }
  return { behind: late.length, isPruned };
}

function wrongWords(db: Database.Database): readonly Problem[] {
  try {
    db.exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)");
    return [];
  } catch {
    return [problem('the index of words is not of the texts that the views show')];
  }
}

function orphans(db: Database.Database): readonly Problem[] {
  const count = ORPHANS.reduce((sum, sql) => sum + (db.prepare(sql).pluck().get() as number), 0);
  return count === 0 ? [] : [problem(`${count} rows belong to nothing that is shown`)];
}

/** Walks both files side by side, in one order. */
function differences(kept: Database.Database, anew: Database.Database, list: ShownList): readonly Problem[] {
  const found: Problem[] = [];
  const [left, right] = [rowsOf(kept, list), rowsOf(anew, list)];
  let [one, other] = [left.next(), right.next()];
  const at = (row: readonly unknown[]) => list.place.map((name, n) => `${name} ${row[n]}`).join(', ');
  while (found.length < MAX_NAMED && !(one.done === true && other.done === true)) {
    const order = one.done === true ? 1 : other.done === true ? -1 : compareRows(one.value, other.value);
    if (order < 0) found.push(problem(`${list.name} shows at ${at(one.value)} what the records do not say`));
    if (order > 0) found.push(problem(`${list.name} does not show what the records say at ${at(other.value)}`));
    if (order <= 0) one = left.next();
    if (order >= 0) other = right.next();
  }
  for (const rows of [left, right]) rows.return?.();
  return found;
}

/** As SQLite orders them: null, numbers, texts by their bytes. */
function compareRows(a: readonly unknown[], b: readonly unknown[]): number {
  for (let at = 0; at < a.length; at++) {
    const order = compareValues(a[at], b[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  const rank = (value: unknown) =>
    value === null ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (typeof a === 'number') return a - (b as number);
  return Buffer.compare(bytesOf(a), bytesOf(b));
}

function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
}

function problem(message: string): Problem {
  return { code: 'views', n: undefined, message };
}
