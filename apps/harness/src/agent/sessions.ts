import type { Clock } from '@heliograph/client';
import { err, hexEncode, ok, type PermissionPolicy, type Result, utf8Encode } from '@heliograph/wire';
import type { Mirror } from '../mirror/mirror.ts';
import type { Emitted, Place } from '../mirror/observer-bus.ts';
import type { FilledOptions } from '../options.ts';
import { noteActivity } from './activity.ts';
import type { Agent, OpenedSession } from './agent.ts';
import { AgentKeeper } from './agent-keeper.ts';
import type { ProcessExit } from './agent-process.ts';
import { type Channel, Channels } from './channels.ts';
import { Conversation, type Reply } from './conversation.ts';
import type { StartFailure } from './failure.ts';
import { continuation, type KeptChannels } from './kept-channels.ts';
import { RequestDesk } from './request-desk.ts';
import { boundedConfig } from './session-config.ts';
import { SessionOpener, type WantedSession } from './session-opener.ts';
import type { ReadLine } from './tap.ts';
import type { UsageDesk } from './usage-desk.ts';

export interface SessionsPort {
  readonly run: string;
  readonly mirror: Mirror;
  readonly usage: UsageDesk;
  /** What decides a permission request of this channel before the owner is asked. */
  policy(params: unknown, channel: Channel | undefined): { readonly policy: PermissionPolicy; readonly rule?: string };
  /** The channels, or what they could be opened again with, have changed; resolves when that is on disk. */
  changed(): Promise<void>;
  /** A channel that the agent opened by itself is over. */
  ended(channelId: string): void;
  /** The very first start failed: there is nothing to mirror. */
  failed(reason: string): void;
}

const NONCE_BYTES = 16;
const MAX_AGENT_LINE_LENGTH = 8_192;
/** Channels of sessions that agents opened by themselves and that are over: of more the oldest are ended and forgotten. */
const MAX_ENDED_CHANNELS = 64;

/** The channels that take prompts, the sessions open in them, and the one agent process that holds those. */
export class Sessions {
  readonly channels: Channels;
  readonly requests: RequestDesk;
  /** The channel that is there from the start. */
  readonly main: Channel;
  readonly #options: FilledOptions;
  readonly #port: SessionsPort;
  readonly #keeper: AgentKeeper;
  readonly #opener: SessionOpener;
  readonly #conversations = new Map<string, Conversation>();
  /** Channels that a session is on its way to, and which. */
  readonly #opening = new Map<string, WantedSession>();
  /** Who waits for an agent that takes prompts. */
  #waiting: ((up: Result<Agent, StartFailure>) => void)[] = [];
  /** Who asked for the agent to be started anew. */
  #restarting: Reply[] = [];

  constructor(options: FilledOptions, port: SessionsPort, kept: KeptChannels | undefined) {
    const { mirror } = port;
    this.#options = options;
    this.#port = port;
    const continues = new Map(
      kept?.channels.map((channel) => [channel.channelId, continuation(channel, mirror.lastKept(channel.stream))]),
    );
    this.channels = new Channels(port.run, options.uuid, (stream, id) => mirror.open(stream, id, continues.get(id)));
    this.requests = this.#makeDesk();
    this.#keeper = this.#makeKeeper();
    this.#opener = new SessionOpener((...opened) => void this.#resolve(...opened));
    const isSameAgent = kept?.agent === this.agentLine;
    const [first, ...others] = kept?.channels ?? [];
    this.main = this.add(options.cwd, first?.channelId).channel;
    if (isSameAgent) this.main.earlier = first?.session;
    for (const { channelId, cwd, session } of isSameAgent ? others : [])
      this.add(cwd, channelId).channel.earlier = session;
  }

  /** What tells whose sessions these are: other agents have no such ones. Of a long command line its hash does. */
  get agentLine(): string {
    const { command, cwd, crypto } = this.#options;
    const line = JSON.stringify([command, cwd]);
    return line.length <= MAX_AGENT_LINE_LENGTH ? line : hexEncode(crypto.sha256(utf8Encode(line)));
  }

