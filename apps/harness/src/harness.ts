import { isAbsolute } from 'node:path';
import type { RelayClient } from '@heliograph/client';
import { type ControlResult, hexEncode, maxEventBytes, type Snapshot } from '@heliograph/wire';
import type { OpenedSession } from './agent/agent.ts';
import { AgentKeeper } from './agent/agent-keeper.ts';
import type { ProcessExit } from './agent/agent-process.ts';
import { type Channel, Channels } from './agent/channels.ts';
import { Conversation } from './agent/conversation.ts';
import type { StartFailure } from './agent/failure.ts';
import { type LastSession, readLastSession, writeLastSession } from './agent/last-session.ts';
import { PermissionDesk } from './agent/permission-desk.ts';
import { decideByRules } from './agent/permission-rules.ts';
import { type ConfigChange, updateConfig } from './agent/session-config.ts';
import { readActiveRun } from './agent/steering.ts';
import type { ReadLine } from './agent/tap.ts';
import { type AdmittedControl, ControlIntake } from './control/control-intake.ts';
import { ControlLedger } from './control/control-ledger.ts';
import { LateViewers } from './control/late-viewers.ts';
import { describeRun, encodeSnapshot } from './control/snapshot.ts';
import { Identity } from './identity.ts';
import { type KeyLock, lockKey } from './key-lock.ts';
import { continuation, type LastChannel, readLastChannel, writeLastChannel } from './mirror/last-channel.ts';
import { Mirror } from './mirror/mirror.ts';
import type { Emitted, Place } from './mirror/observer-bus.ts';
import { openSpool } from './mirror/open-spool.ts';
import { hideSecretArgs, hideSecrets } from './mirror/secret-shapes.ts';
import type { Spool, SpoolPort } from './mirror/spool.ts';
import { type FilledOptions, fillOptions, type HarnessOptions, type PermissionPolicy } from './options.ts';
import { agreeOnBudget } from './relay-limits.ts';

/** A running harness. */
export interface Harness {
  /** The agent's public key. */
  readonly agent: string;
  /** This life of the harness; also the id of the stream for what belongs to no channel. */
  readonly run: string;
  /** The stream of the channel that prompts go to. */
  readonly stream: string;
  readonly channelId: string;
  /** Resolves when everything is over: 0 after `close`, 1 with a sentence when the agent could not be started. */
  readonly closed: Promise<{ readonly code: 0 | 1; readonly reason: string }>;
  /** Ends the agent and what it started, tells viewers, and lets go of everything. */
  close(): Promise<void>;
}

const FLUSH_MS = 3_000;
const NONCE_BYTES = 16;
/** What of a frame a snapshot may not use: its head. */
const SNAPSHOT_HEAD_BYTES = 1_024;
const MAX_TITLE_LENGTH = 200;
const FEATURES = [
  'prompt',
  'queue',
  'steer',
  'config',
  'restart',
  'policy',
  'cancel',
  'permissions',
  'replay',
  'parts',
];

/**
 * Starts an agent and mirrors it to its owner. Resolves when the agent process runs; rejects with an Error of code
 * `ENOENT` (no such command), `ENOTDIR` (no such folder), `ELOCKED` (the key is in use), `ERELAYSIZE`, or the system's own.
 */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  if (!isAbsolute(options.cwd))
    throw new RangeError(`cwd must be an absolute path, got ${JSON.stringify(options.cwd)}`);
  if (options.relays.length === 0) throw new RangeError('relays must name at least one relay');
  const filled = fillOptions(options);
  const { signer, owner, stateDir, clock, relays, log } = filled;
  const lock = await lockKey(signer.publicKey, filled.lockDir);
  let ledger: ControlLedger | undefined;
  try {
    ledger = await ControlLedger.open({ stateDir, clock, signer, owner });
    const carrying = await agreeOnBudget(relays, log);
    const left = {
      makeSpool: await openSpool(filled),
      lastChannel: await readLastChannel(stateDir),
      lastSession: await readLastSession(filled),
    };
    const run = new Run({ ...filled, relays: carrying.relays }, carrying.budgetBytes, ledger, lock, left);
    await run.start();
    return run;
  } catch (cause) {
    await ledger?.close();
    await lock.release();
    throw cause;
  }
}

/** What earlier runs with this state folder left. */
interface LeftBehind {
  readonly makeSpool: (port: SpoolPort) => Spool;
  readonly lastChannel: LastChannel | undefined;
  readonly lastSession: LastSession | undefined;
}

