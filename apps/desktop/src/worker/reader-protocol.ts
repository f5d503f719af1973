/** What the page asks of the sessions its worker holds, and what it is told. Plain data; nothing here is a secret. */
import type { DiffTexts, FoundItems, LineDiff, RawLine, ReplayLine, TranscriptPatch } from '@heliograph/transcript';
import type { RawSelection } from '../export/raw-files.ts';
import type { SaveFormat } from '../export/save-formats.ts';
import type { FoundSecret } from '../export/session-secrets.ts';
import type { LinePlace } from '../line-place.ts';
import type { SessionRef } from '../store/session-ref.ts';

/** What opens a question; what follows it carries the same id. */
export type ReaderOpening =
  /** Somebody looks at a session: more of it is told, until `stop`. */
  | { readonly type: 'show'; readonly id: number; readonly session: SessionRef }
  /** Items that hold `needle`, told again whenever that changes, until `stop`. */
  | { readonly type: 'search'; readonly id: number; readonly session: SessionRef; readonly needle: string }
  /** A session's raw lines: how many there are and the newest, again when that grows, until `stop`. */
  | ({ readonly type: 'lines'; readonly id: number } & LinesOf)
  /** Raw lines that hold `needle` exactly. */
  | ({ readonly type: 'search-lines'; readonly id: number; readonly needle: string } & LinesOf)
  /** The file of one side's lines, or of both; answered once. */
  | ({ readonly type: 'save-lines'; readonly id: number; readonly selection: RawSelection } & LinesOf)
  /** Looks through a session for secrets, to save it; what comes later is not in it. */
  | ({ readonly type: 'scan'; readonly id: number } & LinesOf)
  /** Opens a session's past: `replay` tells how much there is, again when that grows, until `stop`. */
  | { readonly type: 'replay'; readonly id: number; readonly session: SessionRef }
  /** What changed between two texts; answered once. */
  | ({ readonly type: 'diff'; readonly id: number } & DiffTexts);

/** `run`: the harness stream whose lines stand among the session's, as a viewer knows it; undefined: the newest there is. */
export interface LinesOf {
  readonly session: SessionRef;
  readonly run: string | undefined;
}

export type ReaderFollowing =
  /** To `show`. Away from its end nothing that is shown goes. */
  | { readonly type: 'follow'; readonly id: number; readonly isAtEnd: boolean }
  /** More of what is missing before an item that is shown; to `replay`, too: in the past that is shown. */
  | {
      readonly type: 'more';
      readonly id: number;
      readonly before: { readonly turnId: string; readonly itemId: string };
    }
  /** Shows what may be far from what is shown; `reached` says that it is there if it is anywhere. */
  | { readonly type: 'reach'; readonly id: number; readonly ask: number; readonly place: ItemPlace }
  /** To `lines`. */
  | { readonly type: 'read-lines'; readonly id: number; readonly from: number; readonly count: number }
  | { readonly type: 'place-line'; readonly id: number; readonly ask: number; readonly line: LinePlace }
  /** To `scan`, once it is through: the file, in which of the secrets found only these are kept. */
  | {
      readonly type: 'save';
      readonly id: number;
      readonly as: SaveFormat;
      readonly kept: readonly string[];
      readonly agentName: string;
    }
  /** To `replay`. Shows the session as it was after so many of its lines, or after a line. */
  | { readonly type: 'seek'; readonly id: number; readonly to: number | LinePlace }
  /** Plays from here on: the agent's own pace, `speed` times as fast. */
  | { readonly type: 'play'; readonly id: number; readonly from: number; readonly speed: number }
  | { readonly type: 'pause'; readonly id: number };

export type ReaderRequest = ReaderOpening | ReaderFollowing | { readonly type: 'stop'; readonly id: number };

/** An item by its ids (where no turn is named the newest of that id), by a line it is made of, or the first there is. */
export type ItemPlace = { readonly turnId?: string; readonly itemId: string } | LinePlace | 'first';

/** A line that holds what is looked for; `index`: where it stood among all when that was told. */
export interface FoundLine extends LinePlace {
  readonly index: number;
}

/** Something worth going to in a session's past. */
export interface ReplayMark {
  readonly position: number;
  readonly kind: 'turn' | 'question' | 'failure';
}

export type ReaderAnswer =
  | { readonly type: 'reached'; readonly id: number; readonly ask: number }
  /** `isDone`: all that is here has been looked through. */
  | { readonly type: 'found'; readonly id: number; readonly found: FoundItems; readonly isDone: boolean }
  | {
      readonly type: 'found-lines';
      readonly id: number;
      readonly found: { readonly count: number; readonly hits: readonly FoundLine[] };
      readonly isDone: boolean;
    }
  /** `lines` stand from `from` on. Another `edition`: lines stand elsewhere than they did. */
  | {
      readonly type: 'lines';
      readonly id: number;
      readonly count: number;
      readonly edition: number;
      readonly from: number;
      readonly lines: readonly RawLine[];
    }
  /** −1: it is not here. */
  | { readonly type: 'line-place'; readonly id: number; readonly ask: number; readonly index: number }
  /** `progress`: 0 to 1. */
  | {
      readonly type: 'scanned';
      readonly id: number;
      readonly progress: number;
      readonly found: FoundSecrets | undefined;
    }
  | { readonly type: 'saved'; readonly id: number; readonly name: string; readonly file: Blob }
  /** Why there is no file, in words. */
  | { readonly type: 'not-saved'; readonly id: number; readonly message: string }
  | { readonly type: 'diff'; readonly id: number; readonly diff: LineDiff }
  /** `length`: the position that is now. `prepared`: positions that a seek reaches at once. */
  | {
      readonly type: 'replay';
      readonly id: number;
      readonly length: number;
      readonly prepared: number;
      readonly marks: readonly ReplayMark[];
    }
  /** The session after `position` of its lines. `patch` makes it out of the transcript that was told so far. */
  | {
      readonly type: 'past';
      readonly id: number;
      readonly position: number;
      readonly line: ReplayLine | undefined;
      readonly patch: TranscriptPatch;
      readonly isPlaying: boolean;
      /** It came to the newest line: what it shows is the present. */
      readonly isNow: boolean;
    };

/** What a look for secrets found: listed to be decided on, and what is replaced without being asked about. */
export interface FoundSecrets {
  readonly listed: readonly FoundSecret[];
  readonly unlisted: number;
}
