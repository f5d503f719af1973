import { type Crypto, hexEncode } from '@heliograph/wire';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, VIEWS_VERSION } from './schema.ts';
import { inTransaction, type SqlDatabase } from './sql.ts';

/** What an archive is from its first day on. */
export interface ArchiveSettings {
  /** The owner's public key, hex. */
  readonly owner: string;
  /** `open`: text in the clear, known secrets replaced. `sealed`: only ciphertext. */
  readonly atRest: 'open' | 'sealed';
  /** Of an event in whose text a secret was seen: `seal` keeps the ciphertext without its opening, `drop` its id and signature alone. */
  readonly secrets: 'seal' | 'drop';
}

/**
 * Makes an empty database an archive with a chain of its own; with `chain`, one that goes on from an export. Throws what
 * SQLite throws, with nothing made.
 */
export function createArchive(
  db: SqlDatabase,
  { owner, atRest, secrets }: ArchiveSettings,
  crypto: Crypto,
  chain: string = hexEncode(crypto.randomBytes(32)),
): void {
  // Space that retention frees is given back in steps, without a copy of the file.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  inTransaction(db, () => {
    db.exec(SCHEMA);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    const set = db.prepare('INSERT INTO meta (name, value) VALUES (?, ?)');
    const salt = hexEncode(crypto.randomBytes(16));
    const values = { chain, owner, at_rest: atRest, secrets, salt, views: String(VIEWS_VERSION) };
    for (const [name, value] of Object.entries(values)) set.run(name, value);
  });
}
