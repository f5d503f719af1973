import { ArchiveVerifier, createReader, type Problem, type VerifyReport, VIEWS_VERSION } from '@heliograph/record';
import { type Crypto, encodeNpub, ok, type Result } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { type ArchiveFileError, describeFault, joinArchiveFile } from './archive-file.ts';
import { checkViews } from './check-views.ts';
import { packer } from './packer.ts';

export interface VerifyOptions {
  readonly crypto: Crypto;
  /** The owner's public key (hex), known from elsewhere. */
  readonly owner?: string | undefined;
  /** Checkpoints witnessed elsewhere: statement ids or record hashes. */
  readonly witnesses?: readonly string[];
  /** Called now and then with the number of records looked at. */
  readonly onProgress?: (records: number) => void;
}

const PROGRESS_RECORDS = 10_000;

/** Verifies a file with nothing else than public keys; it is only read. */
export function verifyArchiveFile(path: string, options: VerifyOptions): Result<VerifyReport, ArchiveFileError> {
  const opened = joinArchiveFile(path);
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    return ok(verifyOpen(db, path, options));
  } finally {
    db.close();
  }
}

function verifyOpen(db: Database.Database, path: string, options: VerifyOptions): VerifyReport {
  const { crypto, owner, witnesses = [], onProgress } = options;
  const statements = db.prepare('SELECT json FROM statements ORDER BY s').pluck().all() as string[];
  const reader = createReader(db, packer, crypto);
  const { chain, atRest } = reader.about();
  const verifier = new ArchiveVerifier({ chain, statements, crypto, owner, witnesses });
  const damage: Problem[] = [];
  let records = 0;
  let last = 0;
  try {
    for (const record of reader.records()) {
      verifier.add(record);
      last = record.n;
      if (++records % PROGRESS_RECORDS === 0) onProgress?.(records);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const { code } = describeFault(path, cause);
    const message = `record ${last + 1} can't be read (${reason}): ${code === 'damaged' ? 'pages of the file are broken' : 'it is damaged'}`;
    damage.push({ code: 'missing', n: last + 1, message });
  }
  if (damage.length > 0) return { ...verifier.report(damage), views: undefined };
  const { views, problems } = lookAtViews(db, crypto);
  return { ...verifier.report(problems), views: atRest === 'sealed' && problems.length === 0 ? undefined : views };
}

function lookAtViews(
  db: Database.Database,
  crypto: Crypto,
): { readonly views: VerifyReport['views']; readonly problems: readonly Problem[] } {
  const version = Number(db.prepare("SELECT value FROM meta WHERE name = 'views'").pluck().get() ?? 0);
  if (version !== VIEWS_VERSION) {
    const reason = `another version of Heliograph made them, ${version} where this one makes ${VIEWS_VERSION}: \`heliograph archive rebuild\` makes them anew`;
    return { views: { state: 'unknown', reason }, problems: [] };
  }
  try {
    const { problems, behind } = checkViews(db, crypto);
    const state = problems.length > 0 ? 'differ' : behind > 0 ? 'behind' : 'match';
    return { views: { state, ...(behind > 0 ? { behind } : {}) }, problems };
  } catch (cause) {
    return {
      views: { state: 'unknown', reason: cause instanceof Error ? cause.message : String(cause) },
      problems: [],
    };
  }
}

/** Who made agents' keys, by public key, where only an archive's unsigned word says so. */
type KeyMakers = Readonly<Record<string, 'owner' | 'agent'>>;

/**
 * A report as sentences for people, the verdict first. `owner`: the key it was verified against, where one was given; `told`: what
 * is said of keys without proof.
 */
export function describeReport(report: VerifyReport, owner?: string, told: KeyMakers = {}): readonly string[] {
  const { records, events, texts, problems, problemCount, checkpoint, gaps } = report;
  const range = records.count === 0 ? 'no records' : `records ${records.first} to ${records.last}`;
  const lines = [
    report.ok
      ? `VERIFIED: ${range}, every signature and both chains hold${owner === undefined ? ', for the owner that the file itself names (--owner NPUB checks whose it is)' : ''}.`
      : `NOT VERIFIED: ${problemCount} problem${problemCount === 1 ? '' : 's'}. First: ${problems[0]?.message}.`,
  ];
  for (const { code, message } of report.ok ? [] : problems) lines.push(`  [${code}] ${message}.`);
  lines.push(`Chain ${report.chain}.`);
  lines.push(
    report.owner === undefined
      ? 'No statement of the archive is here: nobody vouches for it.'
      : `The archive's key ${npub(report.archiveKey)} is vouched for by the owner ${npub(report.owner)}.`,
  );
  lines.push(`Signed events: ${events.whole} kept whole, ${events.contentDropped} with id and signature only.`);
  lines.push(
    `Texts: ${texts.proved} proved from their signatures; ${texts.redacted} with secrets replaced and ${texts.sealed} kept as ciphertext only, which nobody without the owner's key can compare.`,
  );
  if (report.views !== undefined) lines.push(viewsLine(report.views));
  for (const { publicKey, keyMadeBy, records: count } of report.agents)
    lines.push(agentLine(publicKey, keyMadeBy, count, told[publicKey]));
  for (const { first, last, reason, atSec } of report.tombstones) {
    lines.push(`Removed by retention on ${time(atSec)}: records ${first} to ${last} (${reason}).`);
  }
  for (const { afterRecord, atSec } of report.interruptions) {
    lines.push(
      `The archive had ended without closing, seen on ${time(atSec)}: what it had received after record ${afterRecord} may be missing.`,
    );
  }
  for (const { agent, stream, firstSeq, lastSeq } of gaps.slice(0, 50)) {
    lines.push(`Gap: seqs ${firstSeq} to ${lastSeq} of stream ${stream} of ${npub(agent)} are not here.`);
  }
  if (gaps.length > 50) lines.push(`… and ${gaps.length - 50} more gaps.`);
  for (const { hash, n } of report.witnessed) lines.push(`The witnessed checkpoint ${hash} is here, at record ${n}.`);
  lines.push(
    checkpoint === undefined
      ? 'No checkpoint is signed yet.'
      : `Newest checkpoint: ${checkpoint.id} at record ${checkpoint.n}, ${time(checkpoint.atSec)}; ${report.afterCheckpoint} records after it are signed by their agents only.`,
  );
  lines.push(
    report.completeTo === undefined
      ? 'Nothing is kept.'
      : `Complete to ${report.completeTo}; nothing after can be ruled out.`,
  );
  lines.push('What no file can prove: that an agent did what it says, and what it did without saying.');
  return lines;
}

function viewsLine(views: NonNullable<VerifyReport['views']>): string {
  if (views.state === 'match') return 'Views and index: made anew from the records, they show the same.';
  if (views.state === 'behind')
    return `Views and index: they do not show the newest records of ${views.behind} streams yet, and prove nothing of these; the rest is what the records say. \`heliograph archive rebuild\` makes them anew.`;
  if (views.state === 'differ')
    return 'Views and index: they do not show what the records say. `heliograph archive rebuild` makes them anew.';
  return `Views and index: not compared with the records (${views.reason}); they are made of them, and prove nothing by themselves.`;
}

type KeyMaker = KeyMakers[string] | undefined;

function agentLine(publicKey: string, keyMadeBy: KeyMaker, count: number, told: KeyMaker): string {
  const who = `Agent ${npub(publicKey)}: ${count} records;`;
  if (keyMadeBy === 'agent')
    return `${who} it made its own key, so the owner could not have forged what it signed (as its harness says).`;
  if (keyMadeBy === 'owner') return `${who} the owner made its key (an invite) and could have forged what it signed.`;
  if (told === 'owner')
    return `${who} by the archive's word alone the owner made its key (an invite) and could have forged what it signed.`;
  if (told === 'agent') return `${who} by the archive's word alone it made its key itself.`;
  return `${who} who made its key is not told here.`;
}

function npub(hex: string | undefined): string {
  return hex === undefined ? 'unknown' : encodeNpub(hex);
}

function time(sec: number): string {
  return new Date(sec * 1_000).toISOString().replace('.000', '');
}
