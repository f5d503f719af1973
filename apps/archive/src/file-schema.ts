import { SCHEMA } from '@heliograph/record';
import Database from 'better-sqlite3';

interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Tables, views, triggers and indices of a file that are not as an archive of this version has them, by type and name. */
export function alteredSchema(db: Database.Database): readonly string[] {
  return strangeEntries(db).map(({ type, name }) => `${type} ${name}`);
}

/**
 * Takes away what an archive of this version does not have. Returns what can't be mended so: tables of the chain that are
 * not there, or other ones. Throws what SQLite throws.
 */
export function dropStrangers(db: Database.Database): readonly string[] {
  const order = ['trigger', 'view', 'index', 'table'];
  const strange = strangeEntries(db)
    .filter(({ isThere }) => isThere)
    .sort((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
  const own = new Map(expected().map((entry) => [keyOf(entry), entry]));
  for (const { type, name } of strange) {
    const isChain = CHAIN_TABLES.has(name) && own.has(`${type} ${name}`);
    if (!isChain) db.exec(`DROP ${type.toUpperCase()} IF EXISTS "${name.replaceAll('"', '""')}"`);
  }
  return strangeEntries(db).flatMap(({ type, name }) => (CHAIN_TABLES.has(name) ? [`${type} ${name}`] : []));
}

/** What is proved or noted, and can't be made anew. */
const CHAIN_TABLES = new Set([
  ...['meta', 'agents', 'session_rows', 'streams', 'records', 'bodies', 'statements', 'lost_rows', 'redaction_rows'],
]);

function strangeEntries(db: Database.Database): readonly (SchemaEntry & { readonly isThere: boolean })[] {
  const own = new Map(expected().map((entry) => [keyOf(entry), entry]));
  const found = new Map(entriesOf(db).map((entry) => [keyOf(entry), entry]));
  return [...new Map([...own, ...found])].flatMap(([key, entry]) => {
    const isThere = found.has(key);
    return isThere && own.get(key)?.sql === found.get(key)?.sql && own.has(key) ? [] : [{ ...entry, isThere }];
  });
}

function expected(): readonly SchemaEntry[] {
  const empty = new Database(':memory:');
  try {
    empty.exec(SCHEMA);
    return entriesOf(empty);
  } finally {
    empty.close();
  }
}

function entriesOf(db: Database.Database): readonly SchemaEntry[] {
  const sql = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  return db.prepare(sql).all() as SchemaEntry[];
}

function keyOf({ type, name }: SchemaEntry): string {
  return `${type} ${name}`;
}
