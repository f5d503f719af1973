/**
 * What is wrong. `missing`: a record that should stand here does not. `hash`: a record was changed, moved or inserted.
 * `event`: the signed event does not hold, or is not one for this agent and owner. `text`: the text kept is not what was
 * signed. `prev`: the agent's own chain is broken. `checkpoint`, `statement`, `tombstone`: the archive's own signatures do
 * not hold or do not fit. `witness`: a witnessed checkpoint is not in this file. `views`: what is asked is not what is proved.
 */
export type ProblemCode =
  | 'missing'
  | 'hash'
  | 'event'
  | 'text'
  | 'prev'
  | 'checkpoint'
  | 'statement'
  | 'tombstone'
  | 'witness'
  | 'views';

export interface Problem {
  readonly code: ProblemCode;
  /** The record it shows at. */
  readonly n: number | undefined;
  readonly message: string;
}

/** A stretch of a stream that is not here, though it is known to have been. */
export interface ArchiveGap {
  readonly agent: string;
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** What an archive proves, and what it cannot. Times in Unix seconds unless named otherwise. */
export interface VerifyReport {
  readonly ok: boolean;
  /** In the order found: the first names the first bad record. At most 100 are listed. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
  readonly chain: string;
  readonly archiveKey: string | undefined;
  /** Who the archive's key is vouched for by, hex; `undefined` where nobody vouches. */
  readonly owner: string | undefined;
  readonly records: { readonly count: number; readonly first: number | undefined; readonly last: number | undefined };
  /** Of the signed events: whole ones whose id and signature hold, and those whose content was dropped, where only the signature over the id does. */
  readonly events: { readonly whole: number; readonly contentDropped: number };
  /** Of the texts: proved by an opening, replaced because of secrets, and those only the owner's key could open. */
  readonly texts: {
    readonly proved: number;
    readonly redacted: number;
    readonly sealed: number;
    /** Of an export without the signed events: texts that the archive's own chain covers, and nothing else. */
    readonly unproved?: number;
  };
  readonly agents: readonly {
    readonly publicKey: string;
    readonly keyMadeBy: 'owner' | 'agent' | undefined;
    readonly records: number;
  }[];
  readonly streams: number;
  readonly gaps: readonly ArchiveGap[];
  readonly tombstones: readonly {
    readonly first: number;
    readonly last: number;
    readonly reason: string;
    readonly atSec: number;
  }[];
  readonly interruptions: readonly { readonly afterRecord: number; readonly atSec: number }[];
  readonly checkpoint: { readonly n: number; readonly id: string; readonly atSec: number } | undefined;
  /** Records after the last checkpoint: signed by their agents, not yet by the archive. */
  readonly afterCheckpoint: number;
  /** When the newest record was received, RFC 3339; nothing after it can be ruled out. */
  readonly completeTo: string | undefined;
  /**
   * Whether what the file shows when it is asked is what its records say. `behind`: so many streams' newest records are not
   * shown yet, and these streams were not compared. `unknown`: it could not be seen, for this reason. Absent where there are
   * no views.
   */
  readonly views?:
    | { readonly state: 'match' | 'differ' | 'behind' | 'unknown'; readonly behind?: number; readonly reason?: string }
    | undefined;
  /** The witnessed checkpoints that were asked about and found. */
  readonly witnessed: readonly { readonly hash: string; readonly n: number }[];
}
