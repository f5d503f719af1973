import { createReader } from '@heliograph/record';
import { type Crypto, err, ok, type Result } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { joinArchiveFile } from '../archive-file.ts';
import { packer } from '../packer.ts';
import { usedBytes } from '../retention.ts';
import { searchArchive } from '../search.ts';
import { unsealArchive } from '../unseal-archive.ts';
import type { ArchiveTold, AskMessage, ShownArchive, ToldMessage } from './asked.ts';

type Failure = { readonly message: string };

/** An archive of ciphertext only, opened into memory, and what it was opened of. */
interface Unsealed {
  readonly file: string;
  readonly lastRecord: number | undefined;
  readonly db: Database.Database;
}

/** Answers questions about archives' files, one after the other; of ciphertext only one is held open, until it has grown. */
export class Answerer {
  readonly #crypto: Crypto;
  #unsealed: Unsealed | undefined;

  constructor(crypto: Crypto) {
    this.#crypto = crypto;
  }

  /** Never throws: what is wrong is told as a sentence. */
  answer({ asked, ownerSecret }: AskMessage): ToldMessage {
    try {
      const joined = joinArchiveFile(asked.file);
      if (!joined.ok) return joined;
      try {
        if (asked.ask === 'shown') return ok(shownOf(joined.value, this.#crypto));
        const opened = this.#readable(joined.value, asked.file, ownerSecret);
        if (!opened.ok) return opened;
        if (asked.ask === 'search') return ok(searchArchive(opened.value, asked.query));
        return ok(linesOf(opened.value, asked, this.#crypto));
      } finally {
        joined.value.close();
      }
    } catch (error) {
      return err({ message: `${error instanceof Error ? error.message : String(error)}.` });
    }
  }

  /** The file itself where it holds text, else what its owner's key opens of it. */
  #readable(
    db: Database.Database,
    file: string,
    ownerSecret: Uint8Array | undefined,
  ): Result<Database.Database, Failure> {
    const { atRest, lastRecord } = createReader(db, packer, this.#crypto).about();
    if (atRest === 'open') return ok(db);
    if (ownerSecret === undefined) {
      const message =
        'Only ciphertext is kept in this archive: `heliograph archive search --owner-key FILE` opens it with the key of its owner.';
      return err({ message });
    }
    const known = this.#unsealed;
    if (known?.file === file && known.lastRecord === lastRecord) return ok(known.db);
    known?.db.close();
    this.#unsealed = undefined;
    const opened = unsealArchive(db, ownerSecret, this.#crypto);
    if (opened.ok) this.#unsealed = { file, lastRecord, db: opened.value };
    return opened;
  }
}

function shownOf(db: Database.Database, crypto: Crypto): ShownArchive {
  const { records, atRest } = createReader(db, packer, crypto).about();
  const one = (sql: string) => db.prepare(sql).pluck().get() as number | undefined;
  return {
    bytes: usedBytes(db),
    records,
    sessions: one('SELECT count(*) FROM session_rows') ?? 0,
    oldestMs: one('SELECT received_ms FROM records ORDER BY n LIMIT 1'),
    newestMs: one('SELECT received_ms FROM records ORDER BY n DESC LIMIT 1'),
    atRest,
  };
}

function linesOf(
  db: Database.Database,
  { session, after, limit }: Extract<AskMessage['asked'], { ask: 'lines' }>,
  crypto: Crypto,
): ArchiveTold['lines'] {
  const reader = createReader(db, packer, crypto);
  const first = reader.sessions({ session })[0]?.streams[0];
  const from = after ?? (first === undefined ? undefined : { stream: first, seq: 1 });
  if (from === undefined) return { lines: [], before: undefined, after: undefined };
  return reader.lines(session, { after: from, limit });
}
