import type { Clock, LinesAgain, StreamSpan } from '@heliograph/client';
import type { SeqRange, TranscriptFold, Turn } from '@heliograph/transcript';

/**
 * Characters of lines that are held of all agents. What is folded of them takes about as much again: with both a page stays well
 * below what a phone's browser ends it for.
 */
export const MAX_UNITS = 96 * 1024 * 1024;
/** Beyond the bound so much goes at once, and where nothing could go it is tried again after so much more. */
const STEP_UNITS = 4 * 1024 * 1024;
/** Ranges asked for at once. */
const MAX_ASKED = 2;
/** How long nobody is asked again who did not answer, and how often that is done. */
const REST_MS = 5_000;
const MAX_TRIES = 12;
/** Of the bound so much is for turns that came back last: they stay, whatever is looked at, for who reads lines looks at no turn. */
const RECENT_SHARE = 4;

export interface LineKeeperOptions {
  readonly clock: Clock;
  readonly maxUnits: number;
  /** Asks for lines again; they are taken before this is fulfilled. */
  readonly readAgain: (agent: string, span: StreamSpan) => Promise<LinesAgain>;
  /** Something of this agent's sessions is other than before. */
  readonly onChanges: (agent: string) => void;
}

/** One session as the keeper sees it. */
export interface KeptSession {
  readonly agent: string;
  readonly channelId: string;
  readonly fold: TranscriptFold;
  /** All of it is needed now. */
  readonly isWhole: boolean;
  /** Turns that somebody sees. */
  readonly seen: ReadonlySet<string>;
}

interface Wanted {
  readonly agent: string;
  readonly fold: TranscriptFold;
  readonly range: SeqRange;
  readonly turnId: string | undefined;
  tries: number;
  readonly settled: Promise<void>;
  readonly settle: () => void;
}

/** Bounds the lines that are held: lets those go that nobody has looked at for longest, and asks for them again when they are needed. */
export class LineKeeper {
  readonly #options: LineKeeperOptions;
  /** When each session was looked at last: the count of looks then. */
  readonly #looks = new Map<string, number>();
  #look = 0;
  #limit: number;
  readonly #wanted = new Map<string, Wanted>();
  readonly #waiting: Wanted[] = [];
  #asked = 0;
  #recent: readonly { readonly turnId: string; readonly units: number }[] = [];

  constructor(options: LineKeeperOptions) {
    this.#options = options;
    this.#limit = options.maxUnits;
  }

  /** Somebody looks at a session. */
  looked(agent: string, channelId: string | null): void {
    this.#looks.set(`${agent}/${channelId}`, ++this.#look);
  }

  /** Lets go of what is too much; `sessions` are asked for only then. Cost below the bound: none but `units`. */
  bound(units: number, sessions: () => readonly KeptSession[]): void {
    if (units <= this.#limit) return;
    let over = units - this.#options.maxUnits + STEP_UNITS;
    const wanted = new Set([...this.#recent, ...this.#wanted.values()].map(({ turnId }) => turnId));
    const lookOf = ({ agent, channelId }: KeptSession) => this.#looks.get(`${agent}/${channelId}`) ?? 0;
    for (const session of [...sessions()].sort((a, b) => lookOf(a) - lookOf(b))) {
      if (over <= 0) break;
      if (session.isWhole) continue;
      const isKept = ({ id }: Turn) => session.seen.has(id) || wanted.has(id);
      const went = session.fold.letGo(session.channelId, over, isKept);
      over -= went;
      if (went > 0) this.#options.onChanges(session.agent);
    }
    this.#limit = over <= STEP_UNITS ? this.#options.maxUnits : this.#options.maxUnits + over;
  }

  /** Asks for lines that were let go; fulfilled once each of them is here or will not come. */
  async bringBack(agent: string, fold: TranscriptFold, ranges: readonly SeqRange[]): Promise<void> {
    const wanted = ranges.map((range) => this.#want(agent, fold, range));
    this.#next();
    await Promise.all(wanted.map(({ settled }) => settled));
  }

  #want(agent: string, fold: TranscriptFold, range: SeqRange): Wanted {
    const key = keyOf(agent, range);
    const known = this.#wanted.get(key);
    if (known !== undefined) return known;
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const turnId = awayAt(fold, range)?.event.letGo.turn.id;
    const wanted: Wanted = { agent, fold, range, turnId, tries: 0, settled, settle };
    this.#wanted.set(key, wanted);
    // What was asked for last is what somebody looks at now.
    this.#waiting.push(wanted);
    return wanted;
  }

  #next(): void {
    while (this.#asked < MAX_ASKED) {
      const wanted = this.#waiting.pop();
      if (wanted === undefined) return;
      this.#asked++;
      void this.#ask(wanted).then(() => {
        this.#asked--;
        this.#next();
      });
    }
  }

  async #ask(wanted: Wanted): Promise<void> {
    const { agent, fold, range } = wanted;
    const before = awayAt(fold, range);
    if (before === undefined) return this.#end(wanted);
    const answer = await this.#options.readAgain(agent, range);
    const after = awayAt(fold, range);
    if (after === undefined) return this.#end(wanted);
    const isGone =
      answer.isAnswered && answer.gone.some(({ first, last }) => first <= range.last && range.first <= last);
    if (isGone) {
      fold.noteGone(range);
      this.#options.onChanges(agent);
      return this.#end(wanted);
    }
    // A long turn comes in several answers.
    if (after.missing < before.missing) {
      this.#waiting.push(wanted);
      return;
    }
    wanted.tries++;
    if (wanted.tries >= MAX_TRIES) return this.#end(wanted);
    this.#options.clock.setTimer(REST_MS, () => {
      this.#waiting.push(wanted);
      this.#next();
    });
  }

  #end(wanted: Wanted): void {
    const { agent, fold, range, turnId } = wanted;
    this.#wanted.delete(keyOf(agent, range));
    if (turnId !== undefined && awayAt(fold, range) === undefined) this.#cameBack(turnId, unitsOf(fold, range));
    wanted.settle();
  }

  #cameBack(turnId: string, units: number): void {
    let recent = [...this.#recent, { turnId, units }];
    const sum = () => recent.reduce((all, one) => all + one.units, 0);
    while (recent.length > 1 && sum() > this.#options.maxUnits / RECENT_SHARE) recent = recent.slice(1);
    this.#recent = recent;
  }
}

function unitsOf(fold: TranscriptFold, { stream, first, last }: SeqRange): number {
  let units = 0;
  for (const { payload } of fold.log.range(stream, first, last)) units += payload.length;
  return units;
}

function keyOf(agent: string, { stream, first }: SeqRange): string {
  return `${agent}/${stream}/${first}`;
}

function awayAt(fold: TranscriptFold, { stream, first }: SeqRange) {
  return fold.log.stream(stream)?.away.find((lines) => lines.first === first);
}
