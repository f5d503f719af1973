/** Marks the file as an archive of ours ("HLAR"), so that another program's SQLite file is never written to. */
export const APPLICATION_ID = 0x484c4152;
/** The layout below; a file with a higher number was written by a later Heliograph. */
export const SCHEMA_VERSION = 3;
/** Grows when other rows are shown of the same records: then what an earlier program showed can't be compared. */
export const VIEWS_VERSION = 2;

/**
 * What is proved. `records` is the chain, small, so that looking at it reads little; `bodies` holds what is large.
 * `content` is a BLOB where the content is canonical base64 (its bytes), else TEXT. `opening` is the key of that one
 * message (NIP-44, 76 bytes): with it anyone can see that the signed ciphertext holds the text. `text` is packed.
 */
const CHAIN = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE agents (agent INTEGER PRIMARY KEY, public_key TEXT NOT NULL UNIQUE, name TEXT, key_made_by TEXT);
  CREATE TABLE session_rows (
    session INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents,
    channel_id TEXT NOT NULL,
    session_id TEXT,
    title TEXT,
    agent_name TEXT,
    cwd TEXT,
    model TEXT,
    mode TEXT,
    UNIQUE (agent, channel_id)
  );
  CREATE TABLE streams (
    stream INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents,
    id TEXT NOT NULL,
    session INTEGER REFERENCES session_rows,
    head_seq INTEGER NOT NULL DEFAULT 0,
    head_hash TEXT,
    closed INTEGER NOT NULL DEFAULT 0,
    viewed_n INTEGER NOT NULL DEFAULT 0,
    UNIQUE (agent, id)
  );
  CREATE INDEX streams_by_session ON streams (session);
  CREATE TABLE records (
    n INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('telemetry', 'control', 'usage')),
    agent INTEGER NOT NULL REFERENCES agents,
    stream INTEGER REFERENCES streams,
    first_seq INTEGER,
    last_seq INTEGER,
    created_at INTEGER NOT NULL,
    received_ms INTEGER NOT NULL,
    envelope BLOB,
    text_sha BLOB,
    hash BLOB NOT NULL
  );
  CREATE INDEX records_by_seq ON records (stream, first_seq);
  CREATE INDEX records_by_time ON records (received_ms);
  CREATE TABLE bodies (
    n INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    tags TEXT NOT NULL,
    sig BLOB NOT NULL,
    content,
    opening BLOB,
    text BLOB
  );
  CREATE TABLE statements (
    s INTEGER PRIMARY KEY,
    type TEXT NOT NULL CHECK (type IN ('checkpoint', 'tombstone', 'redaction', 'interruption')),
    at_n INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    json TEXT NOT NULL
  );
  CREATE INDEX statements_by_n ON statements (type, at_n);
`;

/** What was told beside the records, and secrets seen in them before they were replaced: nothing else here says it again. */
const NOTED = `
  CREATE TABLE lost_rows (
    stream INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (stream, first_seq, last_seq)
  ) WITHOUT ROWID;
  CREATE TABLE redaction_rows (
    redaction INTEGER PRIMARY KEY,
    n INTEGER NOT NULL,
    item INTEGER,
    kind TEXT NOT NULL,
    digest TEXT NOT NULL
  );
  CREATE INDEX redaction_rows_by_n ON redaction_rows (n);
  CREATE INDEX redaction_rows_by_item ON redaction_rows (item);
