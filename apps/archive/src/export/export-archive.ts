import { createReader, type ExportScope } from '@heliograph/record';
import { type Crypto, err, type Result } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { packer } from '../packer.ts';
import { exportCsv } from './export-csv.ts';
import { exportJsonl } from './export-jsonl.ts';
import { exportSessions, type ScopeError } from './export-sessions.ts';
import { type CollectorError, sendOtlp } from './send-otlp.ts';
import { type WriteError, writeWholeFile, writeWholeFolder } from './whole-file.ts';

/** What an archive can be exported as, each in words. */
export const EXPORT_FORMATS = {
  jsonl:
    'the records as kept, with what proves them; one file, for archive verify, and of a whole archive for archive import',
  csv: 'one file for each documented view, in a folder',
  html: 'one session as a page to be replayed, one file without network',
  markdown: 'one session as text to be read',
  claude: 'one session as a Claude Code transcript, to be resumed there',
  asciicast: 'the commands of one session as a terminal recording (asciicast v2)',
  otlp: 'spans of sessions, turns and tool calls (OpenTelemetry, GenAI conventions), one TracesData a line',
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly scope: ExportScope;
  /** JSONL: whether the sealed signed events are in it. */
  readonly events: 'sealed' | 'redacted';
  readonly to: string;
  readonly crypto: Crypto;
}

/** Writes an export of one moment of an archive, whole or not at all. Memory: bounded, whatever the archive's size. */
export function exportArchive(db: Database.Database, options: ExportOptions): Result<void, WriteError | ScopeError> {
  const { format, scope, events, to, crypto } = options;
  db.exec('BEGIN');
  try {
    if (format === 'csv') return writeWholeFolder(to, exportCsv(db, scope));
    if (events === 'redacted' && createReader(db, packer, crypto).about().atRest === 'sealed') {
      const message =
        'only ciphertext is kept in this archive: redacted, nothing would be left. Export it without --redacted';
      return err({ code: 'none', message });
    }
    if (format === 'jsonl') return writeWholeFile(to, exportJsonl(db, { scope, events, crypto }));
    const pieces = exportSessions(db, format, scope, crypto);
    return pieces.ok ? writeWholeFile(to, pieces.value) : pieces;
  } finally {
    db.exec('COMMIT');
  }
}

/** Sends the spans of the sessions in scope to a collector; gives how many requests that took. */
export async function exportToCollector(
  db: Database.Database,
  { scope, url, crypto }: { readonly scope: ExportScope; readonly url: string; readonly crypto: Crypto },
): Promise<Result<number, CollectorError | ScopeError>> {
  db.exec('BEGIN');
  try {
    const pieces = exportSessions(db, 'otlp', scope, crypto);
    return pieces.ok ? await sendOtlp(url, pieces.value) : pieces;
  } finally {
    db.exec('COMMIT');
  }
}
