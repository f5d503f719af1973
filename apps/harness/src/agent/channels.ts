import type { SnapshotTurn } from '@heliograph/wire';
import type { Place } from '../mirror/observer-bus.ts';
import type { Route } from './router.ts';
import type { SessionConfig } from './session-config.ts';
import type { Turn } from './turn.ts';

/** A session that may be opened again. */
export interface EarlierSession {
  readonly sessionId: string;
  readonly createdMs: number;
  /** It was loaded before; absent in what earlier versions wrote down. */
  readonly isLoaded?: boolean;
}

/** One conversation: its stream in this run, and what a viewer that comes late must hear of it. */
export interface Channel {
  readonly channelId: string;
  readonly stream: string;
  readonly openedAt: string;
  /** Where its sessions work; absolute. */
  cwd: string;
  /** The session that is open in the agent. */
  sessionId: string | null;
  /** When that session was made, 0 where an earlier run or another program made it. */
  madeMs: number;
  isLoaded: boolean;
  /** An owner closed it: it takes no prompts until a session is opened in it. */
  isClosed: boolean;
  title: string | null;
  turn: Turn | undefined;
  /** The newest session that holds something, also when its agent is gone. */
  earlier: EarlierSession | undefined;
  /** What the session can be set to, as the agent told it last. */
  config: SessionConfig;
  /** goose: the run it says it is in. */
  activeRunId: string | undefined;
  /** The newest turns, oldest first. */
  readonly turns: SnapshotTurn[];
  lastActivity: string;
}

/** What a channel is opened with. */
export interface OpenedChannel {
  readonly cwd: string;
  readonly sessionId?: string;
  /** An earlier run's, or the owner's choice. */
  readonly channelId?: string;
}

/** Opens a channel's stream; tells when. */
export type OpenStream = (stream: string, channelId: string) => { readonly timestamp: string };

const MAX_TURNS = 1_000;

/** Every channel that is there, and where a line of each stands right now. */
export class Channels {
  readonly #run: string;
  readonly #uuid: () => string;
  readonly #openStream: OpenStream;
  readonly #channels = new Map<string, Channel>();

  constructor(run: string, uuid: () => string, openStream: OpenStream) {
    this.#run = run;
    this.#uuid = uuid;
    this.#openStream = openStream;
  }

  open({ cwd, sessionId, channelId = this.#uuid() }: OpenedChannel): Channel {
    const stream = this.#uuid();
    const { timestamp } = this.#openStream(stream, channelId);
    const channel: Channel = {
      channelId,
      stream,
      openedAt: timestamp,
      cwd,
      sessionId: sessionId ?? null,
      madeMs: 0,
      isLoaded: false,
      isClosed: false,
      title: null,
      turn: undefined,
      earlier: undefined,
      config: {},
      activeRunId: undefined,
      turns: [],
      lastActivity: timestamp,
    };
    this.#channels.set(channelId, channel);
    return channel;
  }

  get(channelId: string | null): Channel | undefined {
    return channelId === null ? undefined : this.#channels.get(channelId);
  }

  /** Forgets a channel; its stream is to be ended by the caller. */
  remove(channelId: string): void {
    this.#channels.delete(channelId);
  }

  all(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  /** Where a line of this route stands: its channel's stream and open turn, or the harness stream. */
  place({ channelId, sessionId }: Route): Place {
    const channel = this.get(channelId);
    if (channel === undefined) return { stream: this.#run, sessionId, turnId: null };
    if (channel.turn !== undefined && channel.sessionId === sessionId) return channel.turn.place;
    return { stream: channel.stream, sessionId, turnId: null };
  }
}

/** Notes a turn's beginning or end; the oldest turns are forgotten. */
export function noteTurn(channel: Channel, turn: SnapshotTurn): void {
  const at = channel.turns.findLastIndex(({ turnId }) => turnId === turn.turnId);
  if (at >= 0) channel.turns[at] = turn;
  else channel.turns.push(turn);
  if (channel.turns.length > MAX_TURNS) channel.turns.shift();
}
