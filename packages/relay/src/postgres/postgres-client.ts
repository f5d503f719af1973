import pg from 'pg';
import type { StoreError } from '../store/data-dir.ts';
import type { Sql } from '../store/sql.ts';

/** How one database is reached: where reading can't keep writing from its connections. */
export interface PostgresClient {
  /** host:port/database, without a user or password. */
  readonly place: string;
  /** Runs one statement for reading; rejects when it fails, or when too many wait. */
  read<Row>(statement: Sql): Promise<readonly Row[]>;
  /** Runs one statement, a transaction of its own, for writing; durable once it resolves. */
  write<Row>(statement: Sql): Promise<readonly Row[]>;
  /** Runs several statements as one transaction. */
  transaction<T>(act: (run: <Row>(statement: Sql) => Promise<readonly Row[]>) => Promise<T>): Promise<T>;
  /** Safe to call again. */
  close(): Promise<void>;
}

const READERS = 6;
const WRITERS = 2;
/** Statements that wait for a connection; what is over it fails at once instead of waiting for ever. */
const MAX_WAITING = 1_000;
const CONNECT_MS = 5_000;
/** The server gives a statement up after this; we wait a little longer for it to say so. */
const STATEMENT_MS = 10_000;

/** What every connection is set to: durable commits, whatever the server's default, and no compiling of short queries. */
const SESSION = `SET synchronous_commit = on; SET jit = off; SET default_transaction_isolation = 'read committed'; SET statement_timeout = ${STATEMENT_MS}`;

/** Prepares to reach a database under a name that its other users can see; nothing is connected yet. Throws RangeError for what is no postgres:// URL. */
export function postgresClient(url: string, name: string): PostgresClient {
  const config = {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + 2_000,
    keepAlive: true,
    // Awaited by the pool before the connection is given to anybody.
    onConnect: async (connection: pg.ClientBase) => {
      await connection.query(SESSION);
    },
  };
  const readers = openPool({ ...config, max: READERS });
  const writers = openPool({ ...config, max: WRITERS });
  let closing: Promise<unknown> | undefined;
  return {
    place: placeOf(url),
    read: (statement) => run(readers, statement),
    write: (statement) => run(writers, statement),
    async transaction(act) {
      const client = await writers.connect();
      let failure: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await act(async <Row>({ text, params }: Sql) => {
          return (await client.query(numbered(text), [...params])).rows as readonly Row[];
        });
        await client.query('COMMIT');
        return result;
      } catch (cause) {
        failure = cause instanceof Error ? cause : new Error(String(cause));
        throw cause;
      } finally {
        // A connection whose transaction failed is not used again.
        client.release(failure);
      }
    },
    close: async () => {
      closing ??= Promise.all([readers.end(), writers.end()]);
      await closing;
    },
  };
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // A connection that breaks while nobody uses it is replaced when somebody does; who then fails is told why.
  pool.on('error', () => undefined);
  return pool;
}

async function run<Row>(pool: pg.Pool, { text, params }: Sql): Promise<readonly Row[]> {
  if (pool.waitingCount >= MAX_WAITING) throw new Error('too many statements wait for PostgreSQL');
  return (await pool.query(numbered(text), [...params])).rows as readonly Row[];
}

/** Question marks as PostgreSQL's $1, $2 … */
function numbered(text: string): string {
  let last = 0;
  return text.replaceAll('?', () => {
    last += 1;
    return `$${last}`;
  });
}

function placeOf(url: string): string {
  const { hostname, port, pathname, protocol } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') throw new RangeError('expected a postgres:// URL');
  return `${hostname || 'localhost'}:${port || 5432}${pathname}`;
}

/** What went wrong with a database as a sentence for its user; says the place and never the password. */
export function describePostgres(place: string, cause: unknown): StoreError {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = codeOf(first);
  const reason = first instanceof Error ? first.message : String(first);
  const mend = MENDS[code] ?? 'see that it runs and that --postgres names it';
  return { code: 'unreachable', message: `PostgreSQL at ${place} can't be used (${reason}): ${mend}`, cause };
}

/** The system's or PostgreSQL's code of what was thrown, '' when it has none. */
export function codeOf(cause: unknown): string {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : '';
  return typeof code === 'string' ? code : '';
}

/** By system code, or SQLSTATE (PostgreSQL, Appendix A). */
const MENDS: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong: put the whole URL into a file (--postgres @FILE) or HELIOGRAPH_POSTGRES',
  '28000': 'this user may not come in: see pg_hba.conf',
  '3D000': 'make the database first: createdb',
  '42501': 'give this user the right: GRANT CREATE ON DATABASE … TO …',
};
