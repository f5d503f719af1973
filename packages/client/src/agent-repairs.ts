import type { ControlResult } from '@heliograph/wire';
import type { Clock } from './clock.ts';
import { type HoleRepair, MAX_REPAIRS } from './hole-repair.ts';
import { namedIn } from './members.ts';
import type { SeqSpan, StreamChain } from './stream-chain.ts';
import type { ControlDraft, Repairs, StreamSpan } from './viewer-event.ts';

/** How long a harness that answers too many others is left before it is asked again. */
const BUSY_MS = 5_000;
/** Spans of a kind that are told of, the newest. */
const MAX_TOLD_SPANS = 256;
/** While something is asked for anyway, new holes are told of no more often. */
const TELL_AGAIN_MS = 500;

const NOTHING_TOLD = JSON.stringify({ awaited: [], gone: [] });

/** What is repaired of a stream, and by what. */
export interface RepairedStream {
  readonly chain: StreamChain;
  readonly repair: HoleRepair;
}

export interface RepairPort {
  readonly clock: Clock;
  /** By stream, the ones first heard of first. */
  readonly streams: ReadonlyMap<string, RepairedStream>;
  /** Whether anybody would answer. */
  canAsk(): boolean;
  /** Sends a control; returns its requestId. */
  control(draft: ControlDraft): string;
  /** What the harness does not have any more, and that in words. */
  lost(stream: string, spans: readonly SeqSpan[], message: string): void;
  /** What is awaited, or gone, is other than was told. */
  tell(repairs: Repairs): void;
}

/** Asks one agent's harness for what is missing of its streams, a few questions at a time. */
export class AgentRepairs {
  readonly #port: RepairPort;
  /** What was asked for and is not answered, by requestId. */
  readonly #asked = new Map<string, { readonly stream: string; readonly span: SeqSpan }>();
  #callOff: (() => void) | undefined;
  #gone: readonly StreamSpan[] = [];
  #told = NOTHING_TOLD;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(port: RepairPort) {
    this.#port = port;
  }

  close(): void {
    this.#callOff?.();
  }

  /** Looks for holes after a while: what is missing may just be late. */
  later(delayMs: number): void {
    if (this.#callOff !== undefined || this.#asked.size > 0) {
      if (this.#port.clock.nowMs() - this.#toldAtMs >= TELL_AGAIN_MS) this.#tell();
      return;
    }
    if (this.#next() === undefined) return;
    this.#tell();
    this.#callOff = this.#port.clock.setTimer(delayMs, () => {
      this.#callOff = undefined;
      this.#ask();
    });
  }

  /** Takes the result of a replay that was asked for here, or what stands for one that never came. */
  receive(result: ControlResult): void {
    const { requestId = '', status } = result;
    const asked = this.#asked.get(requestId);
    if (asked === undefined || status === 'sent') return;
    this.#asked.delete(requestId);
    const { stream, span } = asked;
    const repaired = this.#port.streams.get(stream);
    if (repaired === undefined) return;
    const { chain, repair } = repaired;
    if (status === 'failure') {
      // It answers too many others: that says nothing of this hole.
      repair.putOff(span);
      this.later(BUSY_MS);
      return;
    }
    const gone = status === 'unknown' ? [span] : namedIn(result);
    if (gone.length > 0) {
      chain.forget(gone);
      const seqs = gone.slice(0, 3).map(({ first, last }) => `${first}–${last}`);
      this.#gone = [...this.#gone, ...gone.map((one) => ({ stream, ...one }))].slice(-MAX_TOLD_SPANS);
      const more = gone.length > seqs.length ? ` and ${gone.length - seqs.length} more ranges` : '';
      this.#port.lost(stream, gone, `the harness no longer has seqs ${seqs.join(', ')}${more} of stream ${stream}`);
    }
    repair.settle(span, chain.holes());
    this.#ask();
  }

  #ask(): void {
    while (this.#asked.size < MAX_REPAIRS) {
      const next = this.#next();
      if (next === undefined) break;
      const { stream, repaired, span } = next;
      repaired.repair.ask(span, repaired.chain.holes());
      const requestId = this.#port.control({ type: 'replay', stream, fromSeq: span.first, toSeq: span.last });
      this.#asked.set(requestId, { stream, span });
    }
    this.#tell();
  }

  #tell(): void {
    this.#toldAtMs = this.#port.clock.nowMs();
    const awaited: StreamSpan[] = [];
    for (const [stream, { chain, repair }] of this.#port.canAsk() ? this.#port.streams : [])
      for (const { first, last } of repair.awaited(chain.holes())) awaited.push({ stream, first, last });
    const repairs = { awaited: awaited.slice(-MAX_TOLD_SPANS), gone: this.#gone };
    const told = JSON.stringify(repairs);
    if (told === this.#told) return;
    this.#told = told;
    this.#port.tell(repairs);
  }

  /** The newest stream first: what just happened matters most to whoever looks. */
  #next(): { stream: string; repaired: RepairedStream; span: SeqSpan } | undefined {
    if (!this.#port.canAsk()) return undefined;
    for (const [stream, repaired] of [...this.#port.streams].reverse()) {
      const span = repaired.repair.next(repaired.chain.holes());
      if (span !== undefined) return { stream, repaired, span };
    }
    return undefined;
  }
}
