import type { ObserverEvent } from '@heliograph/wire/observer';
import { blankAgent, reduceAgent } from './agent.ts';
import type { CarriedTranscript } from './carry.ts';
import { ChannelFold, type OrderedEvent } from './channel-fold.ts';
import { EventLog } from './event-log.ts';
import { foreignKey } from './foreign-log.ts';
import { asObject, finite, objects, parseObject, text } from './json.ts';
import { FOREIGN_SEGMENT, firstAfter, type LaneKey } from './lane.ts';
import { type Layout, layOut } from './layout.ts';
import { readLine } from './lines.ts';
import type { Cursor } from './merge.ts';
import type { AgentState, SeqRange, Turn } from './model.ts';
import { SESSION_REQUESTS } from './session.ts';
import type { StreamLog, Verdict } from './stream-log.ts';

/** Kinds of the harness stream that tell every channel of its run something of session or agent. */
const SHARED_KINDS: readonly string[] = [
  'stream_opened',
  'harness_started',
  'agent_initialized',
  'agent_exited',
  'acp_part',
];
const LINE_KINDS: readonly string[] = ['acp_read', 'acp_write'];

/** A channel's events, one after the other as they are folded. */
export interface EventOrder {
  /** Grows when events behind a place that was passed are others than they were. */
  rewrites(): number;
  nextAfter(cursor: Cursor | undefined): OrderedEvent | undefined;
  /** The transcript of all of them. */
  transcript(): CarriedTranscript;
}

/**
 * Everything one agent has sent, as transcripts: one per channel, and one (`null`) of what belongs to no channel. Takes
 * events in any order, more than once, from live and from history alike; the same set of events always gives the same
 * transcripts. What is handed out never changes: a value that is the same object says the same.
 */
export class TranscriptFold {
  readonly log = new EventLog();
  readonly #folds = new Map<string | null, ChannelFold>();
  readonly #shared = new Map<string, number[]>();
  readonly #foreign = new Set<string | null>();
  #layout: Layout | undefined;
  #channels: readonly string[] = [];
  #agent: AgentState = blankAgent(undefined);
  #agentAt: { readonly run: string; readonly seq: number } | undefined;

  /** Takes one event. `conflict`: its identity is held with another content, or its stream belongs to another channel. */
  insert(event: ObserverEvent): Verdict {
    if (event.stream === undefined) return this.#insertForeign(event);
    const before = this.#standing(event.stream, event.seq);
    const verdict = this.log.insert(event);
    const stream = this.log.stream(event.stream);
    if (stream === undefined || verdict === 'duplicate' || verdict === 'returned') return verdict;
    if (verdict === 'conflict') {
      const held = stream.get(event.seq);
      const isNew = held !== undefined && stream.isConflicted(event.seq) && !before.conflicted;
      if (isNew) this.#arriveOwn(stream, held, event.seq);
      return verdict;
    }
    const { oldest, channelId, evictions } = stream;
    if (oldest !== before.oldest || channelId !== before.channelId) this.#layout = undefined;
    if (evictions !== before.evictions || (channelId !== before.channelId && before.oldest !== undefined))
      this.#reset(stream);
    this.#arriveOwn(stream, event, event.seq);
    if (channelId === null) this.#arriveShared(stream, event);
    this.#noteEnds(event);
    return verdict;
  }

