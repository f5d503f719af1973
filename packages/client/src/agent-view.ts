import {
  type ControlResult,
  type DecodedEnvelope,
  type Heads,
  type ObserverEvent,
  payloadOf,
  type Snapshot,
  type StreamHead,
  type StreamOpened,
  versionGap,
  WIRE_VERSION,
} from '@heliograph/wire';
import { AgentRepairs, type RepairedStream } from './agent-repairs.ts';
import type { Clock } from './clock.ts';
import { HoleRepair } from './hole-repair.ts';
import { AskedAgain } from './lines-again.ts';
import { isSeq, listOf } from './members.ts';
import { PartCollector } from './part-collector.ts';
import { readResult, readSnapshot } from './read-snapshot.ts';
import { RunTimes } from './run-times.ts';
import { type SeqSpan, StreamChain } from './stream-chain.ts';
import type {
  ControlDraft,
  HeldStream,
  LinesAgain,
  Presence,
  Refusal,
  StreamSpan,
  ViewerEvent,
} from './viewer-event.ts';

/** What one agent's view asks of the viewer that holds it. */
export interface AgentPort {
  readonly clock: Clock;
  name(): string;
  /** Of this program, where it is known. */
  readonly version: string | undefined;
  uuid(): string;
  /** Sends a hello in the given words; its answer is the next snapshot that names the requestId. */
  hello(requestId: string, have: readonly { readonly stream: string; readonly seq: number }[]): void;
  /** Sends a control; returns its requestId. */
  control(draft: ControlDraft): string;
  /** The harness said, when it was asked, that it does not have these seqs any more. */
  readonly lost?: ((stream: string, spans: readonly SeqSpan[]) => void) | undefined;
  /** A result of some control, mine or another viewer's. */
  result(result: ControlResult): void;
  emit(event: ViewerEvent): void;
}

const HELLO_REPEAT_MS = [2_000, 3_000, 5_000, 10_000];
const SILENT_REPEAT_MS = 60_000;
/** A harness with nothing to say tells its heads every 60 s: one that is quiet for longer is asked. */
const MAX_QUIET_MS = 90_000;
/** How long a hole may stay before it is asked for: its envelope may just be late. */
const HOLE_PATIENCE_MS = 5_000;
const AFTER_SNAPSHOT_MS = 1_000;
const MIN_HELLO_GAP_MS = 2_000;
const MAX_HAVE = 256;
/** Streams remembered for one agent; the ones that are not live go first. */
const MAX_STREAMS = 4_096;
const MAX_CLOCK_SKEW_MS = 60_000;
/** The same warning is not repeated within this time. */
const WARN_AGAIN_MS = 10_000;

interface StreamView extends RepairedStream {
  /** Fixed by the first event: another channel in the same stream is refused. */
  readonly channelId: string | null;
}

/**
 * One agent as one viewer sees it: whether its harness answers, which streams are live, what is missing and how it is
 * asked for. Until a snapshot names a stream (or it opens after one), what comes is history (SPEC 1.5).
 */
export class AgentView {
  readonly #agent: string;
  readonly #port: AgentPort;
  readonly #streams = new Map<string, StreamView>();
  readonly #parts = new PartCollector();
  #live = new Set<string>();
  #run: string | undefined;
  readonly #runTimes = new RunTimes();
  #snapshotNow = '';
  #harness: Presence['harness'] = 'waiting';
  #process: Presence['process'];
  #host: string | undefined;
  #refusal: Refusal | undefined;
  #lastHeardMs: number | undefined;
  #helloId: string | undefined;
  #helloTries = 0;
  #helloAtMs = Number.NEGATIVE_INFINITY;
  #cancelHello = () => {};
  #cancelWatch = () => {};
  #told = '';
  #toldVersions = '';
  readonly #warnedMs = new Map<string, number>();
  readonly #repairs: AgentRepairs;
  readonly #again: AskedAgain;

