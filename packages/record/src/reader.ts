import type { ObserverEvent } from '@heliograph/wire';
import type { StoredRecord } from './record.ts';
import type { Statement } from './statement.ts';

/** What an archive says of itself. */
export interface ArchiveAbout {
  readonly chain: string;
  /** The owner's public key, hex. */
  readonly owner: string;
  /** `open`: text in the clear. `sealed`: only ciphertext. */
  readonly atRest: 'open' | 'sealed';
  /** What becomes of a signed event in whose text a secret was seen: `seal` keeps it without its opening, `drop` keeps only its id and signature. */
  readonly secrets: 'seal' | 'drop';
  readonly records: number;
  readonly firstRecord: number | undefined;
  readonly lastRecord: number | undefined;
  readonly bytes: number;
}

export interface ArchivedAgent {
  readonly publicKey: string;
  readonly name: string | undefined;
  readonly keyMadeBy: 'owner' | 'agent' | undefined;
}

/** One channel of one agent. `session` is this file's own number for it. */
export interface ArchivedSession {
  readonly session: number;
  readonly agent: string;
  readonly channelId: string;
  readonly sessionId: string | undefined;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly startedAt: string | undefined;
  readonly lastAt: string | undefined;
  readonly turns: number;
  /** Streams (runs) that carried it, oldest first. */
  readonly streams: readonly string[];
}

/** Which sessions: all that are left out count. Times are RFC 3339, inclusive. */
export interface SessionFilter {
  readonly agent?: string;
  readonly session?: number;
  readonly from?: string;
  readonly to?: string;
}

/** Where a line stands in its session: streams in order, then seqs. */
export interface LineCursor {
  readonly stream: string;
  readonly seq: number;
}

/** Lines in order; `before` and `after` ask for the neighbours, `undefined` at an end. */
export interface LinePage {
  readonly lines: readonly ObserverEvent[];
  readonly before: LineCursor | undefined;
  readonly after: LineCursor | undefined;
}

/** Reads an archive; never writes. Made for any open handle, beside a running archive too. */
export interface ArchiveReader {
  about(): ArchiveAbout;
  agents(): readonly ArchivedAgent[];
  sessions(filter?: SessionFilter): readonly ArchivedSession[];
  /** At most `limit` lines that end before a place, or begin after it; without either, the newest. Lines at one place twice (a conflict) come once; one in which secrets were replaced has their places as `redacted`. */
  lines(
    session: number,
    page: { readonly before?: LineCursor; readonly after?: LineCursor; readonly limit: number },
  ): LinePage;
  /** Events of a stream, `firstSeq` to `lastSeq` inclusive, in order; what is not held is left out. */
  events(agent: string, stream: string, firstSeq: number, lastSeq: number): Iterable<ObserverEvent>;
  /** Records in the order of the chain; with `session`, its streams' alone. */
  records(range?: { readonly from?: number; readonly to?: number; readonly session?: number }): Iterable<StoredRecord>;
  /** Kept texts of a stream's records (by its number in the file) that hold seqs in this range. */
  texts(stream: number, firstSeq: number, lastSeq: number): readonly { readonly n: number; readonly text: string }[];
  /** The newest record of a stream, by its number in the file; 0 when it has none. */
  newestRecord(stream: number): number;
  /** Statements in the order they were made. */
  statements(): readonly Statement[];
}
