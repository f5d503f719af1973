import { createReader, rebuildShown, type StoredRecord } from '@heliograph/record';
import { type Crypto, err, hexDecode, ok, type Result, utf8Encode } from '@heliograph/wire';
import Database from 'better-sqlite3';
import type { ArchiveFileError } from './archive-file.ts';
import { alteredSchema } from './file-schema.ts';
import { Opener } from './opener.ts';
import { packer } from './packer.ts';
import { makeViews } from './views-anew.ts';

/** Larger files are not opened into memory. */
const MAX_BYTES = 1_000_000_000;

/**
 * A ciphertext-only archive as its owner reads it: opened with their key, views and index made, in memory alone. What
 * another key was meant for stays closed. `db` is only read; the answer is to be closed.
 */
export function unsealArchive(
  db: Database.Database,
  ownerSecret: Uint8Array,
  crypto: Crypto,
): Result<Database.Database, ArchiveFileError> {
  const reader = createReader(db, packer, crypto);
  const { bytes } = reader.about();
  if (bytes > MAX_BYTES) {
    const message = `this archive has ${bytes} bytes, and a sealed one is searched in memory: no more than ${MAX_BYTES} are. Search an export of a part`;
    return err({ code: 'too-large', message });
  }
  // The file's own triggers would run on what is opened here.
  const altered = alteredSchema(db);
  if (altered.length > 0) {
    const message = `the file's ${altered.join(', ')} are not those of an archive: \`heliograph archive rebuild\` takes them away`;
    return err({ code: 'damaged', message });
  }
  const image = db.serialize();
  // The file's header asks for a log beside it (2), which memory has none of: the plain journal (1) is what it gets.
  image.fill(1, 18, 20);
  const memory = new Database(image);
  memory.pragma('foreign_keys = OFF');
  memory.exec("UPDATE meta SET value = 'open' WHERE name = 'at_rest'");
  const salt = memory.prepare("SELECT value FROM meta WHERE name = 'salt'").pluck().get() as string;
  const opener = new Opener(ownerSecret, hexDecode(salt), crypto);
  const keep = memory.prepare('UPDATE bodies SET text = ? WHERE n = ?');
  const mark = memory.prepare('UPDATE records SET text_sha = envelope WHERE n = ?');
  rebuildShown(memory, opened(), crypto);
  makeViews(memory, memory, crypto);
  return ok(memory);

  function* opened(): Generator<StoredRecord> {
    for (const record of reader.records()) {
      const text = record.content === undefined ? undefined : opener.shown(record.agent, record.content);
      if (text === undefined) continue;
      keep.run(packer.pack(utf8Encode(text)), record.n);
      mark.run(record.n);
      yield { ...record, text };
    }
  }
}
