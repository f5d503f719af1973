import type { Clock } from '@heliograph/client';
import type { RawLine, SeqRange } from '@heliograph/transcript';
import type { LinePlace } from '../line-place.ts';
import { MAX_READ_LINES } from '../store/line-window.ts';
import type { ReaderAnswer, ReaderFollowing } from './reader-protocol.ts';
import type { SessionLines } from './session-lines.ts';
import type { Standing } from './standing.ts';

/** How often it is told that there are more, the first after quiet at once: nobody reads lines that go by faster. */
const TELL_MS = 250;
/** … and while more come than a screen holds. */
const FLOOD_TELL_MS = 500;
/** The newest lines that come along: more than a screen shows. */
const TAIL_LINES = 60;

export interface StandingLinesOptions {
  readonly agent: string;
  readonly id: number;
  readonly clock: Clock;
  readonly lines: SessionLines;
  /** Asks for lines that were let go. */
  readonly bringBack: (ranges: readonly SeqRange[]) => void;
  readonly post: (answer: ReaderAnswer) => void;
}

/** The lines of a session for who looks through them: how many there are, the newest, and any others that are asked for. */
export class StandingLines implements Standing {
  readonly agent: string;
  readonly #options: StandingLinesOptions;
  #told: { readonly count: number; readonly last: RawLine | undefined; readonly moves: number } | undefined;
  #edition = 0;
  #rest: (() => void) | undefined;
  #isDue = false;

  constructor(options: StandingLinesOptions) {
    this.agent = options.agent;
    this.#options = options;
  }

  changed(): void {
    this.#isDue = true;
    this.#rest ??= this.#options.clock.setTimer(0, () => this.#look());
  }

  receive(more: ReaderFollowing): void {
    const { id, lines, post } = this.#options;
    if (more.type === 'place-line') post({ type: 'line-place', id, ask: more.ask, index: this.#indexOf(more.line) });
    if (more.type === 'read-lines') {
      this.#note();
      this.#tell(
        Math.max(0, more.from),
        Math.min(more.from + Math.min(more.count, MAX_READ_LINES), lines.lines.length),
      );
    }
  }

  stop(): void {
    this.#rest?.();
  }

  #indexOf({ stream, seq }: LinePlace): number {
    return this.#options.lines.lines.indexOf(stream, seq);
  }

  #look(): void {
    this.#isDue = false;
    const before = this.#told;
    const isSame = this.#note();
    const count = this.#told?.count ?? 0;
    if (before === undefined || before.count !== count || !isSame)
      this.#tell(Math.max(isSame ? (before?.count ?? 0) : 0, count - TAIL_LINES), count);
    const isFlood = before !== undefined && count - before.count > TAIL_LINES;
    this.#rest = this.#options.clock.setTimer(isFlood ? FLOOD_TELL_MS : TELL_MS, () => {
      this.#rest = undefined;
      if (this.#isDue) this.changed();
    });
  }

  /** Whether the lines that were there stand where they stood; from now on the page is told of those that are. */
  #note(): boolean {
    const { lines, moves } = this.#options.lines;
    const { count, last } = this.#told ?? { count: 0, last: undefined };
    const now = count === 0 ? undefined : lines.at(count - 1);
    const isSame =
      now?.stream === last?.stream &&
      now?.seq === last?.seq &&
      now?.lastSeq === last?.lastSeq &&
      moves === (this.#told?.moves ?? moves);
    if (!isSame) this.#edition++;
    this.#told = { count: lines.length, last: lines.at(lines.length - 1), moves };
    return isSame;
  }

  #tell(from: number, to: number): void {
    const { id, lines, post, bringBack } = this.#options;
    const view = lines.lines;
    const tell = (at: number, read: readonly RawLine[]) =>
      post({ type: 'lines', id, count: view.length, edition: this.#edition, from: at, lines: read });
    const away = new Map<string, SeqRange>();
    let read: RawLine[] = [];
    for (let index = from; index < to; index++) {
      const line = view.at(index);
      if (line !== undefined) {
        read.push(line);
        continue;
      }
      if (read.length > 0) tell(index - read.length, read);
      read = [];
      // Once what was let go is back there is another edition, and all is asked for anew.
      const range = view.awayAt(index);
      if (range !== undefined) away.set(`${range.stream}/${range.first}`, range);
    }
    tell(to - read.length, read);
    bringBack([...away.values()]);
  }
}