  #standing(id: string, seq: number) {
    const stream = this.log.stream(id);
    return {
      oldest: stream?.oldest,
      channelId: stream?.channelId,
      evictions: stream?.evictions ?? 0,
      conflicted: stream?.isConflicted(seq) === true,
    };
  }

  /** Ids of the channels anything is held of, in the order they were first heard of. */
  channels(): readonly string[] {
    const { channels } = this.#laidOut();
    const isSame = channels.length === this.#channels.length && channels.every((id, i) => id === this.#channels[i]);
    if (!isSame) this.#channels = channels;
    return this.#channels;
  }

  /** The transcript of a channel; `null` for what belongs to none. */
  transcript(channelId: string | null): CarriedTranscript {
    return this.#fold(channelId).transcript();
  }

  /**
   * Lets lines of a channel go until so many characters of them are gone: of whole ended turns, oldest first, of which only a short
   * form stays. What waits for an answer, what goes on and what `isKept` stays. Returns how many characters went.
   */
  letGo(channelId: string, units: number, isKept: (turn: Turn) => boolean): number {
    const before = this.log.units;
    const gone = () => before - this.log.units;
    this.#fold(channelId).letGo(
      (turn) => gone() < units && !isKept(turn),
      (stream, first, last, letGo) => this.log.stream(stream)?.letGo(first, last, letGo) === true,
    );
    return gone();
  }

  /** The lines of a channel that were let go, oldest first; with `turnId` those of that turn. */
  away(channelId: string | null, turnId?: string): readonly SeqRange[] {
    return this.#laidOut()
      .segments(channelId)
      .flatMap(({ stream }) => this.log.stream(stream)?.away.map((lines) => ({ stream, ...lines })) ?? [])
      .filter(({ event }) => turnId === undefined || event.letGo.turn.id === turnId)
      .map(({ stream, first, last }) => ({ stream, first, last }));
  }

  /** Whoever was asked for lines that were let go has them no more: their turn says so. */
  noteGone({ stream, first }: Pick<SeqRange, 'stream' | 'first'>): void {
    const log = this.log.stream(stream);
    const turn = log?.away.find((lines) => lines.first === first)?.event.letGo.turn;
    if (log === undefined || turn === undefined) return;
    const gone: Turn = { ...turn, away: turn.away?.map((away) => ({ ...away, letGo: 'gone' as const })) ?? [] };
    log.shorten(first, gone);
    this.#folds.get(log.channelId)?.shorten(gone);
  }

  /** A channel's events in the order they are folded in, for a replay of them. */
  order(channelId: string | null): EventOrder {
    const fold = this.#fold(channelId);
    return {
      rewrites: () => fold.rewrites,
      nextAfter: (cursor) => fold.nextAfter(cursor),
      transcript: () => this.transcript(channelId),
    };
  }

  /** The agent process as the newest run told of it. */
  agent(): AgentState {
    const run = this.#laidOut()
      .segments(null)
      .findLast(({ stream }) => stream !== FOREIGN_SEGMENT)?.stream;
    if (run === undefined) return this.#agent;
    const from = this.#agentAt?.run === run ? this.#agentAt.seq : 0;
    if (from === 0) this.#agent = blankAgent(run);
    for (const { seq } of this.log.range(run, from + 1)) {
      const event = this.log.stream(run)?.read(seq);
      if (event !== undefined) this.#agent = reduceAgent(this.#agent, event);
    }
    this.#agentAt = { run, seq: this.log.head(run) };
    return this.#agent;
  }

  #laidOut(): Layout {
    this.#layout ??= layOut(this.log, [...this.#foreign], this.#shared);
    return this.#layout;
  }

  #fold(channelId: string | null): ChannelFold {
    let fold = this.#folds.get(channelId);
    if (fold === undefined) {
      fold = new ChannelFold(channelId, {
        segments: () => this.#laidOut().segments(channelId),
        end: (stream) => this.log.stream(stream)?.end ?? 0,
        runAfter: (run) => {
          const later = this.#laidOut().runAfter(run);
          return later === undefined ? undefined : this.log.stream(later)?.oldest;
        },
      });
      this.#folds.set(channelId, fold);
    }
    return fold;
  }

  #arriveOwn(stream: StreamLog, event: ObserverEvent, key: LaneKey): void {
    const fold = this.#folds.get(stream.channelId);
    const { timestamp } = event;
    fold?.arrive('own', stream.stream, { key, timestamp });
    if (event.kind !== 'acp_part') return;
    const last = stream.lastPartOf(event);
    if (last !== undefined && last !== event.seq) fold?.arrive('own', stream.stream, { key: last, timestamp });
  }

  #arriveShared(stream: StreamLog, event: ObserverEvent): void {
    const { seq, timestamp } = event;
    if (this.#agentAt?.run === stream.stream && seq <= this.#agentAt.seq) this.#agentAt = undefined;
    if (!isShared(event)) return;
    const seqs = this.#shared.get(stream.stream);
    if (seqs === undefined) {
      this.#shared.set(stream.stream, [seq]);
      this.#layout = undefined;
    } else {
      const place = firstAfter(seqs, seq);
      // One that takes the place of its redacted copy may stand there.
      if (seqs[place - 1] !== seq) seqs.splice(place, 0, seq);
    }
    const last = event.kind === 'acp_part' ? stream.lastPartOf(event) : undefined;
    for (const fold of this.#folds.values()) {
      fold.arrive('shared', stream.stream, { key: seq, timestamp });
      if (last !== undefined && last !== seq) fold.arrive('shared', stream.stream, { key: last, timestamp });
    }
  }

  #insertForeign(event: ObserverEvent): Verdict {
    const verdict = this.log.insert(event);
    if (verdict === 'duplicate' || verdict === 'conflict') return verdict;
    const { channelId, timestamp } = event;
    const key = foreignKey(event);
    if (!this.#foreign.has(channelId) || this.log.foreign(channelId).oldest === event) this.#layout = undefined;
    this.#foreign.add(channelId);
    this.#folds.get(channelId)?.arrive('own', FOREIGN_SEGMENT, { key, timestamp });
    if (channelId === null) {
      for (const fold of this.#folds.values()) fold.arrive('shared', FOREIGN_SEGMENT, { key, timestamp });
    }
    return verdict;
  }

  /** Says how far streams go: what is not here is missing. */
  #noteEnds(event: ObserverEvent): void {
    const payload = ['heads', 'snapshot', 'turn_liveness'].includes(event.kind)
      ? parseObject(event.payload)
      : undefined;
    if (payload === undefined) return;
    for (const head of [...(objects(payload, 'streams') ?? []), asObject(payload.head)]) {
      const [stream, seq] = [text(head, 'stream'), finite(head, 'seq')];
      if (stream === undefined || seq === undefined || !this.log.announce(stream, seq)) continue;
      this.#folds.get(this.log.stream(stream)?.channelId ?? null)?.announced(stream);
    }
  }

  /** A stream changed hands: whoever may have had it folds again. */
  #reset(stream: StreamLog): void {
    this.#shared.delete(stream.stream);
    if (stream.channelId === null) {
      const seqs = [...this.log.range(stream.stream)].filter(isShared).map(({ seq }) => seq);
      this.#shared.set(stream.stream, seqs);
    }
    this.#agentAt = undefined;
    this.#layout = undefined;
    for (const fold of this.#folds.values()) fold.reset();
  }
}

/** Whether an event of the harness stream is of interest to channels: most lines there are not. */
function isShared(event: ObserverEvent): boolean {
  if (!LINE_KINDS.includes(event.kind)) return SHARED_KINDS.includes(event.kind);
  return readLine(event.payload).some(({ message }) => {
    if (!message.ok) return false;
    const { value } = message;
    if (value.type === 'response' || value.type === 'error') return event.kind === 'acp_read';
    if (value.type === 'notification') return value.method === 'elicitation/complete';
    return value.type === 'request' && (value.method === 'initialize' || SESSION_REQUESTS.includes(value.method));
  });
}
