import { type Control, type ControlResult, DEFAULT_BUDGET_BYTES, encodeControl, utf8Length } from '@heliograph/wire';
import type { Clock } from './clock.ts';
import type { ControlProgress } from './viewer-event.ts';

/** What the outbox needs of the world. */
export interface OutboxPort {
  readonly clock: Clock;
  /** Seals and publishes the text to one agent; says whether a relay took it and whether anybody was listening. */
  send(agent: string, text: string): Promise<{ readonly taken: boolean; readonly reason?: string }>;
  /** The run an agent's harness is in, undefined until it has said so. */
  runOf(agent: string): string | undefined;
  onProgress(progress: ControlProgress): void;
}

interface Outgoing {
  readonly agent: string;
  control: Control & { readonly requestId: string };
  readonly startedMs: number;
  delayMs: number;
  progress: ControlProgress;
  cancelTimer: () => void;
}

const FIRST_REPEAT_MS = 2_000;
const MAX_REPEAT_MS = 15_000;
const GIVE_UP_MS = 600_000;
/** How long finished controls are remembered, so that a late repeat of an answer changes nothing. */
const MAX_REMEMBERED = 512;

/** Results after which more is to come. */
const UNDERWAY = new Set(['sent']);
const SUCCESS = new Set([
  'applied',
  'accepted',
  'queued',
  'steered',
  'cancelled',
  'killed',
  'turn_ended',
  'switched',
  'removed',
  'replaced',
  'partial',
]);

/**
 * Controls on their way: each is repeated in new events with the same requestId until the harness answers or ten minutes
 * are over. The harness acts on it once, however often it arrives (SPEC 1.4).
 */
export class Outbox {
  readonly #port: OutboxPort;
  readonly #open = new Map<string, Outgoing>();

  constructor(port: OutboxPort) {
    this.#port = port;
  }

  send(agent: string, control: Control & { readonly requestId: string }): void {
    const { requestId, type } = control;
    const progress: ControlProgress = { requestId, agent, type, phase: 'sending' };
    const nowMs = this.#port.clock.nowMs();
    const outgoing: Outgoing = {
      agent,
      control,
      startedMs: nowMs,
      delayMs: FIRST_REPEAT_MS,
      progress,
      cancelTimer: () => {},
    };
    for (const [id, old] of this.#open) {
      if (this.#open.size < MAX_REMEMBERED) break;
      if (isFinal(old.progress)) this.#open.delete(id);
    }
    this.#open.set(requestId, outgoing);
    this.#port.onProgress(progress);
    const size = utf8Length(encodeControl(control));
    if (size > DEFAULT_BUDGET_BYTES) {
      const reason = `${size} bytes do not fit one frame of ${DEFAULT_BUDGET_BYTES}: shorten it`;
      this.#update(outgoing, { phase: 'failed', result: { type, requestId, status: 'too_large', reason }, reason });
      return;
    }
    void this.#attempt(outgoing);
  }

  /** Takes a `control_result` from the agent; results of other viewers' controls are none of ours. */
  receive(agent: string, result: ControlResult): void {
    const outgoing = result.requestId === undefined ? undefined : this.#open.get(result.requestId);
    if (outgoing === undefined || outgoing.agent !== agent) return;
    const { phase } = outgoing.progress;
    const success = SUCCESS.has(result.status);
    const underway = UNDERWAY.has(result.status);
    // A refusal after any other result answers a repeat that came too late; it takes nothing back.
    if (phase === 'done' || (phase === 'failed' && !success)) return;
    // Said once more it is news only with a reason: a cancel that is not heard, say, and what it would take to force it.
    if (phase === 'received' && underway && result.reason === undefined) return;
    outgoing.cancelTimer();
    const reason = result.reason !== undefined ? { reason: result.reason } : {};
    if (underway) this.#update(outgoing, { phase: 'received', result, ...reason });
    else this.#update(outgoing, { phase: success ? 'done' : 'failed', result, ...reason });
  }

  /** The control if it is still waiting for an answer. */
  pending(requestId: string): boolean {
    const outgoing = this.#open.get(requestId);
    return outgoing !== undefined && !isFinal(outgoing.progress);
  }

  close(): void {
    for (const outgoing of this.#open.values()) outgoing.cancelTimer();
    this.#open.clear();
  }

  async #attempt(outgoing: Outgoing): Promise<void> {
    const outcome = await this.#send(outgoing);
    const { phase } = outgoing.progress;
    if (phase !== 'sending' && phase !== 'sent') return; // Answered meanwhile.
    if (this.#open.get(outgoing.control.requestId) !== outgoing) return;
    if (outcome.taken && phase === 'sending') this.#update(outgoing, { phase: 'sent' });
    else if (!outcome.taken)
      this.#update(outgoing, { phase, ...(outcome.reason !== undefined ? { reason: outcome.reason } : {}) });
    if (this.#port.clock.nowMs() - outgoing.startedMs > GIVE_UP_MS) {
      this.#update(outgoing, { phase: 'failed', reason: 'no answer for ten minutes: given up' });
      return;
    }
    outgoing.cancelTimer = this.#port.clock.setTimer(outgoing.delayMs, () => void this.#attempt(outgoing));
    outgoing.delayMs = Math.min(MAX_REPEAT_MS, outgoing.delayMs * 2);
  }

  /** An order is for one run: until the harness has said which it is in, it waits. */
  async #send(outgoing: Outgoing): Promise<{ readonly taken: boolean; readonly reason?: string }> {
    const { control, agent } = outgoing;
    if (control.type === 'hello' || control.run !== undefined) return this.#port.send(agent, encodeControl(control));
    const run = this.#port.runOf(agent);
    outgoing.delayMs = FIRST_REPEAT_MS;
    if (run === undefined) return { taken: false, reason: 'the harness has not said how things are yet' };
    outgoing.control = { ...control, run };
    return this.#port.send(agent, encodeControl(outgoing.control));
  }

  #update(outgoing: Outgoing, change: Pick<ControlProgress, 'phase' | 'result' | 'reason'>): void {
    const { requestId, agent, type, result } = outgoing.progress;
    outgoing.progress = { requestId, agent, type, ...(result !== undefined ? { result } : {}), ...change };
    this.#port.onProgress(outgoing.progress);
  }
}

function isFinal(progress: ControlProgress): boolean {
  return progress.phase === 'done' || progress.phase === 'failed';
}
