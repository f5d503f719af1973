import { figures, type UsageFigures, type UsageReport } from '@heliograph/wire';
import { parseTime } from '../text/human.ts';

/** Turns added up. What no turn of them reports is null. */
export interface UsageSum {
  readonly turns: number;
  readonly figures: UsageFigures;
  /** Turns whose tokens are not known, or may not be added: the sum is less than what was used. */
  readonly unknownTurns: number;
}

/** What one agent used on one day of the reader's calendar. */
export interface DayUsage extends UsageSum {
  /** Midnight, ms. */
  readonly startMs: number;
}

/** Turns kept of one agent, the newest: months of work. Their sums stay exact. */
export const MAX_TURNS = 5_000;
const TRIM_AT = MAX_TURNS + 500;

/** What one agent's turns used, each once, in whatever order it is told. Grows in place, like a fold. */
export class UsageBook {
  #turns = new Map<string, UsageReport>();
  #days: readonly DayUsage[] | undefined;
  readonly #channels = new Map<string, UsageSum>();

  /** Takes a report; `id` names it where it names no turn. Of two for one turn the later counts. */
  add(id: string, report: UsageReport): void {
    const key = report.turnId === null ? id : JSON.stringify([report.sessionId, report.turnId]);
    const known = this.#turns.get(key);
    if (known !== undefined && at(known) >= at(report)) return;
    this.#turns.set(key, report);
    if (this.#turns.size > TRIM_AT) {
      const newestFirst = [...this.#turns].sort(([, a], [, b]) => at(b) - at(a));
      this.#turns = new Map(newestFirst.slice(0, MAX_TURNS));
    }
    this.#days = undefined;
    this.#channels.clear();
  }

  /** Newest first. */
  days(): readonly DayUsage[] {
    this.#days ??= this.#sumDays();
    return this.#days;
  }

  /** Of one conversation, undefined where nothing is known of it. */
  channel(channelId: string | null): UsageSum | undefined {
    if (channelId === null) return undefined;
    const known = this.#channels.get(channelId);
    if (known !== undefined) return known;
    const turns = [...this.#turns.values()].filter((turn) => turn.channelId === channelId);
    if (turns.length === 0) return undefined;
    const sum = sumTurns(turns);
    this.#channels.set(channelId, sum);
    return sum;
  }

  #sumDays(): readonly DayUsage[] {
    const days = new Map<number, UsageReport[]>();
    for (const turn of this.#turns.values()) {
      const startMs = new Date(at(turn)).setHours(0, 0, 0, 0);
      const day = days.get(startMs);
      if (day === undefined) days.set(startMs, [turn]);
      else day.push(turn);
    }
    const sums = [...days].map(([startMs, turns]) => ({ startMs, ...sumTurns(turns) }));
    return sums.sort((a, b) => b.startMs - a.startMs);
  }
}

/** Adds sums up: what one of them does not know is taken from the others. */
export function addSums(sums: readonly UsageSum[]): UsageSum {
  const add = (key: 'turns' | 'unknownTurns') => sums.reduce((total, sum) => total + sum[key], 0);
  return { turns: add('turns'), unknownTurns: add('unknownTurns'), figures: addKnown(sums.map((sum) => sum.figures)) };
}

function sumTurns(turns: readonly UsageReport[]): UsageSum {
  const sound = turns.filter(({ deltaReliable }) => deltaReliable).map(({ turn }) => withTotal(turn));
  const known = sound.filter((turn) => turn.totalTokens !== null).length;
  return { turns: turns.length, unknownTurns: turns.length - known, figures: addKnown(sound) };
}

function addKnown(parts: readonly UsageFigures[]): UsageFigures {
  return figures((key) => {
    const known = parts.map((part) => part[key]).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  });
}

/** Some agents leave the total to the reader. */
function withTotal(turn: UsageFigures): UsageFigures {
  const { inputTokens, outputTokens } = turn;
  if (turn.totalTokens !== null || inputTokens === null || outputTokens === null) return turn;
  return { ...turn, totalTokens: inputTokens + outputTokens };
}

function at(report: UsageReport): number {
  return parseTime(report.timestamp) ?? 0;
}
