import type { ExportScope } from '@heliograph/record';
import type { Crypto, Result } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { exportCsv } from './export-csv.ts';
import { exportJsonl } from './export-jsonl.ts';
import { type WriteError, writeWholeFile, writeWholeFolder } from './whole-file.ts';

/** What an archive can be exported as, each in words. */
export const EXPORT_FORMATS = {
  jsonl: 'the records as kept, with what proves them; one file, for archive verify and archive import',
  csv: 'one file for each documented view, in a folder',
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
export function exportArchive(db: Database.Database, options: ExportOptions): Result<void, WriteError> {
  const { format, scope, events, to, crypto } = options;
  db.exec('BEGIN');
  try {
    if (format === 'csv') return writeWholeFolder(to, exportCsv(db, scope));
    return writeWholeFile(to, exportJsonl(db, { scope, events, crypto }));
  } finally {
    db.exec('COMMIT');
  }
}
