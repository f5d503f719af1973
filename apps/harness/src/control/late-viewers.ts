import type { Clock } from '@heliograph/client';
import type { ControlResult, Hello, Replay } from '@heliograph/wire';
import type { SpoolEntry } from '../mirror/spool.ts';

type Outcome = Omit<ControlResult, 'type' | 'requestId'>;
type Reply = (result: Outcome) => void;

/** One open turn or pending request: what a viewer that has nothing needs at least. */
export interface OpenSpan {
  readonly stream: string;
  readonly fromSeq: number;
}

export interface LateViewersPort {
  readonly clock: Clock;
  /** Seals everything emitted until now. */
  settle(): Promise<void>;
  /** Emits a snapshot that answers these requests, ahead of all telemetry. */
  tellSnapshot(requestIds: readonly string[]): void;
  kept(stream: string, fromSeq: number, toSeq: number): readonly SpoolEntry[];
  /** The newest seq of a stream, 0 for a stream that is none of ours. */
  lastSeq(stream: string): number;
  /** False when too many re-sends are under way. */
  replay(entries: readonly SpoolEntry[], done: () => void): boolean;
  /** What is open now. */
  openSpans(): readonly OpenSpan[];
}

const SNAPSHOT_EVERY_MS = 2_000;
/** Envelopes re-sent by themselves per stream, and on request at most. */
const MAX_MISSING = 256;
const MAX_REPLAY = 1_000;
const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** Answers viewers that come late: a snapshot of now, then what each lacks; and single holes on request (HA30, HA31). */
export class LateViewers {
  readonly #port: LateViewersPort;
  #waiting: { readonly hello: Hello; readonly reply: Reply }[] = [];
  #lastSnapshotMs = Number.NEGATIVE_INFINITY;
  #cancelTimer: (() => void) | undefined;
  /** Replays under way by requestId: a repeat of the request is answered by the result of the first. */
  readonly #replaying = new Set<string>();

  constructor(port: LateViewersPort) {
    this.#port = port;
  }

  hello(hello: Hello, reply: Reply): void {
    this.#waiting.push({ hello, reply });
    const { clock } = this.#port;
    const sinceMs = clock.nowMs() - this.#lastSnapshotMs;
    // A clock that was set back makes the last snapshot look as if it were to come.
    const delayMs = sinceMs < 0 ? SNAPSHOT_EVERY_MS : Math.max(0, SNAPSHOT_EVERY_MS - sinceMs);
    this.#cancelTimer ??= clock.setTimer(delayMs, () => void this.#answer());
  }

  async replay(request: Replay, reply: Reply): Promise<void> {
    const { requestId } = request;
    if (requestId !== undefined) {
      if (this.#replaying.has(requestId)) return;
      this.#replaying.add(requestId);
    }
    await this.#port.settle();
    const { entries, result } = this.#select(request);
    const done = (outcome: Outcome) => {
      if (requestId !== undefined) this.#replaying.delete(requestId);
      reply(outcome);
    };
    if (!this.#port.replay(entries, () => done(result))) {
      done({ status: 'failure', reason: 'too many replays at once: ask again in a moment' });
    }
  }

  close(): void {
    this.#cancelTimer?.();
  }

  async #answer(): Promise<void> {
    this.#cancelTimer = undefined;
    const answered = this.#waiting;
    this.#waiting = [];
    this.#lastSnapshotMs = this.#port.clock.nowMs();
    await this.#port.settle();
    this.#port.tellSnapshot(answered.flatMap(({ hello }) => hello.requestId ?? []));
    for (const { hello, reply } of answered) {
      const missing = this.#missing(hello);
      if (!this.#port.replay(missing, () => reply({ status: 'applied' }))) reply({ status: 'applied' });
    }
  }

  #select({ stream, fromSeq, toSeq = EVERYTHING }: Replay): { entries: readonly SpoolEntry[]; result: Outcome } {
    const lastSeq = this.#port.lastSeq(stream);
    if (lastSeq === 0) return { entries: [], result: { status: 'unknown', reason: 'this run has no such stream' } };
    const until = Math.min(toSeq, lastSeq);
    const kept = this.#port.kept(stream, fromSeq, until);
    const entries = kept.slice(0, MAX_REPLAY);
    const missing = missingSpans(kept, fromSeq, until);
    const next = kept[MAX_REPLAY]?.firstSeq;
    if (missing.length === 0 && next === undefined) return { entries, result: { status: 'applied' } };
    const more = next === undefined ? {} : { reason: `${MAX_REPLAY} envelopes at a time: ask on from seq ${next}` };
    return { entries, result: { status: 'partial', missing, ...more } };
  }

  /** Of streams the viewer knows the newest that it lacks; of others only what is open. */
  #missing({ have = [] }: Hello): SpoolEntry[] {
    const missing = new Set<SpoolEntry>();
    for (const { stream, seq } of have) {
      for (const entry of this.#port.kept(stream, seq + 1, EVERYTHING).slice(-MAX_MISSING)) missing.add(entry);
    }
    const known = new Set(have.map(({ stream }) => stream));
    for (const { stream, fromSeq } of this.#port.openSpans()) {
      if (known.has(stream)) continue;
      for (const entry of this.#port.kept(stream, fromSeq, EVERYTHING)) missing.add(entry);
    }
    return [...missing];
  }
}

/** What of fromSeq…toSeq is in none of the kept envelopes. */
export function missingSpans(
  kept: readonly { readonly firstSeq: number; readonly lastSeq: number }[],
  fromSeq: number,
  toSeq: number,
): (readonly [number, number])[] {
  const missing: (readonly [number, number])[] = [];
  let next = fromSeq;
  for (const { firstSeq, lastSeq } of kept) {
    if (firstSeq > next) missing.push([next, firstSeq - 1]);
    next = lastSeq + 1;
  }
  if (next <= toSeq) missing.push([next, toSeq]);
  return missing;
}
