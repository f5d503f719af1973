import type { Item, Transcript } from '@heliograph/transcript';
import { parseTime } from '../text/human.ts';

/**
 * Up to when the owner has looked at each session on this device: the time its harness gave to the newest thing there, ms.
 * Failures that were put aside stand beside them, under a key of their own.
 */
export interface SeenMarks {
  /** When this device began to remember: what was there before is no news. */
  readonly sinceMs: number;
  /** By session; the one marked last stands last. */
  readonly at: Readonly<Record<string, number>>;
}

/** Sessions remembered; of others only what comes after the oldest of them is news. */
const MAX_MARKS = 1_000;
/** Of the newest items so many are looked through, and so much news is counted: more reads `99+`. */
const MAX_LOOKS = 400;
export const MAX_NEWS = 100;
/** What an owner would want to read again; thoughts and notices are on the way there. */
const TELLING = new Set<Item['kind']>(['agent', 'tool', 'plan', 'permission', 'elicitation', 'error']);

/** Marks a session as looked at up to then; an older mark changes nothing. */
export function markSeen(marks: SeenMarks, key: string, atMs: number): SeenMarks {
  if (knownMs(marks, key) >= atMs) return marks;
  const { [key]: _, ...others } = marks.at;
  return bounded({ sinceMs: marks.sinceMs, at: { ...others, [key]: atMs } });
}

/** What two pages of one browser know together. */
export function mergeSeen(a: SeenMarks, b: SeenMarks): SeenMarks {
  const at = new Map(Object.entries(a.at));
  for (const [key, ms] of Object.entries(b.at)) {
    if ((at.get(key) ?? 0) >= ms) continue;
    at.delete(key);
    at.set(key, ms);
  }
  return bounded({ sinceMs: Math.min(a.sinceMs, b.sinceMs), at: Object.fromEntries(at) });
}

function knownMs({ at }: SeenMarks, key: string): number {
  return (Object.hasOwn(at, key) ? at[key] : undefined) ?? 0;
}

/** Marks out of anything; undefined where it holds none. */
export function parseSeen(value: unknown): SeenMarks | undefined {
  const { sinceMs, at } = (value ?? {}) as { sinceMs?: unknown; at?: unknown };
  if (typeof sinceMs !== 'number' || typeof at !== 'object' || at === null) return undefined;
  const marks = Object.entries(at).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return bounded({ sinceMs, at: Object.fromEntries(marks) });
}

/** How much came in a session since it was looked at, `MAX_NEWS` at most. */
export function countNews(marks: SeenMarks, key: string, transcript: Transcript): number {
  const seenMs = knownMs(marks, key) || marks.sinceMs;
  const known = counted.get(transcript);
  if (known?.seenMs === seenMs) return known.news;
  let news = 0;
  let looks = MAX_LOOKS;
  for (let turn = transcript.turns.length - 1; turn >= 0 && looks > 0 && news < MAX_NEWS; turn--) {
    const items = transcript.turns[turn]?.items ?? [];
    // Turns follow each other: before one that was over by then nothing is news.
    if (items.length > 0 && isOver(transcript, turn, seenMs)) break;
    for (let at = items.length - 1; at >= 0 && looks > 0; at--, looks--) {
      const item = items[at] as Item;
      if (TELLING.has(item.kind) && (parseTime(item.updatedAt) ?? 0) > seenMs) news++;
    }
  }
  news = Math.min(news, MAX_NEWS);
  counted.set(transcript, { seenMs, news });
  return news;
}

const counted = new WeakMap<Transcript, { readonly seenMs: number; readonly news: number }>();

function isOver(transcript: Transcript, turn: number, seenMs: number): boolean {
  const endedMs = parseTime(transcript.turns[turn]?.endedAt);
  return endedMs !== undefined && endedMs <= seenMs;
}

function bounded({ sinceMs, at }: SeenMarks): SeenMarks {
  const marks = Object.entries(at);
  if (marks.length <= MAX_MARKS) return { sinceMs, at };
  const [first] = marks;
  return {
    sinceMs: Math.max(sinceMs, first?.[1] ?? 0),
    at: Object.fromEntries(marks.slice(-MAX_MARKS)),
  };
}
