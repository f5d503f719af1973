import { closeSync, openSync, readSync } from 'node:fs';
import { type ExportReport, ExportVerifier, type ExportVerifierOptions, MAX_EXPORT_LINE } from '@heliograph/record';
import { err, ok, type Result } from '@heliograph/wire';
import { describeReport } from '../verify-file.ts';
import { type FileLine, linesOf } from './read-lines.ts';

/** Why an export can't be used. `line`: a line of it is not as it must be. `unreadable`: the system refuses. `unfit`: it holds, but not what is needed. */
export interface ExportFileError {
  readonly code: 'line' | 'unreadable' | 'unfit' | 'exists' | 'damaged';
  readonly message: string;
  readonly cause?: unknown;
}

/** A longest line in UTF-8. */
export const MAX_LINE_BYTES = 3 * MAX_EXPORT_LINE;

/** Whether a file is an export rather than an archive: it begins with a brace. */
export function isExportFile(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const first = Buffer.alloc(1);
      return readSync(file, first) === 1 && first[0] === 0x7b;
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // Whoever opens it says why it can't be read.
  }
}

/** Verifies an export with nothing else than public keys. A line that is none of an export ends it with its number. */
export function verifyExportFile(path: string, options: ExportVerifierOptions): Result<ExportReport, ExportFileError> {
  const verifier = new ExportVerifier(options);
  try {
    for (const line of linesOf(path, MAX_LINE_BYTES)) {
      const read = line.text === undefined ? unread(line) : verifier.add(line.text);
      if (typeof read === 'string') return badLine(path, line, read);
    }
  } catch (cause) {
    return err({ code: 'unreadable', message: `${path} can't be read (${reasonOf(cause)})`, cause });
  }
  if (verifier.manifest === undefined)
    return err({ code: 'line', message: `${path} is empty: an export has a manifest` });
  return ok(verifier.report());
}

/** The sentence for a line that can't be used. */
export function badLine(path: string, { number }: FileLine, why: string): Result<never, ExportFileError> {
  return err({ code: 'line', message: `${path}, line ${number}: ${why}` });
}

/** Why a line could not be read. */
export function unread(_: FileLine): string {
  return `it is no UTF-8, or longer than ${MAX_LINE_BYTES} bytes`;
}

/** What an export proves as sentences for people, the verdict first; `owner`: the key it was verified against, where one was given. */
export function describeExport(
  { manifest, report, links, coveredTo, keyMakersTold }: ExportReport,
  owner?: string,
): readonly string[] {
  const { events, scope } = manifest;
  const [verdict = '', ...lines] = describeReport(report, owner, keyMakersTold);
  const unproved = report.texts.unproved ?? 0;
  const asked =
    scope === undefined
      ? 'An export of a whole archive'
      : `An export of a part (${Object.entries(scope)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')})`;
  const last = report.records.last ?? 0;
  const more = [
    events === 'sealed'
      ? `${asked}, with the sealed signed events.`
      : `${asked}, redacted: the signed events' contents were left out. That ${unproved} texts are what was signed is the archive's word (its checkpoints), not their agents'.`,
  ];
  if (scope !== undefined) {
    more.push(`${links} records between are told by their heads only; what lay before and after is not told.`);
    if (last > 0) {
      more.push(
        coveredTo >= last
          ? `Every record here is covered by a checkpoint that the archive signed at record ${coveredTo}.`
          : `Records after ${coveredTo} are covered by no checkpoint of this export${events === 'sealed' ? ': they are signed by their agents only' : ', and so by nothing'}.`,
      );
    }
  }
  const told = scope === undefined ? lines : lines.filter((line) => !/^(Newest checkpoint|Complete to)/.test(line));
  return [verdict, ...more, ...told];
}

/** A thrown fault in a word. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return String(cause);
}
