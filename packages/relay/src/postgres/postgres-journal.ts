import type { Journal } from '../store/relay-store.ts';
import { sql } from '../store/sql.ts';
import type { PostgresClient } from './postgres-client.ts';

/**
 * Events by the number the database gave them. Numbers are given before the commit, so one may appear among those that were
 * read already, no later than a statement may take: who goes on from a place takes one of some time ago.
 */
export function postgresJournal(client: PostgresClient): Journal {
  return {
    async end() {
      const [row] = await client.read<{ seq: string }>(
        sql('SELECT coalesce(max(seq), 0) AS seq FROM heliograph.events'),
      );
      return Number(row?.seq ?? 0);
    },
    async after(place, maxEvents) {
      const rows = await client.read<{ seq: string; json: string; age: number; over: boolean }>(
        sql(
          `SELECT seq, json, (extract(epoch FROM clock_timestamp() - stored_at) * 1000)::float8 AS age,
             coalesce(expires_at <= extract(epoch FROM clock_timestamp()), false) AS over
           FROM heliograph.events WHERE seq > ? ORDER BY seq LIMIT ?`,
          place,
          maxEvents,
        ),
      );
      const entries = rows.flatMap(({ json, age, over }) => (over ? [] : [{ json, ageMs: age }]));
      return { entries, place: Number(rows.at(-1)?.seq ?? place) };
    },
  };
}
