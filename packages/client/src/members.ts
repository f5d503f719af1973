import type { ControlResult } from '@heliograph/wire';
import type { SeqSpan } from './stream-chain.ts';
/** Members of what an agent sent: anything may stand in them. */
export type Members = Readonly<Record<string, unknown>>;

/** What should be a list of objects, as far as it is one. */
export function listOf<T = Members>(value: unknown): readonly Partial<T>[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Ranges of one answer that are looked at: more is asked for again. */
const MAX_MISSING_SPANS = 1_000;

/** The seqs that the result of a replay says are gone, the first 1,000 ranges; what is no range is passed over. */
export function namedIn({ missing }: ControlResult): readonly SeqSpan[] {
  const spans = listOf<readonly [number, number]>(missing).flatMap((range): SeqSpan[] => {
    const [first, last] = Array.isArray(range) ? range : [];
    return isSeq(first) && isSeq(last) && first <= last ? [{ first, last }] : [];
  });
  return spans.slice(0, MAX_MISSING_SPANS);
}