  /** How long an agent may take to end something, a turn or a session, and the clock that counts it. */
  get patience(): { readonly clock: Clock; readonly graceMs: number } {
    return { clock: this.#options.clock, graceMs: this.#options.cancelGraceMs };
  }

  /** The agent, while it takes prompts. */
  get ready(): Agent | undefined {
    return this.#keeper.ready;
  }

  get process(): AgentKeeper['process'] {
    return this.#keeper.process;
  }

  /** The agent's answer to initialize, undefined while there is none. */
  get initializeResult(): unknown {
    return this.#keeper.agent?.initializeResult;
  }

  /** Those channels that take prompts. */
  conversation(channelId: string): Conversation | undefined {
    return this.#conversations.get(channelId);
  }

  /** Starts the agent; rejects when its process can't be started. */
  startFirst(): Promise<void> {
    return this.#keeper.startFirst();
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }

  /** Ends the agent and starts it anew; the channels open their sessions again. */
  restart(reply: Reply): void {
    if (this.#keeper.restart()) this.#restarting.push(reply);
    else reply({ status: 'failure', reason: 'the agent is starting already' });
  }

  /** Of every channel that takes prompts, closed ones too. */
  get conversations(): readonly Conversation[] {
    return [...this.#conversations.values()];
  }

  /** Whether a session is on its way to this channel. */
  isOpening(channelId: string): boolean {
    return this.#opening.has(channelId) || (channelId === this.main.channelId && this.process === 'starting');
  }

  /** The channel this session is open in, on its way to, or kept for. */
  holderOf(sessionId: string): Channel | undefined {
    return this.channels.all().find(({ channelId, sessionId: open, earlier }) => {
      const wanted = this.#opening.get(channelId);
      return (
        open === sessionId ||
        earlier?.sessionId === sessionId ||
        (wanted?.type === 'load' && wanted.sessionId === sessionId)
      );
    });
  }

  /** One more channel that takes prompts; its session is opened when it is wanted. */
  add(cwd: string, channelId?: string): Conversation {
    const channel = this.channels.open({ cwd, ...(channelId !== undefined ? { channelId } : {}) });
    const conversation = this.#makeConversation(channel);
    this.#conversations.set(channel.channelId, conversation);
    return conversation;
  }

  /** Brings a channel a session as soon as the agent takes prompts; the caller has seen that none is on its way. */
  async bring(conversation: Conversation, wanted: WantedSession): Promise<Result<Agent, StartFailure>> {
    const { channelId } = conversation.channel;
    this.#opening.set(channelId, wanted);
    const up = await this.#agentUp();
    const opened = up.ok ? await this.#opener.open(up.value, conversation.channel, wanted) : up;
    this.#opening.delete(channelId);
    return opened.ok ? up : opened;
  }

  /** Writes down what the next run may go on with; false where that failed, which is logged. */
  async keep(): Promise<boolean> {
    try {
      await this.#port.changed();
      return true;
    } catch (cause) {
      this.#options.log.warn({ err: cause }, 'the sessions could not be written down: a restart will begin new ones');
      return false;
    }
  }

  /** The prompts that wait go to the channel's session, or the first of them fails of what keeps it from opening. */
  async #serve(conversation: Conversation): Promise<void> {
    if (this.#opening.has(conversation.channel.channelId)) return;
    const outcome = await this.bring(conversation, { type: 'kept' });
    if (outcome.ok) conversation.sessionReady(outcome.value);
    else conversation.startFailed(outcome.error);
  }

  /** The agent as soon as it takes prompts, or why it does not start. */
  #agentUp(): Promise<Result<Agent, StartFailure>> {
    const { ready } = this.#keeper;
    if (ready !== undefined) return Promise.resolve(ok(ready));
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#keeper.start();
    });
  }

