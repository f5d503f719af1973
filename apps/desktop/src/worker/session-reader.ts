import type { Clock, LinesAgain, StreamSpan, ViewerEvent } from '@heliograph/client';
import { diffLines, LineSearch, type SeqRange, TranscriptFold, TranscriptSearch } from '@heliograph/transcript';
import { rawFileParts } from '../export/raw-files.ts';
import { type KeptSession, LineKeeper, MAX_UNITS } from './line-keeper.ts';
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
import { StandingWhole } from './standing-whole.ts';

export interface SessionReaderOptions {
  readonly clock: Clock;
  /** Sessions changed: what did is to be asked for when it can be told. */
  readonly onChanges: () => void;
  /** Tells the page at once what waits to be told. */
  readonly flush: () => void;
  readonly post: (answer: ReaderAnswer) => void;
  /** Asks for lines that were let go; they are taken before this is fulfilled. */
  readonly readAgain: (agent: string, span: StreamSpan) => Promise<LinesAgain>;
  /** Characters of lines that are held at most. */
  readonly maxUnits?: number;
}

/** What reads all of a session: nothing of it is let go meanwhile, and what was comes back. */
const READS_ALL: readonly string[] = ['search', 'search-lines', 'scan', 'replay'];

type StandingOpening = Exclude<ReaderOpening, { readonly type: 'diff' | 'save-lines' }>;

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
  /** What each of them was opened with. */
  readonly #opened = new Map<number, StandingOpening>();
  readonly #keeper: LineKeeper;

  constructor(options: SessionReaderOptions) {
    this.#options = options;
    this.#slices = new Slices(options.clock);
    const { clock, readAgain, maxUnits = MAX_UNITS } = options;
    this.#keeper = new LineKeeper({ clock, maxUnits, readAgain, onChanges: (agent) => this.#changed(agent) });
  }

  /** Takes lines. */
  take({ agent, events }: Extract<ViewerEvent, { readonly type: 'events' }>): void {
    const { fold } = this.#held(agent);
    for (const one of events) fold.insert(one);
    let units = 0;
    for (const held of this.#agents.values()) units += held.fold.log.units;
    this.#keeper.bound(units, () => this.#sessions());
    this.#changed(agent);
  }

  #changed(agent: string): void {
    this.#held(agent).teller.changed();
    this.#options.onChanges();
    for (const standing of this.#standing.values()) if (standing.agent === agent) standing.changed();
  }

  #sessions(): readonly KeptSession[] {
    const opened = [...this.#opened.values()];
    return [...this.#agents].flatMap(([agent, { fold, teller }]) =>
      fold.channels().map((channelId) => {
        const here = opened.filter(({ session }) => session.agent === agent && session.channelId === channelId);
        const turns = here.some(({ type }) => type === 'show') ? teller.told(channelId).turns : [];
        const isWhole = here.some(({ type }) => READS_ALL.includes(type));
        return { agent, channelId, fold, isWhole, seen: new Set(turns.map(({ id }) => id)) };
      }),
    );
  }

  /** Fulfilled once all of a session is here, or no more of it will come. */
  #whole({ agent, channelId }: StandingOpening['session']): Promise<void> {
    const { fold } = this.#held(agent);
    return this.#keeper.bringBack(agent, fold, fold.away(channelId));
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
        this.#opened.delete(id);
        return;
      case 'diff':
        post({ type: 'diff', id, diff: diffLines(request.oldText, request.newText) });
        return;
      case 'save-lines':
        void this.#whole(request.session).then(() => this.#saveLines(request));
        return;
      case 'show':
      case 'search':
      case 'lines':
      case 'search-lines':
      case 'scan':
      case 'replay': {
        const { agent, channelId } = request.session;
        this.#keeper.looked(agent, channelId);
        this.#opened.set(id, request);
        const standing = this.#open(request, { clock, post });
        this.#standing.set(id, standing);
        standing.changed();
        return;
      }
      default:
        this.#standing.get(id)?.receive(request);
    }
  }

  #open(request: StandingOpening, { clock, post }: Pick<SessionReaderOptions, 'clock' | 'post'>): Standing {
    const { id, session } = request;
    const { agent, channelId } = session;
    const { fold, teller } = this.#held(agent);
    const slices = this.#slices;
    const bringBack = (ranges: readonly SeqRange[]) => this.#keeper.bringBack(agent, fold, ranges);
    if (READS_ALL.includes(request.type)) void this.#whole(session);
    switch (request.type) {
      case 'show':
        return new StandingView({
          agent,
          channelId,
          id,
          fold,
          teller,
          bringBack,
          onChanges: this.#options.onChanges,
          post,
        });
      case 'lines':
        return new StandingLines({
          agent,
          id,
          clock,
          lines: this.#linesOf(request),
          bringBack: (ranges) => void bringBack(ranges),
          post,
        });
      case 'scan':
        return this.#scan(request);
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

  #scan(request: Extract<ReaderOpening, { readonly type: 'scan' }>): Standing {
    const { id, session } = request;
    const { agent, channelId } = session;
    const { fold } = this.#held(agent);
    const { post } = this.#options;
    const begin = () =>
      new StandingSave({ id, session, fold, lines: this.#linesOf(request), slices: this.#slices, post });
    if (fold.away(channelId).length === 0) return begin();
    return new StandingWhole(agent, this.#whole(session), () => (this.#saysMissing(id, session) ? undefined : begin()));
  }

  /** Whether lines of a session are missing that were let go: a file without them would look whole, so there is none. */
  #saysMissing(id: number, { agent, channelId }: StandingOpening['session']): boolean {
    const ranges = this.#held(agent).fold.away(channelId);
    if (ranges.length === 0) return false;
    const named = ranges.slice(0, 3).map(({ first, last }) => `${first}–${last}`);
    const more = ranges.length > named.length ? ` and ${ranges.length - named.length} more ranges` : '';
    const message = `Its lines ${named.join(', ')}${more} are not held here any more, and the harness did not send them again. Try again once it is connected; what it has no more is only in an archive.`;
    this.#options.post({ type: 'not-saved', id, message });
    return true;
  }

  #saveLines(request: Extract<ReaderOpening, { readonly type: 'save-lines' }>): void {
    const { id, session, selection } = request;
    if (this.#saysMissing(id, session)) return;
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
