import { type CsvValue, csvLine, type ExportScope, type SqlDatabase, type SqlValue } from '@heliograph/record';

interface View {
  readonly view: string;
  /** What its rows are of: the column that names it. */
  readonly of?: 'session' | 'agent';
  /** SQL for when it was, RFC 3339. */
  readonly time?: string;
  /** Columns that name a row. */
  readonly order: string;
}

/** The documented views. */
const VIEWS: readonly View[] = [
  { view: 'about', order: 'chain' },
  { view: 'sessions', of: 'session', order: 'session' },
  { view: 'turns', of: 'session', time: 'started_at', order: 'turn' },
  { view: 'messages', of: 'session', time: 'at', order: 'item' },
  { view: 'tool_calls', of: 'session', time: 'at', order: 'item' },
  { view: 'permissions', of: 'session', time: 'asked_at', order: 'item' },
  { view: 'files_touched', of: 'session', time: 'at', order: 'item, path, action' },
  { view: 'commands_run', of: 'session', time: 'at', order: 'item' },
  { view: 'controls', of: 'agent', time: 'issued_at', order: 'n' },
  { view: 'usage', of: 'agent', time: "replace(at, ' ', 'T')", order: 'n' },
  { view: 'gaps', of: 'agent', order: 'agent, stream, first_seq' },
  { view: 'redactions', of: 'agent', order: 'redaction' },
];

/** One CSV file for each documented view, the rows in scope, in the order of their numbers. */
export function* exportCsv(
  db: SqlDatabase,
  scope: ExportScope,
): Generator<{ readonly name: string; readonly pieces: Iterable<string> }> {
  for (const view of VIEWS) yield { name: `${view.view}.csv`, pieces: csvOf(db, view, scope) };
}

function* csvOf(
  db: SqlDatabase,
  { view, of, time, order }: View,
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
  const rows = db.prepare(`SELECT * FROM ${view}${filter} ORDER BY ${order}`);
  for (const row of rows.iterate(...values) as Iterable<Readonly<Record<string, CsvValue>>>) {
    yield csvLine(names.map((name) => row[name]));
  }
}
