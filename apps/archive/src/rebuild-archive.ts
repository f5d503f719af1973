import { CLEAR_SHOWN, createReader, VIEWS_VERSION } from '@heliograph/record';
import { type Crypto, err, ok, type Result } from '@heliograph/wire';
import { type ArchiveFileError, describeFault, joinArchiveFile, openArchiveFile } from './archive-file.ts';
import { dropStrangers } from './file-schema.ts';
import { packer } from './packer.ts';
import { remakeViews } from './views-anew.ts';

/** Makes all that an archive shows anew from its records, as its one writer; no key is needed. Resolves to how many records there are. */
export function rebuildArchive(path: string, crypto: Crypto): Result<number, ArchiveFileError> {
  const joined = joinArchiveFile(path);
  if (!joined.ok) return joined;
  const about = createReader(joined.value, packer, crypto).about();
  joined.value.close();
  const opened = openArchiveFile(path, about, crypto);
  if (!opened.ok) return opened;
  const { db, reading, close } = opened.value;
  try {
    const foreign = dropStrangers(db);
    if (foreign.length > 0) {
      const message = `${path}: ${foreign.join(', ')} are not those of an archive, and hold what can't be made anew: nothing here mends that`;
      return err({ code: 'damaged', message });
    }
    if (about.atRest === 'open') remakeViews(db, reading, crypto);
    else db.exec(CLEAR_SHOWN);
    db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('views', ?)").run(String(VIEWS_VERSION));
    return ok(about.records);
  } catch (cause) {
    return err(describeFault(path, cause));
  } finally {
    close();
  }
}
