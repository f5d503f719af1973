import { DECISION, type SqlDatabase, type SqlValue } from '@heliograph/record';

/** What is looked for; what is left out counts as any. Times are RFC 3339 or their beginnings, inclusive. */
export interface SearchQuery {
  /** Words that all must be there; "in quotes" together. */
  readonly text?: string | undefined;
  /** Hex. */
  readonly agent?: string | undefined;
  readonly session?: number | undefined;
  /** An ACP tool kind. */
  readonly toolKind?: string | undefined;
  /** A part of a path that a tool call names. */
  readonly path?: string | undefined;
  /** A permission's decision, its option's kind, or `none`: a tool call without a recorded one. */
  readonly decision?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only what failed. */
  readonly errors?: boolean | undefined;
  readonly question?: Question | undefined;
  readonly limit: number;
}

/** Questions that auditors ask. */
export type Question = 'outside-cwd' | 'denied-then-done' | 'network' | 'no-decision' | 'secrets';

/** Each question in words. */
export const QUESTIONS: Readonly<Record<Question, string>> = {
  'outside-cwd': "files written, moved or deleted outside the session's folder",
  'denied-then-done': 'tool calls that were done although their permission was denied, or were done again after that',
  network: 'commands that name a program or an address of other machines',
  'no-decision': 'commands, edits, deletions and moves without a recorded decision',
  secrets: 'places where a secret was seen and replaced',
};

/** One thing found: where it stands, and how it reads. */
export interface Hit {
  readonly item: number;
  /** Null: it stands in a harness's own stream, which belongs to no session. */
  readonly session: number | null;
  readonly channelId: string | null;
  readonly agent: string;
  readonly agentName: string | null;
  /** What viewers call the item. */
  readonly itemId: string;
  readonly stream: string;
  readonly seq: number;
  readonly at: string;
  /** user, agent, thought, tool, permission, notice, error … */
  readonly kind: string;
  readonly toolKind: string | null;
  readonly status: string | null;
  readonly decision: string | null;
  readonly title: string;
  /** The words around the first match, else the beginning of the text. */
  readonly excerpt: string;
}

const COLUMNS = `i.item, i.id AS itemId, r.session, e.channel_id AS channelId, a.public_key AS agent,
  coalesce(a.name, e.agent_name) AS agentName, r.id AS stream, i.first_seq AS seq, i.at, i.kind,
  coalesce(o.tool_kind, p.tool_kind) AS toolKind, o.status,
  coalesce(${DECISION}, (SELECT ${DECISION} FROM permission_rows p JOIN item_rows j USING (item)
    WHERE j.turn = t.turn AND p.tool_call_id = o.tool_call_id ORDER BY j.at DESC LIMIT 1)) AS decision, x.title`;

const FROM = `FROM item_rows i JOIN turn_rows t USING (turn) JOIN streams r USING (stream) JOIN agents a USING (agent)
  LEFT JOIN session_rows e ON e.session = r.session JOIN texts x USING (item) LEFT JOIN tool_rows o USING (item) LEFT JOIN permission_rows p USING (item)`;

/** What of a turn's permissions is about this tool call. */
const ASKED = `SELECT 1 FROM permission_rows p JOIN item_rows j USING (item)
  WHERE j.turn = t.turn AND p.tool_call_id = o.tool_call_id AND p.decision IS NOT NULL`;
const DENIED = `${DECISION} IN ('rejected', 'cancelled', 'timed_out', 'expired')`;
const DONE = `o.status IN ('completed', 'in_progress')`;

