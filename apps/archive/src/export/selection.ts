import type { ExportScope, SqlDatabase, SqlValue } from '@heliograph/record';

/** A condition on rows, with its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The scope, or `undefined` where it asks for everything. */
export function givenScope(scope: ExportScope): ExportScope | undefined {
  const { agent, session, since, until } = scope;
  return (agent ?? session ?? since ?? until) ? scope : undefined;
}

/** What holds of the records (alias `r`) in scope: a session's are its streams', and the controls and usage about it. */
export function recordsIn({ agent, session, since, until }: ExportScope): Condition {
  const parts: string[] = [];
  const values: SqlValue[] = [];
  const add = (sql: string, ...given: SqlValue[]) => {
    parts.push(sql);
    values.push(...given);
  };
  if (agent !== undefined) add('r.agent = (SELECT agent FROM agents WHERE public_key = ?)', agent);
  if (session !== undefined) {
    add(
      `(r.stream IN (SELECT stream FROM streams WHERE session = ?)
        OR r.n IN (SELECT c.n FROM control_rows c JOIN session_rows s ON s.agent = c.agent AND s.channel_id = c.channel_id WHERE s.session = ?)
        OR r.n IN (SELECT u.n FROM usage_rows u JOIN session_rows s ON s.agent = u.agent AND s.session_id = u.session_id WHERE s.session = ?))`,
      session,
      session,
      session,
    );
  }
  if (since !== undefined) add('r.received_ms >= ?', Date.parse(since));
  if (until !== undefined) add('r.received_ms <= ?', Date.parse(until));
  return { sql: parts.length === 0 ? '1' : parts.join(' AND '), values };
}

/** The first and the last record in scope, and the last one to go on to: the next that a signed statement names. */
export function rangeOf(
  db: SqlDatabase,
  scope: ExportScope,
): { readonly first: number; readonly to: number } | undefined {
  const { sql, values } = recordsIn(scope);
  const row = db.prepare(`SELECT min(n) AS first, max(n) AS last FROM records r WHERE ${sql}`).get(...values) as {
    first: number | null;
    last: number | null;
  };
  if (row.first === null || row.last === null) return undefined;
  const stated = db.prepare(
    `SELECT coalesce((SELECT min(at_n) FROM statements WHERE type IN ('checkpoint', 'interruption') AND at_n >= ?), max(n)) AS n FROM records`,
  );
  return { first: row.first, to: (stated.get(row.last) as { n: number }).n };
}
