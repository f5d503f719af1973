import type { Clock } from '@heliograph/client';
import type { PushReason } from '@heliograph/wire';

export interface PushCallsPort {
  readonly clock: Clock;
  /** What the owner is to be called for now, all of one moment. */
  call(due: ReadonlySet<PushReason>): void;
}

/** What is over within this is not worth a call: a request that a rule answers, a turn that the next one follows at once. */
const GRACE_MS = 1_000;

/** Reads from what the harness tells its viewers when their owner should be called. Holds what happened within a second. */
export class PushCalls {
  readonly #port: PushCallsPort;
  /** By reason, what it is about: a request's nonce, or a stream. */
  readonly #due = new Map<PushReason, Set<string>>();
  #cancel: (() => void) | undefined;

  constructor(port: PushCallsPort) {
    this.#port = port;
  }

  /** Takes one observer event; `payload` is its JSON, read only of the few kinds that matter. */
  observe(stream: string, kind: string, payload: string): void {
    if (kind === 'permission_pending') this.#add('permission', nonceOf(payload));
    else if (kind === 'permission_terminal') this.#drop('permission', nonceOf(payload));
    else if (kind === 'elicitation_pending') this.#add('question', nonceOf(payload));
    else if (kind === 'elicitation_terminal') this.#drop('question', nonceOf(payload));
    else if (kind === 'turn_started') this.#drop('ended', stream);
    else if (kind === 'turn_error') this.#add('failed', stream);
    else if (kind === 'turn_completed') this.#ended(stream, payload);
    else if (kind === 'agent_exited' && membersOf(payload).expected === false) this.#add('offline', stream);
  }

  /** Calls for what is due, without waiting longer. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const due = new Set([...this.#due].flatMap(([reason, about]) => (about.size > 0 ? [reason] : [])));
    this.#due.clear();
    if (due.size > 0) this.#port.call(due);
  }

  /** One that the owner cancelled is no news to them. */
  #ended(stream: string, payload: string): void {
    const { outcome } = membersOf(payload);
    if (outcome === 'failed') this.#add('failed', stream);
    else if (outcome === 'completed' || outcome === 'refused') this.#add('ended', stream);
  }

  #add(reason: PushReason, about: string): void {
    const known = this.#due.get(reason) ?? new Set();
    this.#due.set(reason, known.add(about));
    this.#cancel ??= this.#port.clock.setTimer(GRACE_MS, () => this.flush());
  }

  #drop(reason: PushReason, about: string): void {
    this.#due.get(reason)?.delete(about);
  }
}

function nonceOf(payload: string): string {
  return String(membersOf(payload).requestNonce);
}

/** Our own events: objects, always. */
function membersOf(payload: string): Readonly<Record<string, unknown>> {
  return JSON.parse(payload) as Readonly<Record<string, unknown>>;
}
