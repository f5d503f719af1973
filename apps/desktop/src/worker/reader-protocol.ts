/** What the page asks of the sessions its worker holds, and what it is told. Plain data; nothing here is a secret. */
import type { DiffTexts, FoundItems, FoundLines, LineDiff, ReplayLine, TranscriptPatch } from '@heliograph/transcript';
import type { LinePlace } from '../line-place.ts';
import type { SessionRef } from '../store/session-ref.ts';

export type ReaderRequest =
  /** Items that hold `needle`, told again whenever that changes, until `stop`. */
  | { readonly type: 'search'; readonly id: number; readonly session: SessionRef; readonly needle: string }
  /** Raw lines that hold `needle` exactly; `run` is the harness stream whose lines stand among them. */
  | {
      readonly type: 'search-lines';
      readonly id: number;
      readonly session: SessionRef;
      readonly run: string | undefined;
      readonly needle: string;
    }
  /** Opens a session's past: `replay` tells how much there is, again when that grows, until `stop`. */
  | { readonly type: 'replay'; readonly id: number; readonly session: SessionRef }
  /** Shows the session as it was after so many of its lines, or after a line. */
  | { readonly type: 'seek'; readonly id: number; readonly to: number | LinePlace }
  /** Plays from here on: the agent's own pace, `speed` times as fast. */
  | { readonly type: 'play'; readonly id: number; readonly from: number; readonly speed: number }
  | { readonly type: 'pause'; readonly id: number }
  /** What changed between two texts; answered once. */
  | ({ readonly type: 'diff'; readonly id: number } & DiffTexts)
  | { readonly type: 'stop'; readonly id: number };

/** Something worth going to in a session's past. */
export interface ReplayMark {
  readonly position: number;
  readonly kind: 'turn' | 'question' | 'failure';
}

export type ReaderAnswer =
  /** `isDone`: all that is here has been looked through. */
  | { readonly type: 'found'; readonly id: number; readonly found: FoundItems; readonly isDone: boolean }
  | { readonly type: 'found-lines'; readonly id: number; readonly found: FoundLines; readonly isDone: boolean }
  | { readonly type: 'diff'; readonly id: number; readonly diff: LineDiff }
  /** `length`: the position that is now. `prepared`: positions that a seek reaches at once. */
  | {
      readonly type: 'replay';
      readonly id: number;
      readonly length: number;
      readonly prepared: number;
      readonly marks: readonly ReplayMark[];
    }
  /** The session after `position` of its lines. `patch` makes it out of the transcript of all events told so far. */
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
