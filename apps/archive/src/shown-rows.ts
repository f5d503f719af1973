import { LOST_WHEN_ASKED } from '@heliograph/record';
import type Database from 'better-sqlite3';

/** One kind of what an archive shows, as a list in an order of its own, without this file's own numbers. */
export interface ShownList {
  readonly name: string;
  /** The first columns say where a row stands. */
  readonly place: readonly string[];
  readonly sql: string;
}

const STREAM = 'JOIN streams s USING (stream) JOIN agents a USING (agent)';
const ITEM = `item_rows i JOIN turn_rows t USING (turn) ${STREAM}`;
/** Streams that are left out, and up to which seq others are: filled for both sides by who compares. */
const TOLD = `NOT EXISTS (SELECT 1 FROM temp.left_out l WHERE l.agent = a.public_key AND l.id = s.id AND l.up_to >= `;

/** Every table of what is shown, and what notes tell beside it: the views and the index are made of these and nothing else. */
export const SHOWN_LISTS: readonly ShownList[] = [
  {
    name: 'sessions',
    place: ['agent', 'channel'],
    sql: `SELECT a.public_key AS agent, e.channel_id AS channel, e.session_id, e.title, e.agent_name, e.cwd, e.model, e.mode
      FROM session_rows e JOIN agents a USING (agent) WHERE NOT EXISTS
        (SELECT 1 FROM streams s JOIN temp.left_out l ON l.id = s.id WHERE s.session = e.session)`,
  },
  {
    name: 'streams',
    place: ['agent', 'stream'],
    sql: `SELECT a.public_key AS agent, s.id AS stream, e.channel_id FROM streams s JOIN agents a USING (agent)
      LEFT JOIN session_rows e ON e.session = s.session WHERE ${TOLD} 0)`,
  },
  {
    name: 'turns',
    place: ['stream', 'first_seq'],
    sql: `SELECT s.id AS stream, t.first_seq, a.public_key, t.id, t.source, t.status, t.outcome, t.stop_reason, t.started_at, t.ended_at,
      t.last_seq, t.input_tokens, t.output_tokens, t.total_tokens FROM turn_rows t ${STREAM} WHERE ${TOLD} t.first_seq)`,
  },
  {
    name: 'items',
    place: ['stream', 'first_seq'],
    sql: `SELECT s.id AS stream, i.first_seq, a.public_key, t.id, i.id, i.kind, i.at, i.updated_at, i.last_seq, i.late, i.topic, i.truncated,
      x.title, x.text, x.input, x.output, o.tool_call_id, o.tool_kind, o.status, o.parent_tool_call_id, o.exit_code, o.ended_at,
      p.tool_call_id, p.tool_kind, p.options, p.state, p.decision, p.option_id, p.option_kind, p.decided_by, p.viewer, p.rule,
      p.decided_at, m.command, m.network
      FROM ${ITEM} LEFT JOIN texts x USING (item) LEFT JOIN tool_rows o USING (item) LEFT JOIN permission_rows p USING (item)
      LEFT JOIN command_rows m USING (item) WHERE ${TOLD} i.first_seq)`,
  },
  {
    name: 'files',
    place: ['stream', 'first_seq'],
    sql: `SELECT s.id AS stream, i.first_seq, a.public_key, i.id, f.path, f.action, f.outside_cwd
      FROM file_rows f JOIN ${ITEM.replace('item_rows i', 'item_rows i USING (item)')} WHERE ${TOLD} i.first_seq)`,
  },
  {
    name: 'controls',
    place: ['n'],
    sql: `SELECT c.n, a.public_key, c.request_id, c.type, c.issued_at, c.channel_id, c.detail FROM control_rows c JOIN agents a USING (agent)`,
  },
  {
    name: 'control results',
    place: ['stream', 'seq'],
    sql: `SELECT s.id AS stream, c.seq, a.public_key, c.request_id, c.type, c.status, c.reason, c.at FROM control_result_rows c ${STREAM}
      WHERE ${TOLD} c.seq)`,
  },
  {
    name: 'usage',
    place: ['n'],
    sql: `SELECT u.n, a.public_key, u.session_id, u.turn_id, u.model, u.input_tokens, u.output_tokens, u.total_tokens, u.cost_usd, u.detail
      FROM usage_rows u JOIN agents a USING (agent)`,
  },
  {
    name: 'losses',
    place: ['stream', 'first_seq'],
    sql: `SELECT s.id AS stream, l.first_seq, l.last_seq, l.reason FROM lost_rows l JOIN streams s USING (stream)
      WHERE l.reason <> '${LOST_WHEN_ASKED}'`,
  },
  {
    name: 'heads',
    place: ['stream', 'head_seq'],
    sql: 'SELECT s.id AS stream, s.head_seq, s.head_hash, s.closed FROM streams s',
  },
  {
    name: 'keys',
    place: ['agent'],
    sql: 'SELECT public_key AS agent, key_made_by FROM agents',
  },
];

/** Rows of these tables that belong to nothing shown: nobody sees them but who asks the tables. */
export const ORPHANS = ['texts', 'tool_rows', 'permission_rows', 'file_rows', 'command_rows']
  .map((table) => `SELECT count(*) FROM ${table} WHERE item NOT IN (SELECT item FROM item_rows)`)
  .concat('SELECT count(*) FROM item_rows WHERE turn NOT IN (SELECT turn FROM turn_rows)');

/** Rows of a list in one order, so that two files can be walked side by side. */
export function rowsOf(db: Database.Database, { sql }: ShownList): Iterator<unknown[]> {
  const columns = db.prepare(sql).columns().length;
  const order = Array.from({ length: columns }, (_, at) => at + 1).join(', ');
  return db.prepare(`${sql} ORDER BY ${order}`).raw().iterate() as Iterator<unknown[]>;
}
