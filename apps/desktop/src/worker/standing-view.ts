import type { Item, SeqRange, Transcript, TranscriptFold, Turn } from '@heliograph/transcript';
import { coversLine } from '../store/rows.ts';
import type { ItemPlace, ReaderAnswer, ReaderFollowing } from './reader-protocol.ts';
import { LISTED_ITEMS, type SessionTeller } from './session-teller.ts';
import type { Standing } from './standing.ts';

/** Items told of a session that somebody looks at, more where they read further back. */
const SHOWN_ITEMS = 400;
const MORE_ITEMS = 300;

export interface StandingViewOptions {
  readonly agent: string;
  readonly channelId: string | null;
  readonly id: number;
  readonly fold: TranscriptFold;
  readonly teller: SessionTeller;
  /** Asks for lines that were let go; fulfilled once they are here or will not come. */
  readonly bringBack: (ranges: readonly SeqRange[]) => Promise<void>;
  /** There is something to tell now. */
  readonly onChanges: () => void;
  readonly post: (answer: ReaderAnswer) => void;
}

/** A session that is looked at: as much of it is told as somebody sees. */
export class StandingView implements Standing {
  readonly agent: string;
  readonly #options: StandingViewOptions;

  constructor(options: StandingViewOptions) {
    this.agent = options.agent;
    this.#options = options;
    this.#window.resize(SHOWN_ITEMS);
    this.#tell();
  }

  get #window() {
    return this.#options.teller.window(this.#options.channelId);
  }

  #tell(): void {
    this.#options.teller.hurry();
    this.#options.onChanges();
  }

  changed(): void {}

  receive(more: ReaderFollowing): void {
    const { fold, channelId, bringBack } = this.#options;
    if (more.type === 'follow') this.#window.hold(!more.isAtEnd);
    if (more.type === 'more') {
      this.#window.extend(more.before, MORE_ITEMS);
      void bringBack(more.before.itemId === '' ? fold.away(channelId, more.before.turnId) : []);
    }
    if (more.type === 'reach') {
      const away = this.#awayAt(more.place);
      if (away.length === 0) this.#reach(more);
      else void bringBack(away).then(() => this.#reach(more));
    } else this.#tell();
  }

  /** What was let go of the turn in which a place is. */
  #awayAt(place: ItemPlace): readonly SeqRange[] {
    const { fold, channelId } = this.#options;
    if (place === 'first') return [];
    if (!('stream' in place)) return place.turnId === undefined ? [] : fold.away(channelId, place.turnId);
    return fold.away(channelId).filter((range) => coversLine([range], place.stream, place.seq));
  }

  #reach({ place, ask }: Extract<ReaderFollowing, { readonly type: 'reach' }>): void {
    const { id, fold, channelId, post } = this.#options;
    const transcript = fold.transcript(channelId);
    this.#window.reach(transcript, isAt(place, transcript));
    this.#tell();
    // After what it speaks of.
    post({ type: 'reached', id, ask });
  }

  stop(): void {
    this.#window.resize(LISTED_ITEMS);
    this.#window.hold(false);
    this.#tell();
  }
}

function isAt(place: ItemPlace, { turns }: Transcript): (item: Item, turn: Turn) => boolean {
  if (place === 'first') {
    const first = turns.find(({ items }) => items.length > 0)?.items[0];
    return (item) => item === first;
  }
  if ('stream' in place) return ({ refs }) => coversLine(refs, place.stream, place.seq);
  return ({ id }, turn) => id === place.itemId && (place.turnId ?? turn.id) === turn.id;
}
