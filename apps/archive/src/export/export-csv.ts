import { type CsvValue, csvLine, type ExportScope, type SqlDatabase, type SqlValue } from '@heliograph/record';

/** The documented views, with the column that names their session or agent and the one that names their time. */
const VIEWS: readonly { readonly view: string; readonly of?: 'session' | 'agent'; readonly time?: string }[] = [
  { view: 'about' },
  { view: 'sessions', of: 'session' },
  { view: 'turns', of: 'session', time: 'started_at' },
  { view: 'messages', of: 'session', time: 'at' },
  { view: 'tool_calls', of: 'session', time: 'at' },
  { view: 'permissions', of: 'session', time: 'asked_at' },
  { view: 'files_touched', of: 'session', time: 'at' },
  { view: 'commands_run', of: 'session', time: 'at' },
  { view: 'controls', of: 'agent', time: 'issued_at' },
  { view: 'usage', of: 'agent', time: 'at' },
  { view: 'gaps', of: 'agent' },
  { view: 'redactions', of: 'agent' },
];

/** One CSV file for each documented view, the rows in scope, in the order of their numbers. */
export function* exportCsv(
  db: SqlDatabase,
  scope: ExportScope,
): Generator<{ readonly name: string; readonly pieces: Iterable<string> }> {
  for (const { view, of, time } of VIEWS) yield { name: `${view}.csv`, pieces: csvOf(db, view, of, time, scope) };
}

function* csvOf(
  db: SqlDatabase,
  view: string,
  of: 'session' | 'agent' | undefined,
  time: string | undefined,
  { agent, session, since, until }: ExportScope,
): Generator<string> {
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (sql: string, value: SqlValue) => {
    where.push(sql);
    values.push(value);
  };
  if (session !== undefined && of !== undefined) add('session = ?', session);
  if (agent !== undefined && of === 'agent') add('agent = ?', agent);
  if (agent !== undefined && of === 'session') add('session IN (SELECT session FROM sessions WHERE agent = ?)', agent);
  // Compared as texts: without the zone's letter a coarser time is the beginning of a finer one.
  if (since !== undefined && time !== undefined) add(`${time} >= ?`, since.replace('Z', ''));
  if (until !== undefined && time !== undefined) add(`${time} <= ?`, `${until.replace('Z', '')}~`);
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(view) as { name: string }[];
  const names = columns.map(({ name }) => name);
  yield csvLine(names);
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
  const rows = db.prepare(`SELECT * FROM ${view}${filter} ORDER BY ${names.map((_, at) => at + 1).join(', ')}`);
  for (const row of rows.iterate(...values) as Iterable<Readonly<Record<string, CsvValue>>>) {
    yield csvLine(names.map((name) => row[name]));
  }
}
