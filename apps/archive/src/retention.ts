import type { RecordStore, SqlDatabase } from '@heliograph/record';

/** How much is kept; what is left out has no bound. */
export interface Retention {
  readonly maxAgeMs?: number | undefined;
  /** Of the file, its free pages aside. */
  readonly maxBytes?: number | undefined;
}

/** Records removed in one step at most: the rest goes with the next look. */
const MAX_REMOVED = 20_000;
/** Pages given back in one step, 4 KiB each. */
const VACUUM_PAGES = 4_096;
/** What is over the size is removed down to so much of it, so that not every look removes a little. */
const LOW_WATER = 0.95;

/** Removes what is too old or too much, oldest first, leaves a signed tombstone, and gives the space back in steps. Returns how many records went. */
export function applyRetention(db: SqlDatabase, store: RecordStore, retention: Retention, nowMs: number): number {
  const last = Math.max(tooOld(db, retention.maxAgeMs, nowMs), tooMuch(db, retention.maxBytes));
  const first = (db.prepare('SELECT min(n) AS n FROM records').get() as { n: number | null }).n ?? 0;
  const upTo = Math.min(last, first + MAX_REMOVED - 1);
  if (upTo < first || last === 0) return 0;
  const reason =
    upTo <= tooOld(db, retention.maxAgeMs, nowMs) ? ageReason(retention.maxAgeMs) : sizeReason(retention.maxBytes);
  store.prune(upTo, reason, Math.floor(nowMs / 1_000));
  db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
  return upTo - first + 1;
}

/** Bytes in use: the file's pages without the free ones. */
export function usedBytes(db: SqlDatabase): number {
  const row = db
    .prepare(
      'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
    )
    .get() as { bytes: number };
  return row.bytes;
}

function tooOld(db: SqlDatabase, maxAgeMs: number | undefined, nowMs: number): number {
  if (maxAgeMs === undefined) return 0;
  const row = db.prepare('SELECT max(n) AS n FROM records WHERE received_ms < ?').get(nowMs - maxAgeMs);
  return (row as { n: number | null }).n ?? 0;
}

function tooMuch(db: SqlDatabase, maxBytes: number | undefined): number {
  if (maxBytes === undefined) return 0;
  const used = usedBytes(db);
  if (used <= maxBytes) return 0;
  const { count, first } = db.prepare('SELECT count(*) AS count, min(n) AS first FROM records').get() as {
    count: number;
    first: number | null;
  };
  const share = 1 - (maxBytes * LOW_WATER) / used;
  return (first ?? 1) + Math.ceil(count * share) - 1;
}

function ageReason(maxAgeMs = 0): string {
  return `older than ${Math.round(maxAgeMs / 86_400_000)} days`;
}

function sizeReason(maxBytes = 0): string {
  return `the archive was over ${Math.round(maxBytes / 1_000_000)} MB`;
}
