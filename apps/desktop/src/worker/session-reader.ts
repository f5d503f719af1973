import type { Clock, ViewerEvent } from '@heliograph/client';
import { diffLines, LineSearch, TranscriptFold, TranscriptSearch } from '@heliograph/transcript';
import { rawFileParts } from '../export/raw-files.ts';
import type { LinesOf, ReaderAnswer, ReaderOpening, ReaderRequest } from './reader-protocol.ts';
import { SessionLines } from './session-lines.ts';
import { SessionTeller } from './session-teller.ts';
import type { PageEvent } from './session-told.ts';
import { Slices } from './slices.ts';
import type { Standing } from './standing.ts';
import { StandingLines } from './standing-lines.ts';
import { StandingReplay } from './standing-replay.ts';
import { StandingSave } from './standing-save.ts';
import { StandingSearch } from './standing-search.ts';
import { StandingView } from './standing-view.ts';

export interface SessionReaderOptions {
  readonly clock: Clock;
  /** Sessions changed: what did is to be asked for when it can be told. */
  readonly onChanges: () => void;
  /** Tells the page at once what waits to be told. */
  readonly flush: () => void;
  readonly post: (answer: ReaderAnswer) => void;
}

interface HeldAgent {
  readonly fold: TranscriptFold;
  readonly teller: SessionTeller;
}

/**
 * Holds every agent's sessions: takes the lines, folds them, tells what they came to, and reads in them for the page. What
 * was asked stands until it is stopped; what takes long is done in slices.
 */
export class SessionReader {
  readonly #options: SessionReaderOptions;
  readonly #slices: Slices;
  readonly #agents = new Map<string, HeldAgent>();
  readonly #standing = new Map<number, Standing>();

  constructor(options: SessionReaderOptions) {
    this.#options = options;
    this.#slices = new Slices(options.clock);
  }

  /** Takes lines. */
  take({ agent, events }: Extract<ViewerEvent, { readonly type: 'events' }>): void {
    const { fold, teller } = this.#held(agent);
    for (const one of events) fold.insert(one);
    teller.changed();
    this.#options.onChanges();
    for (const standing of this.#standing.values()) if (standing.agent === agent) standing.changed();
  }

  /** What is other than was told; from now on it is told. */
  changes(): readonly PageEvent[] {
    return [...this.#agents.values()].flatMap(({ teller }): readonly PageEvent[] => {
      const changes = teller.changes(this.#options.onChanges);
      return changes === undefined ? [] : [{ type: 'changes', changes }];
    });
  }

  receive(request: ReaderRequest): void {
    const { clock, post } = this.#options;
    const { id } = request;
    switch (request.type) {
      case 'stop':
        this.#standing.get(id)?.stop();
        this.#standing.delete(id);
        return;
      case 'diff':
        post({ type: 'diff', id, diff: diffLines(request.oldText, request.newText) });
        return;
      case 'save-lines':
        this.#saveLines(request);
        return;
      case 'show':
      case 'search':
      case 'lines':
      case 'search-lines':
      case 'scan':
      case 'replay': {
        const standing = this.#open(request, { clock, post });
        this.#standing.set(id, standing);
        standing.changed();
        return;
      }
      default:
        this.#standing.get(id)?.receive(request);
    }
  }

  #open(
    request: Exclude<ReaderOpening, { readonly type: 'diff' | 'save-lines' }>,
    { clock, post }: Pick<SessionReaderOptions, 'clock' | 'post'>,
  ): Standing {
    const { id, session } = request;
    const { agent, channelId } = session;
    const { fold, teller } = this.#held(agent);
    const slices = this.#slices;
    switch (request.type) {
      case 'show':
        return new StandingView({ agent, channelId, id, fold, teller, onChanges: this.#options.onChanges, post });
      case 'lines':
        return new StandingLines({ agent, id, clock, lines: this.#linesOf(request), post });
      case 'scan':
        return new StandingSave({ id, session, fold, lines: this.#linesOf(request), slices, post });
      case 'replay':
        return new StandingReplay({
          agent,
          channelId,
          id,
          fold,
          clock,
          slices,
          post,
          told: () => {
            this.#options.flush();
            return teller.told(channelId);
          },
        });
      case 'search': {
        const search = new TranscriptSearch(request.needle);
        return new StandingSearch({
          agent,
          clock,
          slices,
          run: () => search.run(fold.transcript(channelId)),
          tell: (isDone) => post({ type: 'found', id, found: search.found, isDone }),
        });
      }
      case 'search-lines': {
        const search = new LineSearch(request.needle);
        const of = this.#linesOf(request);
        return new StandingSearch({
          agent,
          clock,
          slices,
          run: () => search.run(fold.log, of.streams, channelId),
          tell(isDone) {
            const { lines } = of;
            const { count, hits } = search.found;
            const placed = hits.map((hit) => ({ ...hit, index: lines.indexOf(hit.stream, hit.seq) }));
            post({ type: 'found-lines', id, found: { count, hits: placed }, isDone });
          },
        });
      }
    }
  }

  #saveLines(request: Extract<ReaderOpening, { readonly type: 'save-lines' }>): void {
    const { id, session, selection } = request;
    const parts = rawFileParts(this.#held(session.agent).fold.log, this.#linesOf(request).streams, selection);
    const file = new Blob([...parts], { type: 'application/x-ndjson' });
    const name = `${(session.channelId ?? 'harness').slice(0, 8)}.${selection}.ndjson`;
    this.#options.post({ type: 'saved', id, name, file });
  }

  #linesOf(of: LinesOf): SessionLines {
    const { fold, teller } = this.#held(of.session.agent);
    return new SessionLines(fold, of, () => teller.told(of.session.channelId).streams);
  }

  #held(agent: string): HeldAgent {
    let held = this.#agents.get(agent);
    if (held === undefined) {
      const fold = new TranscriptFold();
      held = { fold, teller: new SessionTeller(agent, fold, this.#options.clock) };
      this.#agents.set(agent, held);
    }
    return held;
  }
}