  #up(up: Result<Agent, StartFailure>): void {
    for (const resolve of this.#waiting.splice(0)) resolve(up);
    for (const reply of this.#restarting.splice(0))
      reply(up.ok ? { status: 'applied' } : { status: 'failure', reason: up.error.message });
  }

  #makeDesk(): RequestDesk {
    const { clock, crypto, permissionTimeoutMs } = this.#options;
    const { mirror } = this.#port;
    return new RequestDesk({
      policy: (params, channelId) => this.#port.policy(params, this.channels.get(channelId)),
      clock,
      timeoutMs: permissionTimeoutMs,
      nonce: () => hexEncode(crypto.randomBytes(NONCE_BYTES)),
      sha256: (bytes) => crypto.sha256(bytes),
      write: (lines) => this.#keeper.agent?.write(lines) ?? Promise.resolve(new Error('the agent has exited')),
      emitUrgent: (place, kind, payload, fromSeq) =>
        mirror.emitUrgent(place, { kind, payload: JSON.stringify(payload) }, fromSeq),
      pin: (span) => mirror.pin(span),
      cancelledBy: (channelId) => this.#conversations.get(channelId ?? '')?.cancelledBy,
    });
  }

  #makeConversation(channel: Channel): Conversation {
    const { clock, turnLivenessMs, cancelGraceMs, command, cwd, uuid } = this.#options;
    const { idleTimeoutMs, turnTimeoutMs, quietMs } = this.#options;
    const { mirror } = this.#port;
    return new Conversation(
      {
        clock,
        livenessMs: turnLivenessMs,
        cancelGraceMs,
        limits: { idleMs: idleTimeoutMs, turnMs: turnTimeoutMs, quietMs },
        agentName: { command, cwd },
        requests: this.requests,
        uuid,
        now: () => mirror.now(),
        emit: (place, body) => mirror.emit(place, body),
        head: (stream) => mirror.head(stream),
        lastByteAgeMs: () => this.#keeper.agent?.lastByteAgeMs() ?? 0,
        openSession: () => void this.#serve(this.#conversations.get(channel.channelId) as Conversation),
        killAgent: () => this.#keeper.killAndRespawn(),
        prompted: () => this.#noteContext(channel),
        bytesRead: () => this.#keeper.agent?.bytesRead ?? 0,
        restReason: () =>
          this.#keeper.isResting
            ? 'the agent keeps crashing: it is left alone for a while, then started anew'
            : undefined,
        turnEnded: (turn, completed, result) => this.#port.usage.ended(channel, turn, completed, result),
        otherOpenTurns: () => this.channels.all().filter((c) => c !== channel && c.turn !== undefined).length,
      },
      channel,
    );
  }

  #makeKeeper(): AgentKeeper {
    const { mirror } = this.#port;
    return new AgentKeeper(this.#options, {
      openChannel: (sessionId) => this.channels.open({ sessionId, cwd: this.#options.cwd }).channelId,
      place: (route) => this.channels.place(route),
      emit: (place, body) => mirror.emit(place, body),
      isBehind: () => mirror.isBehind,
      tell: (kind, payload) => this.#tell(kind, payload),
      onAsked: (line) => {
        this.#note(line);
        this.requests.ask(line);
      },
      isAsking: () => this.requests.isWaiting(null),
      onWithdrawn: (id) => this.requests.withdraw(id),
      onNotification: (line) => this.#note(line),
      openFirst: async (agent) =>
        this.main.isClosed ? ok(undefined) : this.#opener.open(agent, this.main, { type: 'kept' }),
      onReady: (agent) => this.#ready(agent),
      onStartFailed: (failure, isFirst) => this.#startFailed(failure, isFirst),
      onGone: (...end) => this.#gone(...end),
      isWanted: () => this.#waiting.length > 0 || [...this.#conversations.values()].some((one) => one.wantsAgent),
    });
  }

  #ready(agent: Agent): void {
    this.#up(ok(agent));
    if (this.main.sessionId !== null) this.#conversations.get(this.main.channelId)?.sessionReady(agent);
    for (const conversation of this.#conversations.values())
      if (conversation.wantsAgent) void this.#serve(conversation);
  }

  #startFailed(failure: StartFailure, isFirst: boolean): void {
    // The session may be what the start failed of: it is not tried again.
    if (this.main.earlier === undefined) void this.keep();
    if (!isFirst) this.#options.log.error({ code: failure.code }, failure.message);
    this.#up(err(failure));
    if (!isFirst) return;
    const outcome = failure.code === 'auth' ? 'auth' : failure.code === 'exited' ? 'exited' : 'error';
    this.#emit(this.main, 'turn_error', { outcome, error: failure.message });
    this.#port.failed(failure.message);
  }

  #gone(exit: ProcessExit, stderrTail: string, isWanted: boolean, respawnInMs: number): void {
    const later = respawnInMs > 0 ? { respawnInMs } : {};
    if (!isWanted) this.#options.log.warn({ ...exit }, 'the agent exited');
    this.requests.gone();
    for (const conversation of this.#conversations.values()) conversation.agentGone(exit, stderrTail, isWanted);
    this.#endOwnChannels();
    // After the ends of its turns: a viewer that hears of an exit ends what is open by itself.
    this.#tell('agent_exited', { ...exit, expected: isWanted, ...later });
  }

  /** Channels that the agent opened by itself: their sessions are gone with it, and may be opened by an owner. */
  #endOwnChannels(): void {
    const own = this.channels.all().filter(({ channelId }) => !this.#conversations.has(channelId));
    for (const channel of own) channel.sessionId = null;
    for (const { channelId, stream } of own.slice(0, -MAX_ENDED_CHANNELS)) {
      void this.#port.mirror.end({ stream, sessionId: null, turnId: null });
      this.channels.remove(channelId);
      this.#port.ended(channelId);
    }
  }

  /** A channel has its session: told in the channel's own stream, with where the request for it stands. */
  async #resolve(
    channel: Channel,
    { sessionId, result, how }: OpenedSession,
    request: Promise<Emitted | Error>,
    contextLost?: string,
  ): Promise<void> {
    const isNewSession = how === 'new';
    channel.isLoaded = how === 'loaded';
    channel.madeMs = isNewSession ? this.#options.clock.nowMs() : (channel.earlier?.createdMs ?? 0);
    channel.sessionId = sessionId;
    this.#port.usage.opened(channel, sessionId, isNewSession);
    if (isNewSession) channel.earlier = undefined;
    else this.#noteContext(channel);
    channel.config = boundedConfig(result);
    const written = await request;
    const requestSeq = written instanceof Error ? 0 : written.firstSeq;
    this.#emit(channel, 'session_resolved', {
      sessionId,
      isNewSession,
      requestStream: isNewSession ? this.#port.run : channel.stream,
      requestSeq,
      ...(how === 'loaded' ? { loaded: true } : {}),
      ...(contextLost !== undefined ? { contextLost } : {}),
    });
    const { configOptions, modes, models } = channel.config;
    if (configOptions === undefined && modes === undefined && models === undefined) return;
    this.#emit(channel, 'session_config_captured', { configOptions, modes, models });
  }

  /** The open session holds something: it is worth opening again. */
  #noteContext(channel: Channel): void {
    const { sessionId, madeMs, isLoaded } = channel;
    if (sessionId === null || channel.earlier?.sessionId === sessionId) return;
    channel.earlier = { sessionId, createdMs: madeMs, isLoaded };
    void this.keep();
  }

  #note(line: ReadLine): void {
    const channel = this.channels.get(line.route.channelId);
    if (channel === undefined) return;
    noteActivity(channel, line);
    this.#port.usage.noted(channel, line);
    const { message } = line;
    if (message.type !== 'notification' || message.method !== 'session/update') return;
    this.#conversations.get(channel.channelId)?.heard((message.params as { update?: unknown } | null)?.update);
  }

  #emit({ stream, sessionId }: Channel, kind: string, payload: object): void {
    this.#port.mirror.emit({ stream, sessionId, turnId: null }, { kind, payload: JSON.stringify(payload) });
  }

  /** In the harness stream. */
  #tell(kind: string, payload: object): void {
    const place: Place = { stream: this.#port.run, sessionId: null, turnId: null };
    this.#port.mirror.emit(place, { kind, payload: JSON.stringify(payload) });
  }
}
