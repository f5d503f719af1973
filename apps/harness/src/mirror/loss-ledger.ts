import type { TelemetryGap } from '@heliograph/wire';
import type { SeqSpan } from './sealed-envelope.ts';

/** How long losses of a stream gather before they are told: an overflowing spool must not fill itself with gaps. */
const GATHER_MS = 60_000;

interface Loss {
  firstSeq: number;
  lastSeq: number;
  lastHash: string | undefined;
  readonly reasons: Map<string, number>;
  readonly firstObservedAt: string;
  lastObservedAt: string;
}

interface StreamLosses {
  losses: Loss[];
  toldMs: number;
}

/** What was lost and is not told yet: exact seqs per stream, neighbours joined (HA17). */
export class LossLedger {
  readonly #streams = new Map<string, StreamLosses>();

  add(span: SeqSpan, reason: string, lastHash: string | undefined, at: string): void {
    const stream = this.#streams.get(span.stream) ?? { losses: [], toldMs: Number.NEGATIVE_INFINITY };
    this.#streams.set(span.stream, stream);
    const { firstSeq, lastSeq } = span;
    const joined: Loss = { firstSeq, lastSeq, lastHash, reasons: new Map(), firstObservedAt: at, lastObservedAt: at };
    joined.reasons.set(reason, lastSeq - firstSeq + 1);
    stream.losses = joinNeighbours([...stream.losses, joined]);
  }

  /** The gaps to tell now, per stream; each is given out once. `all`: also those that would still gather. */
  take(nowMs: number, all = false): { readonly stream: string; readonly gaps: readonly TelemetryGap[] }[] {
    const due: { stream: string; gaps: readonly TelemetryGap[] }[] = [];
    for (const [stream, state] of this.#streams) {
      const isGathering = Math.abs(nowMs - state.toldMs) < GATHER_MS;
      if (state.losses.length === 0 && !isGathering) this.#streams.delete(stream);
      if (state.losses.length === 0 || (isGathering && !all)) continue;
      due.push({ stream, gaps: state.losses.map(asGap) });
      state.losses = [];
      state.toldMs = nowMs;
    }
    return due;
  }
}

function joinNeighbours(losses: Loss[]): Loss[] {
  const joined: Loss[] = [];
  for (const loss of losses.sort((a, b) => a.firstSeq - b.firstSeq)) {
    const before = joined.at(-1);
    if (before === undefined || before.lastSeq + 1 < loss.firstSeq) {
      joined.push(loss);
      continue;
    }
    if (loss.lastSeq > before.lastSeq) {
      before.lastSeq = loss.lastSeq;
      before.lastHash = loss.lastHash;
    }
    before.lastObservedAt = loss.lastObservedAt;
    for (const [reason, count] of loss.reasons) before.reasons.set(reason, (before.reasons.get(reason) ?? 0) + count);
  }
  return joined;
}

function asGap({ firstSeq, lastSeq, lastHash, reasons, firstObservedAt, lastObservedAt }: Loss): TelemetryGap {
  return {
    firstSeq,
    lastSeq,
    droppedEvents: lastSeq - firstSeq + 1,
    ...(lastHash !== undefined ? { lastHash } : {}),
    reasonCounts: Object.fromEntries(reasons),
    firstObservedAt,
    lastObservedAt,
  };
}
