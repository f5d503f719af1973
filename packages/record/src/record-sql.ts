import type { SqlDatabase, SqlStatement } from './sql.ts';

/** Prepares every statement a store writes with. Throws what SQLite throws. */
export function prepareAll(db: SqlDatabase) {
  const prepare = (sql: string): SqlStatement => db.prepare(sql);
  return {
    meta: prepare('SELECT value FROM meta WHERE name = ?'),
    setMeta: prepare(
      'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ),
    addAgent: prepare('INSERT OR IGNORE INTO agents (public_key) VALUES (?)'),
    agent: prepare('SELECT agent FROM agents WHERE public_key = ?'),
    nameAgent: prepare('UPDATE agents SET name = ? WHERE agent = ?'),
    noteKey: prepare('UPDATE agents SET key_made_by = ? WHERE agent = ?'),
    addStream: prepare('INSERT OR IGNORE INTO streams (agent, id) VALUES (?, ?)'),
    stream: prepare('SELECT stream FROM streams WHERE agent = ? AND id = ?'),
    addSession: prepare('INSERT OR IGNORE INTO session_rows (agent, channel_id) VALUES (?, ?)'),
    joinSession: prepare(
      'UPDATE streams SET session = (SELECT session FROM session_rows WHERE agent = ? AND channel_id = ?) WHERE agent = ? AND id = ? AND session IS NULL',
    ),
    noteHead: prepare('UPDATE streams SET head_seq = ?, head_hash = ? WHERE stream = ? AND head_seq < ?'),
    noteClosed: prepare('UPDATE streams SET closed = 1 WHERE stream = ?'),
    noteLost: prepare('INSERT OR IGNORE INTO lost_rows (stream, first_seq, last_seq, reason) VALUES (?, ?, ?, ?)'),
    noteResult: prepare('INSERT OR IGNORE INTO control_result_rows VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addControl: prepare('INSERT INTO control_rows VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addUsage: prepare('INSERT INTO usage_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    addRedaction: prepare('INSERT INTO redaction_rows (n, item, kind, digest) VALUES (?, ?, ?, ?)'),
    topSeq: prepare('SELECT max(first_seq) AS top FROM records WHERE stream = ?'),
    byId: prepare('SELECT 1 FROM records WHERE id = ?'),
    byEnvelope: prepare('SELECT 1 FROM records WHERE stream = ? AND first_seq = ? AND envelope = ?'),
    addRecord: prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    addBody: prepare('INSERT INTO bodies VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addStatement: prepare('INSERT INTO statements (type, at_n, id, json) VALUES (?, ?, ?, ?)'),
    lastOf: prepare('SELECT max(at_n) AS n FROM statements WHERE type = ?'),
    firstRecord: prepare('SELECT min(n) AS n FROM records'),
    hashOf: prepare('SELECT hash FROM records WHERE n = ?'),
    replaceText: prepare('UPDATE bodies SET text = ?, opening = NULL WHERE n = ?'),
    dropContent: prepare('UPDATE bodies SET content = NULL WHERE n = ?'),
    removeUpTo: ['records', 'bodies', 'control_rows', 'usage_rows', 'redaction_rows'].map((table) =>
      prepare(`DELETE FROM ${table} WHERE n <= ?`),
    ),
  };
}

/** What is shown of streams goes with the last record of what it was made from. */
export const REMOVE_SHOWN = `
  CREATE TEMP TABLE IF NOT EXISTS gone_turns (turn INTEGER PRIMARY KEY);
  DELETE FROM gone_turns;
  INSERT INTO gone_turns SELECT turn FROM turn_rows t WHERE NOT EXISTS
    (SELECT 1 FROM records r WHERE r.stream = t.stream AND r.first_seq <= t.last_seq AND r.last_seq >= t.first_seq);
  ${['texts', 'tool_rows', 'permission_rows', 'file_rows', 'command_rows', 'redaction_rows']
    .map(
      (table) =>
        `DELETE FROM ${table} WHERE item IN (SELECT item FROM item_rows WHERE turn IN (SELECT turn FROM gone_turns));`,
    )
    .join('\n  ')}
  DELETE FROM item_rows WHERE turn IN (SELECT turn FROM gone_turns);
  DELETE FROM turn_rows WHERE turn IN (SELECT turn FROM gone_turns);
  DELETE FROM control_result_rows WHERE NOT EXISTS
    (SELECT 1 FROM records r WHERE r.stream = control_result_rows.stream AND r.first_seq <= seq AND r.last_seq >= seq);
  UPDATE streams SET session = NULL WHERE session IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM records r JOIN streams k USING (stream) WHERE k.session = streams.session);
  DELETE FROM session_rows WHERE NOT EXISTS (SELECT 1 FROM streams s WHERE s.session = session_rows.session);
`;
