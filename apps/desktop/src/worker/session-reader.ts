import type { Clock, ViewerEvent } from '@heliograph/client';
import { diffLines, LineSearch, TranscriptFold, TranscriptSearch } from '@heliograph/transcript';
import { streamsOf } from '../store/raw-files.ts';
import type { SessionRef } from '../store/session-ref.ts';
import type { ReaderAnswer, ReaderRequest } from './reader-protocol.ts';
import { Slices } from './slices.ts';
import { StandingReplay } from './standing-replay.ts';
import { type Standing, StandingSearch } from './standing-search.ts';

export interface SessionReaderOptions {
  readonly clock: Clock;
  readonly post: (answer: ReaderAnswer) => void;
}

/**
 * Reads sessions for the page, off its thread: it holds the same events as the page, folds them when asked, and does what
 * takes long in slices. What was asked stands until it is stopped.
 */
export class SessionReader {
  readonly #clock: Clock;
  readonly #post: (answer: ReaderAnswer) => void;
  readonly #slices: Slices;
  readonly #folds = new Map<string, TranscriptFold>();
  readonly #standing = new Map<number, Standing>();

  constructor({ clock, post }: SessionReaderOptions) {
    this.#clock = clock;
    this.#post = post;
    this.#slices = new Slices(clock);
  }

  /** Takes what the viewer tells; only observer events matter here. */
  take(event: ViewerEvent): void {
    if (event.type !== 'events') return;
    const fold = this.#fold(event.agent);
    for (const one of event.events) fold.insert(one);
    for (const standing of this.#standing.values()) if (standing.agent === event.agent) standing.changed();
  }

  receive(request: ReaderRequest): void {
    const { id } = request;
    const known = this.#standing.get(id);
    const replay = known instanceof StandingReplay ? known : undefined;
    switch (request.type) {
      case 'stop':
        known?.stop();
        this.#standing.delete(id);
        return;
      case 'seek':
        replay?.seek(request.to);
        return;
      case 'play':
        replay?.play(request.from, request.speed);
        return;
      case 'pause':
        replay?.pause();
        return;
      case 'diff':
        this.#post({ type: 'diff', id, diff: diffLines(request.oldText, request.newText) });
        return;
      case 'search':
      case 'search-lines':
      case 'replay': {
        const standing = this.#open(request);
        this.#standing.set(id, standing);
        standing.changed();
      }
    }
  }

  #open(request: Extract<ReaderRequest, { readonly session: SessionRef }>): Standing {
    const { id, session } = request;
    const { agent, channelId } = session;
    const fold = this.#fold(agent);
    const shared = { agent, clock: this.#clock, slices: this.#slices };
    if (request.type === 'replay') return new StandingReplay({ ...shared, id, channelId, fold, post: this.#post });
    if (request.type === 'search') {
      const search = new TranscriptSearch(request.needle);
      return new StandingSearch({
        ...shared,
        run: () => search.run(fold.transcript(channelId)),
        tell: (isDone) => this.#post({ type: 'found', id, found: search.found, isDone }),
      });
    }
    const search = new LineSearch(request.needle);
    const streams = () => streamsOf(fold.transcript(channelId).streams, request.run);
    return new StandingSearch({
      ...shared,
      run: () => search.run(fold.log, streams(), channelId),
      tell: (isDone) => this.#post({ type: 'found-lines', id, found: search.found, isDone }),
    });
  }

  #fold(agent: string): TranscriptFold {
    let fold = this.#folds.get(agent);
    if (fold === undefined) {
      fold = new TranscriptFold();
      this.#folds.set(agent, fold);
    }
    return fold;
  }
}
