import { err, type Filter, ok, type Result } from '@heliograph/wire';
import type { AccessStore } from '../store/access-store.ts';
import type { StoreError } from '../store/data-dir.ts';
import {
  type Asker,
  type EventReference,
  eventAddress,
  KIND_DELETION,
  type QueryScope,
  type StoredEvent,
  type SweepScope,
  type WriteOutcome,
} from '../store/event-store.ts';
import type { Journal, Neighbours, RelayStore } from '../store/relay-store.ts';
import { join, type Sql, sql } from '../store/sql.ts';
import type { StorableEvent } from '../store/storable-event.ts';
import { eventRecord } from './event-record.ts';
import { PostgresAccess } from './postgres-access.ts';
import { codeOf, describePostgres, type PostgresClient, postgresClient } from './postgres-client.ts';
import { postgresJournal } from './postgres-journal.ts';
import { type DatabaseRole, databaseName, findNeighbours } from './postgres-neighbours.ts';
import { countMatching, selectEvents, selectNames } from './postgres-query.ts';
import { LOCK, POSTGRES_SCHEMA, POSTGRES_SCHEMA_VERSION, POSTGRES_UPGRADES } from './postgres-schema.ts';

/**
 * Opens the tables of a database (postgres://…), or makes them where there are none; several relays may share them. `role`:
 * a relay that tells the others what it takes (`joined`), or does not (`apart`), or something that only looks in.
 */
export async function openPostgresStore(
  url: string,
  role: DatabaseRole = 'visitor',
): Promise<Result<PostgresStore, StoreError>> {
  const name = databaseName(role);
  const client = postgresClient(url, name);
  try {
    const found = await client.transaction(prepareSchema);
    if (found.ok) return ok(new PostgresStore(client, found.value, name));
    await client.close();
    return found;
  } catch (cause) {
    await client.close();
    return err(describePostgres(client.place, cause));
  }
}

type Run = <Row>(statement: Sql) => Promise<readonly Row[]>;

/** Gives the cluster's id: that of the database, the same for all relays on it. */
async function prepareSchema(run: Run): Promise<Result<string, StoreError>> {
  await run(sql(`SELECT pg_advisory_xact_lock(${LOCK.schema})`));
  const [there] = await run<{ is: boolean }>(sql("SELECT to_regclass('heliograph.relay') IS NOT NULL AS is"));
  if (there?.is !== true) {
    await run(sql(POSTGRES_SCHEMA));
    await run(sql('INSERT INTO heliograph.relay (schema_version) VALUES (?)', POSTGRES_SCHEMA_VERSION));
  }
  const [relay] = await run<{ schema_version: number; cluster: string }>(
    sql('SELECT schema_version, cluster FROM heliograph.relay'),
  );
  if (relay === undefined) throw new Error('heliograph.relay is empty: it was made by something else');
  const { schema_version: version, cluster } = relay;
  for (let from = version; from < POSTGRES_SCHEMA_VERSION; from++) {
    await run(sql(POSTGRES_UPGRADES[from] ?? ''));
    await run(sql('UPDATE heliograph.relay SET schema_version = ?', from + 1));
  }
  if (version <= POSTGRES_SCHEMA_VERSION) return ok(cluster);
  const message = `the database has schema ${version} and this version knows ${POSTGRES_SCHEMA_VERSION}: start the Heliograph that made it, or a later one`;
  return err({ code: 'too-new', message });
}

/** Another writer's lock was in the way of ours, and the database ended one of the two (SQLSTATE). */
const TRY_AGAIN = new Set(['40001', '40P01']);
const MAX_TRIES = 4;

type Named = { readonly c: string; readonly i: Buffer };

/** Durable events in PostgreSQL, shared by every relay that names the same database. */
export class PostgresStore implements RelayStore {
  readonly access: AccessStore;
  readonly place: RelayStore['place'];
  /** The same for all relays on this database, and for no others. */
  readonly cluster: string;
  readonly journal: Journal;
  readonly neighbours: () => Promise<Neighbours>;
  readonly #client: PostgresClient;

  constructor(client: PostgresClient, cluster: string, name: string) {
    this.#client = client;
    this.neighbours = () => findNeighbours(client, name);
    this.cluster = cluster;
    this.access = new PostgresAccess(client);
    this.journal = postgresJournal(client);
    this.place = { postgres: client.place };
  }

  async query(filter: Filter, scope: QueryScope): Promise<readonly StoredEvent[]> {
    const rows = await this.#client.read<Named & { json: string; fresh: boolean }>(selectEvents(filter, scope));
    return rows.map(({ c, i, json, fresh }) => {
      const event = { id: i.toString('hex'), createdAtSec: Number(c), json };
      return fresh ? { ...event, isFresh: true } : event;
    });
  }

  async count(filters: readonly Filter[], asker: Asker, maxCount: number): Promise<number> {
    if (filters.length === 0) return 0;
    const [row] = await this.#client.read<{ n: string }>(countMatching(filters, asker, maxCount));
    return Number(row?.n ?? 0);
  }

  async references(filter: Filter, asker: Asker, maxEvents: number): Promise<readonly EventReference[]> {
    const rows = await this.#client.read<Named>(selectNames(filter, asker, maxEvents));
    return rows.map(({ c, i }) => ({ id: i, createdAtSec: Number(c) }));
  }