  constructor(agent: string, port: AgentPort) {
    this.#agent = agent;
    this.#port = port;
    this.#again = new AskedAgain((draft) => port.control(draft));
    this.#repairs = new AgentRepairs({
      clock: port.clock,
      streams: this.#streams,
      canAsk: () => this.#harness === 'live',
      control: (draft) => port.control(draft),
      lost: (stream, spans, message) => {
        this.#warn('lost', message);
        port.lost?.(stream, spans);
      },
      tell: (repairs) => port.emit({ type: 'repairs', agent, repairs }),
    });
  }

  get run(): string | undefined {
    return this.#run;
  }

  presence(): Presence {
    return {
      agent: this.#agent,
      name: this.#port.name(),
      harness: this.#harness,
      run: this.#run,
      liveStreams: [...this.#live],
      lastHeardMs: this.#lastHeardMs,
      process: this.#process,
      host: this.#host,
      refusal: this.#refusal,
    };
  }

  /** Asks the harness how things are; repeated until it answers. */
  greet(): void {
    if (this.#helloId !== undefined && this.#port.clock.nowMs() - this.#helloAtMs < MIN_HELLO_GAP_MS) return;
    this.#cancelHello();
    this.#helloId = this.#port.uuid();
    this.#helloTries = 0;
    if (this.#harness === 'silent') this.#harness = 'waiting';
    this.#sayHello();
    this.#tell();
  }

  /** A relay says that nobody listens for this agent, and maybe that it lets it not in: nothing of it is live. Hellos that are on their way go on. */
  noteUnheard(refusal?: Refusal): void {
    this.#refusal = refusal;
    if (this.#harness === 'silent') {
      this.#tell();
      return;
    }
    this.#harness = 'silent';
    this.#live = new Set();
    this.#tell();
    if (this.#helloId === undefined)
      this.#cancelHello = this.#port.clock.setTimer(SILENT_REPEAT_MS, () => this.greet());
  }

  /** Its name may be another. */
  renamed(): void {
    this.#tell();
  }

  close(): void {
    this.#cancelHello();
    this.#repairs.close();
    this.#again.close();
    this.#cancelWatch();
  }

  /** Takes what is held of a stream from before: it is not asked for, and nothing in it is live. */
  hold({ stream, channelId, head, segments, hashAt }: HeldStream): void {
    const chain = new StreamChain(segments, hashAt);
    chain.noteHead(head);
    this.#streams.set(stream, { chain, channelId, repair: new HoleRepair() });
  }

  /** A replay that was asked for is given up: no answer came. */
  giveUpReplay(requestId: string): void {
    const result = { type: 'replay', requestId, status: 'unanswered' } as const;
    this.#repairs.receive(result);
    this.#again.receive(result);
  }

  /** Asks for lines that were here and were let go: they come as events once more. A harness that is away is not asked. */
  async readAgain(span: StreamSpan): Promise<LinesAgain> {
    return this.#harness === 'live' ? this.#again.ask(span) : { isAnswered: false };
  }

  /** Takes one decoded envelope; returns the events that may be shown. */
  receive(envelope: DecodedEnvelope): readonly ObserverEvent[] {
    this.#lastHeardMs = this.#port.clock.nowMs();
    this.#refusal = undefined;
    const first = envelope.events[0];
    const last = envelope.events.at(-1);
    if (envelope.malformed > 0) {
      this.#warn('undecodable', `${envelope.malformed} events of one frame could not be read`);
    }
    if (first === undefined || last === undefined) return [];
    const { stream } = envelope;
    let accepted = envelope.events;
    if (stream !== undefined) {
      const view = this.#streamView(stream, first);
      accepted = envelope.events.filter((e) => e.stream === stream && e.channelId === view.channelId);
      if (accepted.length < envelope.events.length) {
        this.#warn('stream-owner', `stream ${stream} carried events of another channel: refused`);
      }
      const verdict = view.chain.add({
        firstSeq: first.seq,
        lastSeq: last.seq,
        hash: envelope.hash,
        prev: envelope.prev,
      });
      // What it says was noticed when it came first.
      if (verdict === 'duplicate') {
        const isAsked = this.#again.covers(stream, { first: first.seq, last: last.seq });
        return isAsked ? accepted : [];
      }
      if (verdict === 'forgotten') return accepted;
      if (verdict === 'broken')
        this.#warn('chain', `seq ${first.seq} of stream ${stream} does not follow what came before`);
      if (verdict === 'conflict') this.#warn('conflict', `seq ${first.seq} of stream ${stream} came with two contents`);
    }
    const whole = accepted.flatMap((event) => this.#parts.take(event) ?? []);
    for (const event of whole) this.#notice(event);
    if (this.#harness === 'silent' || (stream !== undefined && !this.#live.has(stream))) this.#maybeGreet(last);
    this.#repairs.later(HOLE_PATIENCE_MS);
    this.#tell();
    return accepted;
  }

  #streamView(stream: string, first: ObserverEvent): StreamView {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    if (this.#streams.size >= MAX_STREAMS) {
      const old = [...this.#streams.keys()].find((id) => !this.#live.has(id));
      if (old !== undefined) this.#streams.delete(old);
    }
    const view = { chain: new StreamChain(), channelId: first.channelId, repair: new HoleRepair() };
    this.#streams.set(stream, view);
    return view;
  }

  #notice(event: ObserverEvent): void {
    switch (event.kind) {
      case 'snapshot': {
        const snapshot = payloadOf<Snapshot>(event);
        if (typeof snapshot?.run === 'string') this.#takeSnapshot(snapshot as Snapshot);
        break;
      }
      case 'heads':
        for (const head of listOf(payloadOf<Heads>(event)?.streams)) this.#noteHead(head);
        this.#noteRun(event.stream, event.timestamp);
        break;
      case 'turn_liveness':
        this.#noteHead(payloadOf<{ head: StreamHead }>(event)?.head);
        break;
      case 'stream_opened':
        // Where the last run's stream of this channel ended: its tail may have been lost with that run.
        this.#noteHead(payloadOf<StreamOpened>(event)?.continues);
        if (event.channelId === null) this.#noteRun(event.stream, event.timestamp);
        if (this.#harness !== 'live' || event.stream === undefined || event.timestamp <= this.#snapshotNow) break;
        if (event.channelId === null && event.stream !== this.#run) this.#leaveRun();
        else this.#live.add(event.stream);
        break;
      case 'control_result': {
        const result = readResult(payloadOf<ControlResult>(event));
        if (result === undefined) break;
        this.#port.result(result);
        this.#repairs.receive(result);
        this.#again.receive(result);
        break;
      }
      case 'agent_initialized':
        this.#process = 'running';
        break;
      case 'agent_exited':
        this.#process = 'exited';
        break;
      default:
        break;
    }
  }

  /** What is told again of earlier runs is no news. */
  #noteRun(run: string | undefined, at: string): void {
    if (run === undefined || !this.#runTimes.note(run, at) || at <= this.#snapshotNow) return;
    this.#warn('second-run', 'two harnesses run with this key at once: one of them is not yours to trust');
  }

  #noteHead(head: Partial<StreamHead> | null | undefined): void {
    if (typeof head?.stream === 'string' && isSeq(head.seq)) this.#streams.get(head.stream)?.chain.noteHead(head.seq);
  }

  #takeSnapshot(said: Snapshot): void {
    // A relay can send an old one again: only the answer to my own hello is news.
    const { requestIds } = said;
    if (this.#helloId === undefined || !Array.isArray(requestIds) || !requestIds.includes(this.#helloId)) return;
    const snapshot = readSnapshot(said);
    this.#noteRun(snapshot.run, snapshot.now);
    this.#helloId = undefined;
    this.#cancelHello();
    this.#harness = 'live';
    this.#run = snapshot.run;
    this.#snapshotNow = snapshot.now;
    this.#process = snapshot.agent.process;
    this.#host = snapshot.host;
    const streams = snapshot.streams.slice(0, MAX_STREAMS);
    this.#live = new Set(streams.map(({ stream }) => stream));
    for (const { stream, channelId = null, seq } of streams) {
      const view = this.#streams.get(stream) ?? { chain: new StreamChain(), channelId, repair: new HoleRepair() };
      this.#streams.set(stream, view);
      if (isSeq(seq)) view.chain.noteHead(seq);
    }
    const skewMs = Date.parse(snapshot.now) - this.#port.clock.nowMs();
    if (Math.abs(skewMs) > MAX_CLOCK_SKEW_MS) {
      const minutes = Math.round(Math.abs(skewMs) / 60_000);
      this.#warn('clock', `the agent's clock is ${minutes} min ${skewMs > 0 ? 'ahead of' : 'behind'} yours`);
    }
    this.#compareVersions(snapshot);
    for (const view of this.#streams.values()) view.repair.reset();
    this.#port.emit({ type: 'snapshot', agent: this.#agent, snapshot });
    this.#watch();
    // The harness re-sends what it thinks I need by itself; only what is still missing then is asked for.
    this.#repairs.later(AFTER_SNAPSHOT_MS);
  }

  /** Said once for each version of the harness; what is understood of it is shown all the same. */
  #compareVersions({ wire, version }: { readonly wire: unknown; readonly version?: unknown }): void {
    const theirs = {
      wire: typeof wire === 'number' ? wire : WIRE_VERSION,
      version: typeof version === 'string' ? version : undefined,
    };
    const gap = versionGap({ wire: WIRE_VERSION, version: this.#port.version }, theirs);
    const told = JSON.stringify(theirs);
    if (gap === undefined || told === this.#toldVersions) return;
    this.#toldVersions = told;
    const words =
      gap.what === 'wire'
        ? `the harness speaks wire ${theirs.wire}, this page wire ${WIRE_VERSION}`
        : `the harness is Heliograph ${theirs.version}, this page ${this.#port.version}`;
    const mend =
      gap.older === 'ours' ? 'update this desktop and load the page again' : 'update Heliograph on its machine';
    const rest = gap.what === 'wire' ? '; what both understand is shown' : '';
    this.#warn('version', `${words}: ${mend}${rest}`);
  }

  /** A harness has started anew: nothing of the old run is live, and the new one has not told how it is. */
  #leaveRun(): void {
    this.#harness = 'waiting';
    this.#live = new Set();
    this.#run = undefined;
    this.#process = 'starting';
  }

  /** Something new came that no snapshot of mine covers: a restarted harness, or one that woke up. */
  #maybeGreet(event: ObserverEvent): void {
    if (this.#helloId !== undefined && this.#harness === 'waiting') return;
    if (event.timestamp <= this.#snapshotNow) return;
    const waitMs = this.#helloAtMs + MIN_HELLO_GAP_MS - this.#port.clock.nowMs();
    if (waitMs <= 0) {
      this.greet();
      return;
    }
    this.#cancelHello();
    this.#cancelHello = this.#port.clock.setTimer(waitMs, () => this.greet());
  }

  #sayHello(): void {
    const requestId = this.#helloId;
    if (requestId === undefined) return;
    this.#helloAtMs = this.#port.clock.nowMs();
    const have = [...this.#streams]
      .filter(([, view]) => view.chain.held > 0)
      .slice(-MAX_HAVE)
      .map(([stream, view]) => ({ stream, seq: view.chain.contiguous }));
    this.#port.hello(requestId, have);
    const delayMs = HELLO_REPEAT_MS[this.#helloTries++];
    if (delayMs === undefined) this.#fallSilent();
    else this.#cancelHello = this.#port.clock.setTimer(delayMs, () => this.#sayHello());
  }

  #watch(): void {
    this.#cancelWatch();
    const quietMs = this.#port.clock.nowMs() - (this.#lastHeardMs ?? 0);
    const leftMs = MAX_QUIET_MS - quietMs;
    if (leftMs <= 0) this.greet();
    this.#cancelWatch = this.#port.clock.setTimer(leftMs > 0 ? leftMs : MAX_QUIET_MS, () => {
      if (this.#harness === 'live') this.#watch();
    });
  }

  #fallSilent(): void {
    this.#cancelHello();
    this.#helloId = undefined;
    this.#harness = 'silent';
    this.#live = new Set();
    this.#tell();
    this.#cancelHello = this.#port.clock.setTimer(SILENT_REPEAT_MS, () => this.greet());
  }

  #warn(code: Extract<ViewerEvent, { type: 'warning' }>['code'], message: string): void {
    // What an agent can cause at will must not become a flood on the owner's side.
    const nowMs = this.#port.clock.nowMs();
    if (nowMs - (this.#warnedMs.get(code) ?? Number.NEGATIVE_INFINITY) < WARN_AGAIN_MS) return;
    this.#warnedMs.set(code, nowMs);
    this.#port.emit({ type: 'warning', agent: this.#agent, code, message });
  }

  /** At most once a second unless something but the age changed. */
  #tell(): void {
    const presence = this.presence();
    const told = JSON.stringify({ ...presence, lastHeardMs: Math.floor((presence.lastHeardMs ?? 0) / 1_000) });
    if (told === this.#told) return;
    this.#told = told;
    this.#port.emit({ type: 'presence', presence });
  }
}
