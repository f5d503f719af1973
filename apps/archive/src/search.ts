import { DECISION, type SqlDatabase, type SqlValue, TURN_REQUESTS } from '@heliograph/record';

/** What is looked for; what is left out counts as any. Times are RFC 3339 in UTC or their beginnings, inclusive. */
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
  /** A permission's decision, its option's kind, or `none`: a tool call without a recorded one, unless it waits for one now. */
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
  'no-decision':
    'commands, edits, deletions and moves without a recorded decision, but for those that wait for one now',
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
  coalesce(${DECISION}, (SELECT ${DECISION} FROM ${TURN_REQUESTS} AND p.tool_call_id = o.tool_call_id
    ORDER BY j.at DESC LIMIT 1)) AS decision, x.title`;

/** The joins are outer where they narrow nothing: SQLite leaves those out that are not asked about. */
const ROWS = `JOIN turn_rows t ON t.turn = i.turn JOIN streams r USING (stream) JOIN agents a ON a.agent = r.agent
  LEFT JOIN texts x ON x.item = i.item LEFT JOIN tool_rows o ON o.item = i.item LEFT JOIN permission_rows p ON p.item = i.item`;

/** What of a turn's permissions is about this tool call. */
const ASKED = `SELECT 1 FROM ${TURN_REQUESTS} AND p.tool_call_id = o.tool_call_id AND p.decision IS NOT NULL`;
const DENIED = `${DECISION} IN ('rejected', 'cancelled', 'timed_out', 'expired')`;
/** A tool call of a running turn that stands open until somebody decides: nothing was done yet. */
const WAITS = `t.ended_at IS NULL AND o.status IN ('pending', 'in_progress')
  AND EXISTS (SELECT 1 FROM ${TURN_REQUESTS} AND p.tool_call_id = o.tool_call_id AND p.decision IS NULL)`;
const DONE = `o.status IN ('completed', 'in_progress')`;

/** Each begins with what is rare and ends with the items it is about: else every item would be held against everything. */
const QUESTION_SQL: Readonly<Record<Question, string>> = {
  'outside-cwd': `i.item IN (SELECT item FROM file_rows WHERE outside_cwd = 1 AND action IN ('write', 'delete', 'move'))`,
  // Done under the same call, or the very same thing again later in the session without anybody allowing it.
  'denied-then-done': `i.item IN (
    WITH denied AS MATERIALIZED (
      SELECT j.turn, v.session, j.at, p.tool_call_id, p.tool_kind, y.input
      FROM permission_rows p CROSS JOIN item_rows j USING (item) CROSS JOIN turn_rows u USING (turn) CROSS JOIN streams v USING (stream)
      CROSS JOIN texts y ON y.item = p.item WHERE ${DENIED})
    SELECT i.item FROM denied d CROSS JOIN item_rows i ON i.turn = d.turn CROSS JOIN tool_rows o ON o.item = i.item
      WHERE o.tool_call_id = d.tool_call_id AND ${DONE}
    UNION
    SELECT i.item FROM (SELECT DISTINCT session FROM denied WHERE input <> '') s CROSS JOIN streams v ON v.session = s.session
      CROSS JOIN turn_rows t ON t.stream = v.stream CROSS JOIN item_rows i ON i.turn = t.turn AND i.kind = 'tool'
      CROSS JOIN tool_rows o ON o.item = i.item CROSS JOIN texts x ON x.item = i.item
      WHERE ${DONE} AND x.input <> '' AND (s.session, x.input) IN (SELECT session, input FROM denied)
        AND EXISTS (SELECT 1 FROM denied d WHERE d.session = s.session AND d.input = x.input AND d.tool_kind = o.tool_kind
          AND d.at < i.at AND d.tool_call_id IS NOT o.tool_call_id)
        AND NOT EXISTS (${ASKED} AND NOT ${DENIED}))`,
  network: `i.item IN (SELECT item FROM command_rows WHERE network = 1)`,
  'no-decision': `o.tool_kind IN ('execute', 'edit', 'delete', 'move') AND NOT EXISTS (${ASKED}) AND NOT (${WAITS})`,
  secrets: `i.item IN (
    SELECT item FROM redaction_rows WHERE item IS NOT NULL
    UNION
    SELECT i.item FROM redaction_rows d CROSS JOIN records k ON k.n = d.n CROSS JOIN turn_rows t ON t.stream = k.stream
      AND t.first_seq <= k.last_seq AND t.last_seq >= k.first_seq
      CROSS JOIN item_rows i ON i.turn = t.turn AND i.first_seq <= k.last_seq AND i.last_seq >= k.first_seq WHERE d.item IS NULL)
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
    add('i.item IN (SELECT item FROM file_rows WHERE instr(path, ?) > 0)', query.path);
  }
  if (query.decision === 'none') add(`o.item IS NOT NULL AND NOT EXISTS (${ASKED}) AND NOT (${WAITS})`);
  else if (query.decision !== undefined) {
    const { decision } = query;
    add(
      `(? IN (${DECISION}, p.option_kind) OR EXISTS (${ASKED} AND ? IN (${DECISION}, p.option_kind)))`,
      decision,
      decision,
    );
  }
  // As beginnings: what stands there has digits of its own after the second, or none. A day without its rest means all of it.
  if (query.from !== undefined) add('i.at >= ?', query.from.replace('Z', ''));
  if (query.to !== undefined) add('i.at <= ?', `${query.to.replace(/\.999Z$/, '')}~`);
  if (query.errors === true) add("(i.kind = 'error' OR o.status = 'failed' OR coalesce(o.exit_code, 0) <> 0)");
  if (query.question !== undefined) add(QUESTION_SQL[query.question]);
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
  const hasWords = words !== '';
  // Which ones is decided first, by little; what is told of them is read for those alone.
  const found = `SELECT i.item, ${hasWords ? 'rank' : '0'} AS place, i.at
    FROM ${hasWords ? 'search CROSS JOIN item_rows i ON i.item = search.rowid' : 'item_rows i'} ${ROWS}${filter}
    ORDER BY place, i.at DESC LIMIT ?`;
  const excerpt = hasWords
    ? "snippet(search, -1, '', '', '…', 24)"
    : `substr(CASE WHEN x.text <> '' THEN x.text WHEN x.output <> '' THEN x.output ELSE x.input END, 1, ${EXCERPT_LENGTH})`;
  const search = hasWords ? 'CROSS JOIN search ON search.rowid = found.item AND search MATCH ?' : '';
  const sql = `WITH found AS MATERIALIZED (${found})
    SELECT ${COLUMNS}, ${excerpt} AS excerpt FROM found CROSS JOIN item_rows i ON i.item = found.item ${search} ${ROWS}
    LEFT JOIN session_rows e ON e.session = r.session ORDER BY found.place, found.at DESC`;
  return db.prepare(sql).all(...values, query.limit, ...(hasWords ? [words] : [])) as Hit[];
}

/** Every word as FTS5 reads it literally; quoted stretches stay together. */
function ftsWords(text: string): string {
  const words = text.replaceAll('\0', ' ').match(/"[^"]+"|[^\s"]+/g) ?? [];
  return words.map((word) => `"${word.replace(/^"|"$/g, '').replaceAll('"', '""')}"`).join(' ');
}
