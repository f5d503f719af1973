import { existsSync, linkSync, rmSync } from 'node:fs';
import {
  createArchive,
  type ExportLine,
  ExportVerifier,
  type ExportVerifierOptions,
  type Manifest,
  parseStatement,
  RecordStore,
  type StatementSigner,
  type VerifyReport,
} from '@heliograph/record';
import { type Crypto, err, ok, type Result } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { newPrivateFile } from '../archive-file.ts';
import { packer } from '../packer.ts';
import { makeViews } from '../views-anew.ts';
import { linesOf } from './read-lines.ts';
import { badLine, type ExportFileError, MAX_LINE_BYTES, reasonOf, unread } from './verify-export.ts';

/** Lines put in one transaction. */
const BATCH = 500;

/** What an import needs: the export, and where the new archive goes. */
export interface ImportOptions extends ExportVerifierOptions {
  readonly from: string;
  readonly to: string;
}

/**
 * Makes a new archive of an export of a whole one, with the same chain and checkpoints, its views made anew. Nothing is
 * made where a line is not as it must be, or something does not verify. Keys are not needed.
 */
export function importArchive(options: ImportOptions): Result<VerifyReport, ExportFileError> {
  const { from, to, crypto } = options;
  if (existsSync(to)) return exists(to);
  const temp = `${to}.part`;
  let db: Database.Database | undefined;
  try {
    for (const tail of ['', '-wal', '-shm']) rmSync(temp + tail, { force: true });
    newPrivateFile(temp);
    db = new Database(temp);
    // Until it is whole it has another name: nothing is lost with the power but the import.
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    const report = fill(db, from, options);
    if (!report.ok) return report;
    makeViews(db, db, crypto);
    db.pragma('journal_mode = DELETE');
    db.pragma('synchronous = FULL');
    db.exec('VACUUM');
    db.close();
    linkSync(temp, to);
    return report;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return exists(to);
    return err({ code: 'unreadable', message: `${from} can't be imported to ${to} (${reasonOf(cause)})`, cause });
  } finally {
    db?.close();
    rmSync(temp, { force: true });
  }
}

function fill(db: Database.Database, from: string, options: ImportOptions): Result<VerifyReport, ExportFileError> {
  const { crypto } = options;
  const verifier = new ExportVerifier(options);
  let store: RecordStore | undefined;
  let count = 0;
  for (const line of linesOf(from, MAX_LINE_BYTES)) {
    const read = line.text === undefined ? unread(line) : verifier.add(line.text);
    if (typeof read === 'string') return badLine(from, line, read);
    if (read.type === 'manifest') {
      const why = unfit(read.manifest);
      if (why !== undefined) return err({ code: 'unfit', message: `${from} ${why}` });
      const { chain, ...settings } = read.manifest;
      createArchive(db, settings, crypto, chain);
      store = new RecordStore({ db, packer, crypto, signer: noSigner });
      db.exec('BEGIN');
    } else {
      const wrong = put(store as RecordStore, read, crypto);
      if (wrong !== undefined) return badLine(from, line, wrong);
    }
    if (++count % BATCH === 0) db.exec('COMMIT; BEGIN');
  }
  if (store === undefined) return err({ code: 'line', message: `${from} is empty: an export has a manifest` });
  db.exec('COMMIT');
  const { report } = verifier.report();
  if (report.ok) return ok(report);
  const message = `${from} does not verify and was not imported. First: ${report.problems[0]?.message}. See heliograph archive verify ${from}`;
  return err({ code: 'damaged', message });
}

function put(store: RecordStore, line: ExportLine, crypto: Crypto): string | undefined {
  try {
    if (line.type === 'agent') store.restoreAgent(line.agent, line.name, line.keyMadeBy);
    if (line.type === 'stream') store.restoreStream(line);
    if (line.type === 'record' && !store.restore(line.record, line.findings)) return 'it is there twice';
    if (line.type === 'link') return 'an export of a whole archive has no links';
    if (line.type === 'statement') {
      const statement = parseStatement(line.json, crypto);
      if (!statement.ok) return statement.error.message;
      store.restoreStatement(statement.value);
    }
    return undefined;
  } catch (cause) {
    // The same number or statement twice.
    if (cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_CONSTRAINT')) return 'it is there twice';
    throw cause;
  }
}

function unfit({ scope, events }: Manifest): string | undefined {
  if (scope !== undefined)
    return 'is an export of a part: only that of a whole archive can be imported; `heliograph archive verify` proves this one as it is';
  if (events === 'redacted')
    return 'is redacted: without the signed events it would be no archive. Export it without --redacted';
  return undefined;
}

const noSigner: StatementSigner = {
  authTag: ['auth', '', '', ''],
  sign: () => {
    throw new TypeError('an import signs nothing');
  },
};

function exists(path: string): Result<never, ExportFileError> {
  return err({ code: 'exists', message: `${path} is there already and was left as it is: name another one` });
}