  async write(events: readonly StorableEvent[]): Promise<readonly WriteOutcome[]> {
    if (events.length === 0) return [];
    const alone = events.some(({ kind }) => kind === KIND_DELETION);
    const order = alone ? [...events.keys()] : lockOrder(events);
    const records = order.map((index) => eventRecord(events[index] as StorableEvent));
    const [row] = await this.#retry<{ outcomes: WriteOutcome[] }>(
      sql(`SELECT heliograph.write_events(?::json, ${alone}) AS outcomes`, JSON.stringify(records)),
    );
    const outcomes: WriteOutcome[] = [];
    for (const [at, index] of order.entries()) outcomes[index] = row?.outcomes[at] as WriteOutcome;
    return outcomes;
  }

  async #retry<Row>(statement: Sql): Promise<readonly Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#client.write(statement);
      } catch (cause) {
        if (tries >= MAX_TRIES || !TRY_AGAIN.has(codeOf(cause))) throw cause;
      }
    }
  }

  /** One relay at a time, so that several don't do each other's work; the others find nothing to do. */
  async sweep({ nowSec, retention, maxEvents }: SweepScope): Promise<number> {
    const over = [
      sql(
        `SELECT seq, created_at FROM heliograph.events WHERE expires_at <= ? AND kind <> ${KIND_DELETION} LIMIT ?`,
        nowSec,
        maxEvents,
      ),
      ...retention.flatMap(({ kinds, maxAgeSec }) => {
        return kinds.map(([first, last]) => olderThan(first, last, nowSec - maxAgeSec, maxEvents));
      }),
    ];
    const [row] = await this.#retry<{ n: string | null }>(
      join('', [
        sql(`SELECT CASE WHEN pg_try_advisory_xact_lock(${LOCK.sweep}) THEN heliograph.remove_events(ARRAY(`),
        sql('SELECT e.seq FROM heliograph.events e WHERE e.seq IN (SELECT seq FROM ('),
        join(
          ' UNION ',
          over.map((part) => join('', [sql('('), part, sql(')')])),
        ),
        sql(') o ORDER BY created_at LIMIT ?) FOR UPDATE SKIP LOCKED)) END AS n', maxEvents),
      ]),
    );
    return Number(row?.n ?? 0);
  }

  async remove(id: string): Promise<boolean> {
    const [row] = await this.#retry<{ n: string }>(
      sql(
        'SELECT heliograph.remove_events(ARRAY(SELECT seq FROM heliograph.events WHERE id = ?)) AS n',
        Buffer.from(id, 'hex'),
      ),
    );
    return Number(row?.n ?? 0) > 0;
  }

  async trouble(): Promise<string | undefined> {
    try {
      await this.#client.write(sql('UPDATE heliograph.relay SET probed_at = clock_timestamp()'));
      return undefined;
    } catch (cause) {
      return describePostgres(this.#client.place, cause).message;
    }
  }

  async sizeBytes(): Promise<number> {
    const [row] = await this.#client.read<{ bytes: string }>(
      sql("SELECT pg_total_relation_size('heliograph.events') + pg_total_relation_size('heliograph.tags') AS bytes"),
    );
    return Number(row?.bytes ?? 0);
  }

  /** Every stored event's text, in the order they came. */
  async *lines(): AsyncIterable<string> {
    for (let after = '0'; ; ) {
      const rows = await this.#client.read<{ seq: string; json: string }>(
        sql('SELECT seq, json FROM heliograph.events WHERE seq > ? ORDER BY seq LIMIT 100', after),
      );
      for (const { json } of rows) yield json;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/**
 * The order in which all writers take their locks, so that none waits for one that waits for it: events by id, then those
 * with one newest version by address. What belongs together keeps its order, so outcomes are those of the given order.
 */
function lockOrder(events: readonly StorableEvent[]): readonly number[] {
  const keys = events.map((event) => eventAddress(event) ?? event.id);
  return [...events.keys()].sort((a, b) => {
    const [x, y] = [keys[a] ?? '', keys[b] ?? ''];
    return Number(x.includes(':')) - Number(y.includes(':')) || (x < y ? -1 : x > y ? 1 : a - b);
  });
}

/** Kind by kind, so that only the events that go are looked at. */
function olderThan(firstKind: number, lastKind: number, beforeSec: number, maxEvents: number): Sql {
  return sql(
    `WITH RECURSIVE kinds AS (
       SELECT min(kind) AS kind FROM heliograph.events WHERE kind BETWEEN ? AND ?
       UNION ALL
       SELECT (SELECT min(e.kind) FROM heliograph.events e WHERE e.kind > k.kind AND e.kind <= ?)
       FROM kinds k WHERE k.kind IS NOT NULL
     )
     SELECT old.seq, old.created_at FROM kinds k CROSS JOIN LATERAL (
       SELECT e.seq, e.created_at FROM heliograph.events e WHERE e.kind = k.kind AND e.created_at < ?
       ORDER BY e.created_at LIMIT ?
     ) old WHERE k.kind <> ${KIND_DELETION}`,
    firstKind,
    lastKind,
    lastKind,
    beforeSec,
    maxEvents,
  );
}
