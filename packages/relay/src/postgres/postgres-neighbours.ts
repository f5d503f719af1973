import { randomBytes } from 'node:crypto';
import type { Neighbours } from '../store/relay-store.ts';
import { sql } from '../store/sql.ts';
import type { PostgresClient } from './postgres-client.ts';

/** Who uses a database: a relay that others hear (`joined`) or that nobody does (`apart`), or something that only looks in. */
export type DatabaseRole = 'joined' | 'apart' | 'visitor';

const PREFIX = 'heliograph relay';

/** The name a process uses the database under: other relays see it, and tell by it who is there. */
export function databaseName(role: DatabaseRole): string {
  return role === 'visitor' ? PREFIX : `${PREFIX} ${role} ${randomBytes(6).toString('hex')}`;
}

/**
 * The relays that have connections to this database besides the one of this name. A relay always has one: it looks for the
 * operator's decisions every second. Only connections of the same database user are seen.
 */
export async function findNeighbours(client: PostgresClient, ownName: string): Promise<Neighbours> {
  const names = await client.read<{ name: string }>(
    sql(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE ? AND application_name <> ?`,
      `${PREFIX} %`,
      ownName,
    ),
  );
  const count = (role: DatabaseRole): number =>
    names.filter(({ name }) => name.startsWith(`${PREFIX} ${role} `)).length;
  return { joined: count('joined'), apart: count('apart') };
}
