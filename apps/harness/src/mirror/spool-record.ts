import type { SeqSpan } from './sealed-envelope.ts';

/** What a segment file tells of one envelope, but for its content. */
export interface EnvelopeRecord extends SeqSpan {
  readonly hash: string;
  readonly gaps: readonly SeqSpan[];
  /** When its oldest event was read or happened. */
  readonly atMs: number;
  /** Whether some relay took it. */
  readonly accepted: boolean;
}

/** Where the content stands in its file. */
export interface Location {
  readonly offset: number;
  readonly bytes: number;
}

export type SpoolRecord =
  | { readonly type: 'envelope'; readonly record: EnvelopeRecord; readonly location: Location }
  | { readonly type: 'accepted'; readonly stream: string; readonly firstSeq: number };

export interface ReadSegment {
  readonly records: readonly SpoolRecord[];
  /** Up to here the file is whole: what follows is a record that a crash cut short. */
  readonly wholeBytes: number;
  /** Lines before that which are no records. */
  readonly damaged: number;
}

const LF = 10;
const TAB = 9;

/** One line: what is known of an envelope as JSON, a tab, its ciphertext. Never plaintext. */
export function encodeEnvelopeRecord(record: EnvelopeRecord, content: string): { text: string; offset: number } {
  const { stream, firstSeq, lastSeq, hash, gaps, atMs, accepted } = record;
  const head = JSON.stringify({ stream, firstSeq, lastSeq, hash, gaps, atMs, accepted, bytes: content.length });
  return { text: `${head}\t${content}\n`, offset: Buffer.byteLength(head) + 1 };
}

/** One line: some relay took that envelope. */
export function encodeAcceptedRecord({ stream, firstSeq }: SeqSpan): string {
  return `${JSON.stringify({ stream, firstSeq })}\n`;
}

/** Reads a segment file; a line that is no record is left out and counted, what follows is found by its line break. */
export function readSegment(file: Buffer): ReadSegment {
  const records: SpoolRecord[] = [];
  let damaged = 0;
  let start = 0;
  for (let end = file.indexOf(LF); end >= 0; end = file.indexOf(LF, start)) {
    const record = readRecord(file, start, end);
    if (record === undefined) damaged++;
    else records.push(record);
    start = end + 1;
  }
  return { records, wholeBytes: start, damaged };
}

function readRecord(file: Buffer, start: number, end: number): SpoolRecord | undefined {
  const line = file.subarray(start, end);
  const tab = line.indexOf(TAB);
  const head = parseHead(line.toString('utf8', 0, tab < 0 ? line.length : tab));
  if (head === undefined) return undefined;
  const { stream, firstSeq, bytes, ...rest } = head;
  if (typeof stream !== 'string' || typeof firstSeq !== 'number') return undefined;
  if (tab < 0) return { type: 'accepted', stream, firstSeq };
  const { lastSeq, hash, gaps, atMs, accepted } = rest;
  const isWhole = typeof lastSeq === 'number' && typeof hash === 'string' && line.length - tab - 1 === bytes;
  if (!isWhole || !Array.isArray(gaps) || typeof atMs !== 'number') return undefined;
  const record = { stream, firstSeq, lastSeq, hash, gaps, atMs, accepted: accepted === true };
  return { type: 'envelope', record, location: { offset: start + tab + 1, bytes } };
}

function parseHead(text: string): Partial<EnvelopeRecord & { bytes: number }> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Not ours to mend: it is counted as damaged.
  }
}
