import type { ObserverEvent } from '@heliograph/wire/observer';
import type { LetGoTurn } from './let-go.ts';

/** An observer event as the log hands it to the reducer: parts joined, conflicts marked. */
export interface LogEvent extends ObserverEvent {
  /** Seq of the last part, when the payload came in parts (`seq` is the first's). */
  readonly lastSeq?: number;
  /** The same identity also came with another content; this is the one that came first. */
  readonly conflict?: true;
  /** An `acp_part` whose set is complete and does not join (SHA-256, limits): shown raw. */
  readonly unjoined?: true;
  /** It stands for lines that were let go, from `seq` to `lastSeq`. */
  readonly letGo?: LetGoTurn;
}

/** The name foreign events (without `stream`) have in refs. */
export const FOREIGN_STREAM = '';
