import { randomUUID } from 'node:crypto';
import { type ControlDraft, type ControlProgress, createViewer, openSocketWith, type Viewer } from '@heliograph/client';
import {
  type Crypto,
  joinParts,
  localSigner,
  type ObserverEvent,
  parsePart,
  payloadOf,
  type Snapshot,
  type UsageReport,
} from '@heliograph/wire';
import WebSocket from 'ws';
import { until } from './until.ts';

/** Events that a failure names, the last ones. */
const MAX_TOLD = 200;

/** Which seqs of one stream came after a first one. */
class Arrivals {
  #last: number;
  readonly #ahead = new Set<number>();

  constructor(last: number) {
    this.#last = last;
  }

  /** Whether none is missing up to the newest. */
  get isWhole(): boolean {
    return this.#ahead.size === 0;
  }

  note(seq: number): void {
    if (seq > this.#last) this.#ahead.add(seq);
    while (this.#ahead.delete(this.#last + 1)) this.#last++;
  }
}

/** The product's own viewer, and everything it was told about one agent. */
export class Watcher {
  snapshot: Snapshot | undefined;
  readonly viewerId = randomUUID();
  /** Whether its relay takes frames. */
  isConnected = false;
  readonly warnings: string[] = [];
  readonly progress: ControlProgress[] = [];
  /** Hears of every event as it comes. */
  onEvent: (event: ObserverEvent) => void = () => {};
  /** In the order of the turns' ends. */
  usage: readonly UsageReport[] = [];
  readonly #events = new Map<string, ObserverEvent>();
  readonly #joined = new Map<string, ObserverEvent>();
  readonly #arrivals = new Map<string, Arrivals>();
  readonly #viewer: Viewer;
  readonly #agent: string;

  constructor(relayUrl: string, ownerKey: Uint8Array, agent: string, crypto: Crypto, version?: string) {
    this.#agent = agent;
    this.#viewer = createViewer({
      signer: localSigner(ownerKey, crypto),
      relays: [relayUrl],
      agents: [{ publicKey: agent, name: 'agent' }],
      viewerId: this.viewerId,
      ...(version !== undefined ? { version } : {}),
      openSocket: openSocketWith(WebSocket),
      clock: {
        nowMs: () => Date.now(),
        setTimer(delayMs, fire) {
          const timer = setTimeout(fire, delayMs);
          return () => clearTimeout(timer);
        },
      },
      crypto,
      random: Math.random,
      uuid: randomUUID,
      onEvent: (event) => {
        if (event.type === 'events') for (const e of event.events) this.#take(e);
        else if (event.type === 'relay') this.isConnected = event.state.phase === 'ready';
        else if (event.type === 'snapshot') this.#takeSnapshot(event.snapshot);
        else if (event.type === 'warning') this.warnings.push(`${event.code}: ${event.message}`);
        else if (event.type === 'control') this.progress.push(event.progress);
        else if (event.type === 'usage') this.#addUsage(event.report);
      },
    });
  }

  #takeSnapshot(snapshot: Snapshot): void {
    // What was before the first one nobody has asked for: that it is there is nothing to wait for.
    if (this.snapshot === undefined && this.#arrivals.size === 0)
      for (const { stream, seq } of snapshot.streams) this.#arrivals.set(stream, new Arrivals(seq));
    this.snapshot = snapshot;
  }

  #take(event: ObserverEvent): void {
    const { stream = '', seq } = event;
    const arrivals = this.#arrivals.get(stream) ?? new Arrivals(seq - 1);
    if (this.snapshot !== undefined) this.#arrivals.set(stream, arrivals);
    arrivals.note(seq);
    this.#events.set(`${stream} ${seq}`, event);
    this.onEvent(event);
  }

  #addUsage(report: UsageReport): void {
    this.usage = [...this.usage, report].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  }

  /** Waits for a value that is not undefined, null or false. */
  until<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
    return until(what, look, () => [...this.warnings, ...this.kinds().slice(-MAX_TOLD)].join('\n'));
  }

  send(draft: ControlDraft): string {
    return this.#viewer.control(this.#agent, draft);
  }

  /** Sends a control and waits for its last word, and for what the harness said before that. */
  async ask(draft: ControlDraft): Promise<ControlProgress> {
    const last = await this.askAhead(draft);
    await this.caughtUp();
    return last;
  }

  /** Waits until nothing is on its way that was said before what is here: results and requests overtake the rest. */
  async caughtUp(): Promise<void> {
    await this.until('what was overtaken', () => [...this.#arrivals.values()].every(({ isWhole }) => isWhole));
  }

  /** Sends a control and waits for its last word, which overtakes what the harness said before. */
  async askAhead(draft: ControlDraft): Promise<ControlProgress> {
    const requestId = this.send(draft);
    return this.until(`the end of ${draft.type}`, () =>
      this.progress.findLast((p) => p.requestId === requestId && (p.phase === 'done' || p.phase === 'failed')),
    );
  }

  prompt(channelId: string, text: string): string {
    return this.send({ type: 'prompt', channelId, content: [{ type: 'text', text } as { type: string }] });
  }

  resync(): void {
    this.#viewer.resync();
  }

  /** Events of one stream, or of all, in order, with parts joined. */
  events(stream?: string): ObserverEvent[] {
    const all = this.#inOrder(stream);
    const joined: ObserverEvent[] = [];
    for (let at = 0; at < all.length; ) {
      const event = all[at] as ObserverEvent;
      const part = parsePart(event);
      const whole = part === undefined ? undefined : this.#join(all.slice(at, at + part.count));
      joined.push(whole ?? event);
      at += whole === undefined ? 1 : (part?.count ?? 1);
    }
    return joined;
  }

  /** A large line is joined and hashed once, however often somebody looks. */
  #join(parts: readonly ObserverEvent[]): ObserverEvent | undefined {
    const key = `${parts[0]?.stream} ${parts[0]?.seq}`;
    const known = this.#joined.get(key);
    if (known !== undefined) return known;
    const joined = joinParts(parts);
    if (joined.ok) this.#joined.set(key, joined.value);
    return joined.ok ? joined.value : undefined;
  }

  #inOrder(stream?: string): ObserverEvent[] {
    const all = [...this.#events.values()].filter((event) => stream === undefined || event.stream === stream);
    return all.sort((a, b) => (a.stream === b.stream ? a.seq - b.seq : a.timestamp < b.timestamp ? -1 : 1));
  }

  /** Events as they were on the wire, parts not joined. */
  rawEvents(stream: string): ObserverEvent[] {
    return this.#inOrder(stream);
  }

  /** Whether a stream is here from its first event to the newest that came. */
  isWhole(stream: string): boolean {
    const events = this.rawEvents(stream);
    return events.length > 0 && events.at(-1)?.seq === events.length;
  }

  /** How many events came, without looking at them. */
  get size(): number {
    return this.#events.size;
  }

  find<T = Record<string, unknown>>(kind: string, match: (payload: Partial<T>) => boolean = () => true) {
    for (const event of this.#inOrder()) {
      if (event.kind !== kind) continue;
      const payload = payloadOf<T>(event);
      if (payload !== undefined && match(payload)) return { event, payload };
    }
    return undefined;
  }

  kinds(): string[] {
    return this.events().map(
      (event) => `${event.stream?.slice(0, 4)} ${event.seq} ${event.kind} ${event.payload.slice(0, 160)}`,
    );
  }

  close(): void {
    this.#viewer.close();
  }
}