`;

/** What is shown: filled from the records and made from them again at any time. Times are RFC 3339 texts, as the harness stamped them. */
const SHOWN = `
  CREATE TABLE turn_rows (
    turn INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES streams,
    id TEXT NOT NULL,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT,
    stop_reason TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    total_tokens INTEGER,
    UNIQUE (stream, id)
  );
  CREATE INDEX turn_rows_by_time ON turn_rows (started_at);
  CREATE TABLE item_rows (
    item INTEGER PRIMARY KEY,
    turn INTEGER NOT NULL REFERENCES turn_rows,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    late INTEGER NOT NULL DEFAULT 0,
    topic TEXT,
    truncated INTEGER NOT NULL DEFAULT 0,
    UNIQUE (turn, id)
  );
  CREATE INDEX item_rows_by_kind ON item_rows (kind, at);
  CREATE TABLE texts (item INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, input TEXT NOT NULL, output TEXT NOT NULL);
  CREATE TABLE tool_rows (
    item INTEGER PRIMARY KEY,
    tool_call_id TEXT NOT NULL,
    tool_kind TEXT NOT NULL,
    status TEXT NOT NULL,
    parent_tool_call_id TEXT,
    exit_code INTEGER,
    ended_at TEXT
  );
  CREATE TABLE permission_rows (
    item INTEGER PRIMARY KEY,
    tool_call_id TEXT,
    tool_kind TEXT NOT NULL,
    options TEXT NOT NULL,
    state TEXT NOT NULL,
    decision TEXT,
    option_id TEXT,
    option_kind TEXT,
    decided_by TEXT,
    viewer TEXT,
    rule TEXT,
    decided_at TEXT
  );
  CREATE INDEX permission_rows_by_call ON permission_rows (tool_call_id);
  CREATE TABLE file_rows (
    item INTEGER NOT NULL,
    path TEXT NOT NULL,
    action TEXT NOT NULL,
    outside_cwd INTEGER NOT NULL,
    PRIMARY KEY (item, path, action)
  ) WITHOUT ROWID;
  CREATE INDEX file_rows_by_path ON file_rows (path);
  CREATE TABLE command_rows (item INTEGER PRIMARY KEY, command TEXT NOT NULL, network INTEGER NOT NULL);
  CREATE TABLE control_rows (
    n INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    request_id TEXT,
    type TEXT NOT NULL,
    issued_at TEXT,
    channel_id TEXT,
    detail TEXT NOT NULL
  );
  CREATE INDEX control_rows_by_request ON control_rows (request_id);
  CREATE TABLE control_result_rows (
    stream INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    request_id TEXT,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    at TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
  ) WITHOUT ROWID;
  CREATE INDEX control_result_rows_by_request ON control_result_rows (request_id);
  CREATE TABLE usage_rows (
    n INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL,
    session_id TEXT,
    turn_id TEXT,
    model TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    total_tokens INTEGER,
    cost_usd REAL,
    detail TEXT NOT NULL
  );
`;

/** The index of words keeps no second copy of the text; triggers keep it in step. */
const SEARCH = `
  CREATE VIRTUAL TABLE search USING fts5(title, text, input, output, content='texts', content_rowid='item', tokenize='unicode61 remove_diacritics 2');
  CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
    INSERT INTO search (rowid, title, text, input, output) VALUES (new.item, new.title, new.text, new.input, new.output);
  END;
  CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
    INSERT INTO search (search, rowid, title, text, input, output) VALUES ('delete', old.item, old.title, old.text, old.input, old.output);
  END;
  CREATE TRIGGER texts_changed AFTER UPDATE ON texts BEGIN
    INSERT INTO search (search, rowid, title, text, input, output) VALUES ('delete', old.item, old.title, old.text, old.input, old.output);
    INSERT INTO search (rowid, title, text, input, output) VALUES (new.item, new.title, new.text, new.input, new.output);
  END;
