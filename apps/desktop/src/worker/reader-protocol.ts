/** What the page asks of the sessions its worker holds, and what it is told. Plain data; nothing here is a secret. */
import type { FoundItems, FoundLines } from '@heliograph/transcript';
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
  | { readonly type: 'stop'; readonly id: number };

export type ReaderAnswer =
  /** `isDone`: all that is here has been looked through. */
  | { readonly type: 'found'; readonly id: number; readonly found: FoundItems; readonly isDone: boolean }
  | { readonly type: 'found-lines'; readonly id: number; readonly found: FoundLines; readonly isDone: boolean };