/** Composition only: which part tells which. */
class Run implements Harness {
  readonly agent: string;
  readonly run: string;
  readonly closed: Harness['closed'];
  readonly #options: FilledOptions;
  readonly #budgetBytes: number;
  readonly #ledger: ControlLedger;
  readonly #lock: KeyLock;
  readonly #mirror: Mirror;
  readonly #openedAt: string;
  readonly #channels: Channels;
  readonly #channel: Channel;
  readonly #permissions: PermissionDesk;
  readonly #keeper: AgentKeeper;
  readonly #conversation: Conversation;
  readonly #intake: ControlIntake;
  readonly #lateViewers: LateViewers;
  #resolveClosed: (end: { readonly code: 0 | 1; readonly reason: string }) => void = () => {};
  #sessionMadeMs = 0;
  readonly #agentLine: string;
  /** Writing down which session the next run may open again, one at a time. */
  #keepingSession = Promise.resolve();
  #policy: PermissionPolicy;
  #isPolicySet = false;
  /** Who waits for the agent to be there again. */
  #restarting: AdmittedControl['reply'][] = [];
  #closing: Promise<void> | undefined;

  constructor(
    options: FilledOptions,
    budgetBytes: number,
    ledger: ControlLedger,
    lock: KeyLock,
    { makeSpool, lastChannel, lastSession }: LeftBehind,
  ) {
    const { signer, owner, clock, crypto, log, authTag } = options;
    this.#options = options;
    this.#policy = options.permissions;
    this.#budgetBytes = budgetBytes;
    this.#ledger = ledger;
    this.#lock = lock;
    this.agent = signer.publicKey;
    this.run = options.uuid();
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    const nowSec = () => Math.floor(clock.nowMs() / 1_000);
    const identity = new Identity({ ...options, authTag, nowSec });
    this.#mirror = new Mirror({
      ...options,
      run: this.run,
      budgetBytes,
      makeSpool,
      authTag: () => authTag,
      onRelayReady: (client) => this.#introduce(identity, client),
    });
    this.#openedAt = this.#tellStart();
    const continues = lastChannel && continuation(lastChannel, this.#mirror.lastKept(lastChannel.stream));
    this.#channels = new Channels(this.run, options.uuid, (stream, id) =>
      this.#mirror.open(stream, id, id === lastChannel?.channelId ? continues : undefined),
    );
    this.#channel = this.#channels.open(null, lastChannel?.channelId);
    this.#agentLine = JSON.stringify([options.command, options.cwd]);
    if (lastSession?.channelId === this.channelId && lastSession.agent === this.#agentLine)
      this.#channel.earlier = lastSession;
    this.#permissions = new PermissionDesk({
      policy: (params) => this.#decide(params),
      clock,
      timeoutMs: options.permissionTimeoutMs,
      nonce: () => hexEncode(crypto.randomBytes(NONCE_BYTES)),
      sha256: (bytes) => crypto.sha256(bytes),
      write: (lines) => this.#keeper.agent?.write(lines) ?? Promise.resolve(new Error('the agent has exited')),
      emitUrgent: (place, kind, payload, fromSeq) => this.#emitUrgent(place, kind, payload, fromSeq),
      pin: (span) => this.#mirror.pin(span),
      cancelledBy: (channelId) => (channelId === this.channelId ? this.#conversation.cancelledBy : undefined),
    });
    this.#conversation = this.#makeConversation();
    this.#keeper = this.#makeKeeper();
    this.#lateViewers = this.#makeLateViewers();
    this.#intake = new ControlIntake({
      clock,
      crypto,
      signer,
      owner,
      run: this.run,
      ledger,
      log,
      tell: (result, channelId) => this.#tellResult(result, channelId),
      act: (admitted) => this.#act(admitted),
    });
  }

  get stream(): string {
    return this.#channel.stream;
  }

  get channelId(): string {
    return this.#channel.channelId;
  }

  /** Starts the agent and listens for controls; rejects when the agent's process can't be started. */
  async start(): Promise<void> {
    try {
      await writeLastChannel(this.#options.stateDir, { channelId: this.channelId, stream: this.stream });
      await this.#keeper.startFirst();
    } catch (cause) {
      await this.#mirror.close([], 0);
      throw cause;
    }
    for (const client of this.#mirror.clients) void this.#intake.listen(client);
  }

  close(): Promise<void> {
    return this.#end(0, 'closed');
  }

  #end(code: 0 | 1, reason: string): Promise<void> {
    this.#closing ??= this.#shutDown().then(() => this.#resolveClosed({ code, reason }));
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#intake.close();
    this.#lateViewers.close();
    await this.#keeper.close();
    const places = this.#channels.all().map(({ stream, sessionId }) => ({ stream, sessionId, turnId: null }));
    await this.#mirror.close(places, FLUSH_MS);
    await this.#noteEnd();
    await this.#keepingSession;
    await this.#ledger.close();
    await this.#lock.release();
  }

  /** The next run can tell that nothing of this one is missing. */
  async #noteEnd(): Promise<void> {
    const { channelId, stream } = this;
    const end = this.#mirror.head(stream);
    if (end === undefined) return;
    await writeLastChannel(this.#options.stateDir, { channelId, stream, end }).catch((cause: unknown) =>
      this.#options.log.warn({ err: cause }, "this run's orderly end could not be written down"),
    );
  }

  #makeConversation(): Conversation {
    const { clock, turnLivenessMs, cancelGraceMs, command, cwd, uuid } = this.#options;
    const limits = { idleMs: this.#options.idleTimeoutMs, turnMs: this.#options.turnTimeoutMs };
    return new Conversation(
      {
        clock,
        livenessMs: turnLivenessMs,
        cancelGraceMs,
        limits,
        agentName: { command, cwd },
        permissions: this.#permissions,
        uuid,
        now: () => this.#mirror.now(),
        emit: (place, body) => this.#mirror.emit(place, body),
        head: (stream) => this.#mirror.head(stream),
        lastByteAgeMs: () => this.#keeper.agent?.lastByteAgeMs() ?? 0,
        startAgent: () => this.#keeper.start(),
        killAgent: () => this.#keeper.killAndRespawn(),
        prompted: () => this.#noteContext(),
        bytesRead: () => this.#keeper.agent?.bytesRead ?? 0,
        restReason: () =>
          this.#keeper.isResting
            ? 'the agent keeps crashing: it is left alone for a while, then started anew'
            : undefined,
        otherOpenTurns: () => this.#channels.all().filter((c) => c !== this.#channel && c.turn !== undefined).length,
      },
      this.#channel,
    );
  }

  #makeKeeper(): AgentKeeper {
    return new AgentKeeper(this.#options, {
      channel: this.#channel,
      openChannel: (sessionId) => this.#channels.open(sessionId).channelId,
      place: (route) => this.#channels.place(route),
      emit: (place, body) => this.#mirror.emit(place, body),
      isBehind: () => this.#mirror.isBehind,
      tell: (kind, payload) => void this.#emit(this.#harnessPlace(), kind, payload),
      onPermission: (line) => {
        this.#noteActivity(line);
        this.#permissions.ask(line);
      },
      onWithdrawn: (id) => this.#permissions.withdraw(id),
      onNotification: (line) => this.#noteActivity(line),
      onSession: (...opened) => void this.#resolveSession(...opened),
      onReady: (agent) => {
        this.#restarted({ status: 'applied' });
        this.#conversation.sessionReady(agent);
      },
      onStartFailed: (failure, isFirst) => this.#startFailed(failure, isFirst),
      onGone: (...end) => this.#agentGone(...end),
      isWanted: () => this.#conversation.wantsAgent,
    });
  }

  #makeLateViewers(): LateViewers {
    return new LateViewers({
      clock: this.#options.clock,
      settle: () => this.#mirror.settle(),
      tellSnapshot: (requestIds) => {
        const payload = encodeSnapshot(
          this.#snapshot(requestIds),
          maxEventBytes(this.#budgetBytes) - SNAPSHOT_HEAD_BYTES,
        );
        this.#mirror.emitUrgent(this.#harnessPlace(), { kind: 'snapshot', payload });
      },
      kept: (stream, fromSeq, toSeq) => this.#mirror.kept(stream, fromSeq, toSeq),
      lastSeq: (stream) => this.#mirror.lastSeq(stream),
      replay: (entries, done) => this.#mirror.replay(entries, done),
      openSpans: () => [
        ...this.#channels
          .all()
          .flatMap(({ stream, turn }) => (turn === undefined ? [] : { stream, fromSeq: turn.firstSeq })),
        ...this.#permissions.pending().map(({ stream, requestSeq }) => ({ stream, fromSeq: requestSeq })),
      ],
    });
  }

  #act({ control, key, eventId, saidMs, reply }: AdmittedControl): void {
    switch (control.type) {
      case 'hello':
        this.#lateViewers.hello(control, reply);
        break;
      case 'replay':
        void this.#lateViewers.replay(control, reply);
        break;
      case 'permission_decision':
        this.#permissions.decide(control, reply);
        break;
      case 'cancel_turn':
        if (control.channelId === this.channelId) this.#conversation.cancel(control, key, saidMs, reply);
        else reply({ status: 'no_active_turn', reason: 'no turn of this channel is open' });
        break;
      case 'prompt':
        if (control.channelId === this.channelId) this.#conversation.prompt(control, key, eventId, reply);
        else reply({ status: 'rejected', reason: `prompts of this run go to channel ${this.channelId}` });
        break;
      case 'unqueue':
        if (control.channelId === this.channelId) this.#conversation.unqueue(control, reply);
        else reply({ status: 'unknown', reason: 'no prompt waits in this channel' });
        break;
      case 'replace_queued':
        if (control.channelId === this.channelId) this.#conversation.replaceQueued(control, reply);
        else reply({ status: 'unknown', reason: 'no prompt waits in this channel' });
        break;
      case 'switch_model':
        this.#configure(control.channelId, { type: 'model', value: control.modelId }, reply);
        break;
      case 'set_mode':
        this.#configure(control.channelId, { type: 'mode', value: control.modeId }, reply);
        break;
      case 'set_config_option': {
        const { configId, value } = control;
        this.#configure(control.channelId, { type: 'option', configId, value }, reply);
        break;
      }
      case 'restart_agent':
        this.#restart(reply);
        break;
      case 'set_policy':
        this.#policy = control.policy;
        this.#isPolicySet = true;
        reply({ status: 'applied' });
        break;
      default:
        control satisfies never;
    }
  }

  /** The rules file first, then the policy; one the owner set during this run stands alone. */
  #decide(params: unknown): { readonly policy: PermissionPolicy; readonly rule?: string } {
    const ruled = this.#isPolicySet
      ? undefined
      : decideByRules(this.#options.permissionRules, params, this.#options.cwd);
    return ruled === undefined ? { policy: this.#policy } : { policy: ruled.decide, rule: `rule ${ruled.number}` };
  }

  #restart(reply: AdmittedControl['reply']): void {
    if (this.#keeper.restart()) this.#restarting.push(reply);
    else reply({ status: 'failure', reason: 'the agent is starting already' });
  }

  #restarted(result: { readonly status: string; readonly reason?: string }): void {
    for (const reply of this.#restarting.splice(0)) reply(result);
  }

  #configure(channelId: string, change: ConfigChange, reply: AdmittedControl['reply']): void {
    if (channelId === this.channelId) this.#conversation.configure(change, reply);
    else
      reply({ status: 'failure', reason: `the sessions of this run that can be set are those of ${this.channelId}` });
  }

  /** The channel has its session: told in the channel's own stream, with where the request for it stands. */
  async #resolveSession(
    { sessionId, result, how }: OpenedSession,
    request: Promise<Emitted | Error>,
    contextLost?: string,
  ): Promise<void> {
    const isNewSession = how === 'new';
    this.#sessionMadeMs = isNewSession ? this.#options.clock.nowMs() : 0;
    this.#channel.sessionId = sessionId;
    if (how !== 'new') this.#noteContext();
    this.#channel.config = result;
    const written = await request;
    const requestSeq = written instanceof Error ? 0 : written.firstSeq;
    const place = { stream: this.stream, sessionId, turnId: null };
    this.#emit(place, 'session_resolved', {
      sessionId,
      isNewSession,
      requestStream: isNewSession ? this.run : this.stream,
      requestSeq,
      ...(how === 'loaded' ? { loaded: true } : {}),
      ...(contextLost !== undefined ? { contextLost } : {}),
    });
    const { configOptions, modes, models } = result;
    if (configOptions === undefined && modes === undefined && models === undefined) return;
    this.#emit(place, 'session_config_captured', { configOptions, modes, models });
  }

  /** The open session holds something: it is worth opening again. */
  #noteContext(): void {
    const { sessionId } = this.#channel;
    if (sessionId === null || this.#channel.earlier?.sessionId === sessionId) return;
    const earlier = { sessionId, createdMs: this.#sessionMadeMs };
    this.#channel.earlier = earlier;
    this.#keepSession({ ...earlier, channelId: this.channelId, agent: this.#agentLine });
  }

  #keepSession(session: LastSession | undefined): void {
    this.#keepingSession = this.#keepingSession
      .then(() => writeLastSession(this.#options, session))
      .catch((cause: unknown) =>
        this.#options.log.warn({ err: cause }, 'the session could not be written down: a restart will begin a new one'),
      );
  }

  #startFailed(failure: StartFailure, isFirst: boolean): void {
    this.#restarted({ status: 'failure', reason: failure.message });
    // It may be what the start failed of.
    if (this.#channel.earlier === undefined) this.#keepSession(undefined);
    if (!isFirst) {
      this.#options.log.error({ code: failure.code }, failure.message);
      this.#conversation.startFailed(failure);
      return;
    }
    const outcome = failure.code === 'auth' ? 'auth' : failure.code === 'exited' ? 'exited' : 'error';
    const place = { stream: this.stream, sessionId: null, turnId: null };
    this.#emit(place, 'turn_error', { outcome, error: failure.message });
    void this.#end(1, failure.message);
  }

  #agentGone(exit: ProcessExit, stderrTail: string, isWanted: boolean, respawnInMs: number): void {
    const later = respawnInMs > 0 ? { respawnInMs } : {};
    this.#emit(this.#harnessPlace(), 'agent_exited', { ...exit, expected: isWanted, ...later });
    if (!isWanted) this.#options.log.warn({ ...exit }, 'the agent exited');
    this.#permissions.gone();
    this.#conversation.agentGone(exit, stderrTail, isWanted);
  }

  #noteActivity({ route, emitted, message }: ReadLine): void {
    const channel = this.#channels.get(route.channelId);
    if (channel === undefined) return;
    channel.lastActivity = emitted.timestamp;
    if (message.type !== 'notification' || message.method !== 'session/update') return;
    const { update } = (message.params ?? {}) as { update?: { sessionUpdate?: unknown; title?: unknown } | null };
    channel.config = updateConfig(channel.config, update);
    if (update?.sessionUpdate !== 'session_info_update') return;
    const run = readActiveRun(update);
    if (run !== undefined) channel.activeRunId = run ?? undefined;
    if (typeof update.title === 'string') channel.title = update.title.slice(0, MAX_TITLE_LENGTH);
    else if (update.title === null) channel.title = null;
  }

  #snapshot(requestIds: readonly string[]): Snapshot {
    const streams = [
      { stream: this.run, channelId: null, openedAt: this.#openedAt },
      ...this.#channels.all().map(({ stream, channelId, openedAt }) => ({ stream, channelId, openedAt })),
    ];
    return describeRun({
      ...this.#options,
      permissions: this.#policy,
      requestIds,
      run: this.run,
      now: this.#mirror.now(),
      initializeResult: this.#keeper.agent?.initializeResult,
      process: this.#keeper.process,
      streams: streams.flatMap((opened) => {
        const head = this.#mirror.head(opened.stream);
        return head === undefined ? [] : { ...opened, ...head };
      }),
      channels: this.#channels.all(),
      queueOf: (channel) => (channel === this.#channel ? this.#conversation.queue : []),
      pending: this.#permissions.pending(),
    });
  }

  #tellStart(): string {
    const { command, cwd, host, version, keyMadeBy } = this.#options;
    const [agentCommand = '', ...agentArgs] = command;
    const started = {
      wire: 1,
      run: this.run,
      agentCommand: hideSecrets(agentCommand),
      agentArgs: hideSecretArgs(agentArgs),
      cwd,
      host,
      version,
      features: FEATURES,
      keyMadeBy,
    };
    return this.#emit(this.#harnessPlace(), 'harness_started', started).timestamp;
  }

  #introduce(identity: Identity, client: RelayClient): void {
    identity.introduce(client).catch((cause: unknown) => {
      this.#options.log.warn({ err: cause, relay: client.url }, "the agent's profile could not be signed");
    });
  }

  #tellResult(result: ControlResult, channelId: string | undefined): void {
    const channel = this.#channels.get(channelId ?? null);
    const place =
      channel === undefined
        ? this.#harnessPlace()
        : { stream: channel.stream, sessionId: channel.sessionId, turnId: channel.turn?.turnId ?? null };
    this.#emitUrgent(place, 'control_result', result);
  }

  #emit(place: Place, kind: string, payload: object): Emitted {
    return this.#mirror.emit(place, { kind, payload: JSON.stringify(payload) });
  }

  #emitUrgent(place: Place, kind: string, payload: object, fromSeq?: number): Emitted {
    return this.#mirror.emitUrgent(place, { kind, payload: JSON.stringify(payload) }, fromSeq);
  }

  #harnessPlace(): Place {
    return { stream: this.run, sessionId: null, turnId: null };
  }
}