`;

/** How a request `p` of permission_rows was decided: by the kind of the option that was taken, where it has one. */
export const DECISION =
  "CASE WHEN p.option_kind LIKE 'allow%' THEN 'allowed' WHEN p.option_kind LIKE 'reject%' THEN 'rejected' ELSE p.decision END";

/**
 * The requests of turn `t`, as `j` and `p`, by the index of a turn's items: their ids begin with their kind. An agent may give
 * calls the same ids in every session, so looking for the call's id first would read all of them.
 */
export const TURN_REQUESTS = `item_rows j CROSS JOIN permission_rows p ON p.item = j.item
  WHERE j.turn = t.turn AND j.id >= 'permission:' AND j.id < 'permission;'`;

/** The documented views (docs/ARCHIVE.md): plain columns, for any SQLite from 3.40 on. */
const VIEWS = `
  CREATE VIEW about AS SELECT
    (SELECT value FROM meta WHERE name = 'chain') AS chain,
    (SELECT value FROM meta WHERE name = 'owner') AS owner,
    (SELECT value FROM meta WHERE name = 'at_rest') AS at_rest,
    CASE (SELECT value FROM meta WHERE name = 'at_rest')
      WHEN 'sealed' THEN 'Only ciphertext is kept here: the other views are empty. Whoever has the owner''s key can open what it holds'
      ELSE 'Text is kept in the clear, known secrets replaced.' END AS note,
    (SELECT count(*) FROM records) AS records,
    (SELECT min(n) FROM records) AS first_record,
    (SELECT max(n) FROM records) AS last_record;
  CREATE VIEW sessions AS SELECT
    s.session, a.public_key AS agent, coalesce(a.name, s.agent_name) AS agent_name, a.key_made_by,
    s.channel_id, s.session_id, s.title, s.cwd, s.model, s.mode,
    (SELECT min(t.started_at) FROM turn_rows t JOIN streams r USING (stream) WHERE r.session = s.session) AS started_at,
    (SELECT max(coalesce(t.ended_at, t.started_at)) FROM turn_rows t JOIN streams r USING (stream) WHERE r.session = s.session) AS last_at,
    (SELECT count(*) FROM turn_rows t JOIN streams r USING (stream) WHERE r.session = s.session AND t.source <> 'none') AS turns
    FROM session_rows s JOIN agents a USING (agent);
  CREATE VIEW turns AS SELECT
    t.turn, r.session, r.id AS stream, t.id AS turn_id, t.source, t.status, t.outcome, t.stop_reason, t.started_at, t.ended_at,
    t.first_seq, t.last_seq, t.input_tokens, t.output_tokens, t.total_tokens
    FROM turn_rows t JOIN streams r USING (stream);
  CREATE VIEW messages AS SELECT
    i.item, r.session, t.turn, r.id AS stream, i.first_seq, i.last_seq, i.at, i.kind AS author, x.text, i.truncated
    FROM item_rows i JOIN turn_rows t USING (turn) JOIN streams r USING (stream) JOIN texts x USING (item)
    WHERE i.kind IN ('user', 'agent', 'thought');
  CREATE VIEW tool_calls AS SELECT
    i.item, r.session, t.turn, r.id AS stream, i.first_seq, i.last_seq, i.at, o.ended_at, o.tool_call_id, o.tool_kind, x.title,
    o.status, o.exit_code, x.input, x.output, o.parent_tool_call_id, i.truncated,
    (SELECT ${DECISION} FROM ${TURN_REQUESTS} AND p.tool_call_id = o.tool_call_id ORDER BY j.at DESC LIMIT 1) AS decision,
    EXISTS (SELECT 1 FROM ${TURN_REQUESTS} AND p.tool_call_id = o.tool_call_id AND p.decision IS NOT NULL) AS decided
    FROM item_rows i JOIN turn_rows t USING (turn) JOIN streams r USING (stream) JOIN tool_rows o USING (item) JOIN texts x USING (item);
  CREATE VIEW permissions AS SELECT
    i.item, r.session, t.turn, r.id AS stream, i.first_seq, i.last_seq, p.tool_call_id, p.tool_kind, x.title, x.input, p.options,
    i.at AS asked_at, p.state, ${DECISION} AS decision, p.option_id, p.option_kind, p.decided_by, p.viewer, p.rule, p.decided_at,
    round((julianday(p.decided_at) - julianday(i.at)) * 86400000) AS waited_ms
    FROM item_rows i JOIN turn_rows t USING (turn) JOIN streams r USING (stream) JOIN permission_rows p USING (item) JOIN texts x USING (item);
  CREATE VIEW files_touched AS SELECT
    f.path, f.action, f.outside_cwd, c.session, c.turn, c.item, c.tool_call_id, c.status, c.decision, c.at, c.stream, c.first_seq
    FROM file_rows f JOIN tool_calls c USING (item);
  CREATE VIEW commands_run AS SELECT
    m.command, m.network, c.exit_code, c.status, c.decision, c.decided, c.session, c.turn, c.item, c.tool_call_id, c.at, c.ended_at, c.stream, c.first_seq
    FROM command_rows m JOIN tool_calls c USING (item);
  CREATE VIEW controls AS SELECT
    c.n, a.public_key AS agent, s.session, c.type, c.request_id, c.issued_at, q.status, q.reason, q.at AS answered_at, c.detail
    FROM control_rows c JOIN agents a USING (agent)
    LEFT JOIN session_rows s ON s.agent = c.agent AND s.channel_id = c.channel_id
    LEFT JOIN control_result_rows q ON q.request_id = c.request_id AND q.at =
      (SELECT max(z.at) FROM control_result_rows z WHERE z.request_id = c.request_id);
  CREATE VIEW usage AS SELECT
    u.n, a.public_key AS agent, s.session, u.session_id, u.turn_id, u.model, u.input_tokens, u.output_tokens, u.total_tokens,
    u.cost_usd, strftime('%Y-%m-%dT%H:%M:%SZ', b.created_at, 'unixepoch') AS at, u.detail
    FROM usage_rows u JOIN agents a USING (agent) JOIN records b USING (n)
    LEFT JOIN session_rows s ON s.agent = u.agent AND s.session_id = u.session_id;
  CREATE VIEW gaps AS
    WITH held AS (
      SELECT stream, first_seq, last_seq, coalesce(max(last_seq) OVER (PARTITION BY stream ORDER BY first_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM records WHERE role = 'telemetry' AND stream IS NOT NULL
    ), missing AS (
      SELECT stream, before + 1 AS first_seq, first_seq - 1 AS last_seq FROM held WHERE first_seq > before + 1
      UNION ALL
      SELECT r.stream, coalesce(max(k.last_seq), 0) + 1, r.head_seq FROM streams r LEFT JOIN records k ON k.stream = r.stream AND k.role = 'telemetry'
      GROUP BY r.stream HAVING r.head_seq > coalesce(max(k.last_seq), 0)
    )
    SELECT a.public_key AS agent, r.session, r.id AS stream, m.first_seq, m.last_seq, m.last_seq - m.first_seq + 1 AS events,
      coalesce((SELECT group_concat(DISTINCT l.reason) FROM lost_rows l WHERE l.stream = m.stream AND l.first_seq <= m.last_seq AND l.last_seq >= m.first_seq),
        CASE WHEN m.first_seq = 1 AND EXISTS (SELECT 1 FROM statements WHERE type = 'tombstone') THEN 'removed by retention, or never received' ELSE 'never received' END) AS reason
    FROM missing m JOIN streams r USING (stream) JOIN agents a USING (agent);
  CREATE VIEW redactions AS SELECT
    d.redaction, d.n, a.public_key AS agent, r.session, r.id AS stream, k.first_seq, k.last_seq, d.item, d.kind, d.digest
    FROM redaction_rows d JOIN records k USING (n) JOIN agents a ON a.agent = k.agent LEFT JOIN streams r ON r.stream = k.stream;
`;

/** What makes an empty file an archive of this version. */
export const SCHEMA = CHAIN + NOTED + SHOWN + SEARCH + VIEWS;

/** What brings a file of an earlier version to the next, by the version it has. */
export const UPGRADES: Readonly<Record<number, string>> = {
  1: dropAll('VIEW', VIEWS) + VIEWS,
  2: dropAll('VIEW', VIEWS) + VIEWS,
};

/** Takes away all that is shown and makes the empty tables, index and views anew, whatever stands in them. */
export const CLEAR_SHOWN = `
  ${dropAll('VIEW', VIEWS)}
  DROP TABLE IF EXISTS search;
  ${dropAll('TABLE', SHOWN)}
  DELETE FROM redaction_rows WHERE item IS NOT NULL;
  ${SHOWN + SEARCH + VIEWS}`;

/** The same, and what streams and sessions are known by: before all of it is noted anew. */
export const EMPTY_SHOWN = `${CLEAR_SHOWN}
  UPDATE streams SET session = NULL, viewed_n = 0;
  UPDATE session_rows SET session_id = NULL, title = NULL, agent_name = NULL, cwd = NULL, model = NULL, mode = NULL;`;

/**
 * Why a range is lost that no record tells of: a harness said so in answer to the archive's own question. As the archive's
 * word it stays when all else is made anew, and is not compared with what records say.
 */
export const LOST_WHEN_ASKED = 'the harness no longer had it when it was asked';

/** What single records tell of streams and keys. */
export const EMPTY_TOLD = `
  UPDATE streams SET head_seq = 0, head_hash = NULL, closed = 0;
  UPDATE agents SET key_made_by = NULL;
  DELETE FROM lost_rows WHERE reason <> '${LOST_WHEN_ASKED}';`;

function dropAll(type: 'TABLE' | 'VIEW', sql: string): string {
  return [...sql.matchAll(new RegExp(`CREATE ${type} (\\w+)`, 'g'))]
    .map(([, name]) => `DROP ${type} IF EXISTS ${name};\n`)
    .join('');
}