const QUESTION_SQL: Readonly<Record<Question, string>> = {
  'outside-cwd': `EXISTS (SELECT 1 FROM file_rows f WHERE f.item = i.item AND f.outside_cwd = 1 AND f.action IN ('write', 'delete', 'move'))`,
  // Done under the same call, or the very same thing again later in the session without anybody allowing it. What was asked for
  // by no denied request is put aside first: else every call would be held against every denial.
  'denied-then-done': `${DONE} AND (EXISTS (${ASKED} AND ${DENIED})
    OR x.input IN (SELECT y.input FROM permission_rows p JOIN texts y USING (item) WHERE ${DENIED} AND y.input <> '')
    AND EXISTS (SELECT 1 FROM permission_rows p JOIN item_rows j USING (item) JOIN turn_rows u USING (turn) JOIN streams v USING (stream)
      JOIN texts y ON y.item = j.item WHERE v.session = r.session AND j.at < i.at AND ${DENIED} AND p.tool_call_id IS NOT o.tool_call_id
      AND p.tool_kind = o.tool_kind AND y.input = x.input AND x.input <> '' AND NOT EXISTS (${ASKED} AND NOT ${DENIED})))`,
  network: `EXISTS (SELECT 1 FROM command_rows m WHERE m.item = i.item AND m.network = 1)`,
  'no-decision': `o.tool_kind IN ('execute', 'edit', 'delete', 'move') AND NOT EXISTS (${ASKED})`,
  secrets: `EXISTS (SELECT 1 FROM redaction_rows d WHERE d.item = i.item OR (d.item IS NULL AND d.n IN
    (SELECT k.n FROM records k WHERE k.stream = t.stream AND k.first_seq <= i.last_seq AND k.last_seq >= i.first_seq)))
    AND instr(x.title || x.text || x.input || x.output, '[redacted:') > 0`,
};

const EXCERPT_LENGTH = 160;

/** Finds what a query asks for, newest first; with words, best first. Throws RangeError where the words are no query of FTS5. */
export function searchArchive(db: SqlDatabase, query: SearchQuery): readonly Hit[] {
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (sql: string, ...given: SqlValue[]) => {
    where.push(sql);
    values.push(...given);
  };
  const words = query.text === undefined ? '' : ftsWords(query.text);
  if (words !== '') add('search MATCH ?', words);
  if (query.agent !== undefined) add('a.public_key = ?', query.agent);
  if (query.session !== undefined) add('r.session = ?', query.session);
  if (query.toolKind !== undefined) add('o.tool_kind = ?', query.toolKind);
  if (query.path !== undefined) {
    add('EXISTS (SELECT 1 FROM file_rows f WHERE f.item = i.item AND instr(f.path, ?) > 0)', query.path);
  }
  if (query.decision === 'none') add(`o.item IS NOT NULL AND NOT EXISTS (${ASKED})`);
  else if (query.decision !== undefined) {
    const { decision } = query;
    add(
      `(? IN (${DECISION}, p.option_kind) OR EXISTS (${ASKED} AND ? IN (${DECISION}, p.option_kind)))`,
      decision,
      decision,
    );
  }
  if (query.from !== undefined) add('i.at >= ?', query.from);
  // A day or an hour without its rest means all of it.
  if (query.to !== undefined) add('i.at <= ?', `${query.to}~`);
  if (query.errors === true) add("(i.kind = 'error' OR o.status = 'failed' OR coalesce(o.exit_code, 0) <> 0)");
  if (query.question !== undefined) add(QUESTION_SQL[query.question]);
  const search = words === '' ? '' : ' JOIN search ON search.rowid = i.item';
  const excerpt =
    words === ''
      ? `substr(CASE WHEN x.text <> '' THEN x.text WHEN x.output <> '' THEN x.output ELSE x.input END, 1, ${EXCERPT_LENGTH})`
      : "snippet(search, -1, '', '', '…', 24)";
  const order = words === '' ? 'i.at DESC' : 'rank, i.at DESC';
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
  const sql = `SELECT ${COLUMNS}, ${excerpt} AS excerpt ${FROM}${search}${filter} ORDER BY ${order} LIMIT ?`;
  return db.prepare(sql).all(...values, query.limit) as Hit[];
}

/** Every word as FTS5 reads it literally; quoted stretches stay together. */
function ftsWords(text: string): string {
  const words = text.replaceAll('\0', ' ').match(/"[^"]+"|[^\s"]+/g) ?? [];
  return words.map((word) => `"${word.replace(/^"|"$/g, '').replaceAll('"', '""')}"`).join(' ');
}
