import type { Clock } from '@heliograph/client';
import { encodeError, err, ok, type Result, RPC_METHOD_NOT_FOUND } from '@heliograph/wire';
import { lockPath } from '../key-lock.ts';
import type { Emitted, EventBody, Place } from '../mirror/observer-bus.ts';
import { redactResult } from '../mirror/redact.ts';
import { AcpClient, type RpcAnswer } from './acp-client.ts';
import { type AcpVersion, asVersion1, chosenVersion, initializeParams } from './acp-version.ts';
import { AgentProcess, type ProcessExit } from './agent-process.ts';
import { type AgentQuirks, quirksOf } from './agent-quirks.ts';
import type { Channel, EarlierSession } from './channels.ts';
import { exitedEarly, refusedStart, type StartFailure, tooSlow } from './failure.ts';
import { isForDesk } from './request-desk.ts';
import { MAX_SESSION_ID_LENGTH, type Route, Router, rawRequestId } from './router.ts';
import { StderrFeed } from './stderr-feed.ts';
import { type OutLine, type ReadLine, Tap } from './tap.ts';

export interface AgentOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent's own key, and where it is locked. */
  readonly signer: { readonly publicKey: string };
  readonly lockDir: string;
  readonly clock: Clock;
  readonly version: string;
  /** The version of ACP to speak where the agent can. */
  readonly acp: AcpVersion;
  readonly maxLineBytes: number;
  readonly startTimeoutMs: number;
  /** How long it may take to exit when asked to, and again after SIGTERM. */
  readonly exitGraceMs: number;
}

/** What one life of an agent tells the harness. */
export interface AgentPort {
  openChannel(sessionId: string): string;
  place(route: Route): Place;
  emit(place: Place, body: EventBody): Emitted;
  /** Whether more can't be emitted for now: what was has to be sealed first. */
  isBehind(): boolean;
  /** The harness stream. */
  tell(kind: string, payload: object): void;
  /** A request that somebody must answer. */
  onAsked(line: ReadLine & { readonly message: { readonly type: 'request' } }): void;
  /** Whether one that belongs to no channel waits: then the agent's start waits, too. */
  isAsking(): boolean;
  onWithdrawn(id: string): void;
  onNotification(line: ReadLine & { readonly message: { readonly type: 'notification' } }): void;
  /** After the last byte; exactly once. */
  onExit(agent: Agent, exit: ProcessExit): void;
}

/** The session an agent opened for a channel. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly result: Record<string, unknown>;
  readonly how: 'new' | 'resumed' | 'loaded';
}

/** An agent that repeats has said it all when nothing came for so long; looked at this often at most. */
const QUIET_MS = 500;
const MAX_QUIET_WAITS = 40;
const MINUTE_MS = 60_000;
const MINUTE_MARGIN_MS = 500;

/** One life of an agent process: the tap on it, the requests to it, and how it started and ended. */
export class Agent {
  readonly client: AcpClient;
  readonly #options: AgentOptions;
  readonly #port: AgentPort;
  readonly #tap: Tap;
  readonly #router: Router;
  readonly #stderr: StderrFeed;
  #process: AgentProcess | undefined;
  #exit: ProcessExit | undefined;
  #initializeResult: unknown;
  #acp: AcpVersion = 1;
  #lastByteMs: number;
  #bytesRead = 0;
  #whenGone = () => {};
  #wasHeld = false;
  /** The session whose history the agent is repeating. */
  #repeating: string | undefined;

  /** Starts the process; rejects as `AgentProcess.start` does. */
  static async start(options: AgentOptions, port: AgentPort): Promise<Agent> {
    const agent = new Agent(options, port);
    const { command, cwd, env, signer, lockDir, clock } = options;
    agent.#process = await AgentProcess.start({
      command,
      cwd,
      env,
      lock: lockPath(signer.publicKey, lockDir),
      clock,
      onStdout: (chunk) => {
        agent.#lastByteMs = clock.nowMs();
        agent.#bytesRead += chunk.length;
        agent.#tap.read(chunk);
      },
      onStderr: (chunk) => agent.#stderr.push(chunk),
      onExit: (exit) => agent.#gone(exit),
    });
    return agent;
  }

  private constructor(options: AgentOptions, port: AgentPort) {
    this.#options = options;
    this.#port = port;
    this.#lastByteMs = options.clock.nowMs();
    this.#router = new Router((sessionId) => port.openChannel(sessionId));
    this.#stderr = new StderrFeed(options.clock, (text) => port.tell('agent_stderr', { text }));
    this.#tap = new Tap({
      router: this.#router,
      clock: options.clock,
      maxLineBytes: options.maxLineBytes,
      place: (route) => port.place(route),
      emit: (place, body) => port.emit(place, body),
      send: (bytes, flushed) => this.#process?.write(bytes, flushed),
      onLine: (line) => this.#receive(line),
      isBehind: () => port.isBehind(),
      hold: (on) => this.#hold(on),
      isReplayed: (sessionId) => sessionId !== null && sessionId === this.#repeating,
    });
    this.client = new AcpClient((lines) => this.write(lines));
  }

  /** The version of ACP that is spoken with it. */
  get acp(): AcpVersion {
    return this.#acp;
  }

  /** The agent's answer to initialize in the members of version 1, undefined before. */
  get initializeResult(): unknown {
    return this.#initializeResult;
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  get stderrTail(): string {
    return this.#stderr.tail();
  }

  /** Characters of stderr so far, and what came after that many. */
  get stderr(): Pick<StderrFeed, 'length' | 'since'> {
    return this.#stderr;
  }

  /** Bytes of stdout so far. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  lastByteAgeMs(): number {
    return this.#options.clock.nowMs() - this.#lastByteMs;
  }

  /** Writes lines as one piece. */
  async write(lines: readonly OutLine[]): Promise<readonly Emitted[] | Error> {
    return this.#exit === undefined ? this.#tap.write(lines) : new Error('the agent has exited');
  }

  /** Speaks initialize with the agent. */
  async initialize(): Promise<Result<unknown, StartFailure>> {
    const { acp, version } = this.#options;
    const params = initializeParams(acp, version);
    const answer = await this.#ask('initialize', params, () => {});
    if (!answer.ok) return answer;
    const chosen = chosenVersion(answer.value, acp);
    if (chosen === undefined) {
      const { protocolVersion } = (answer.value ?? {}) as { protocolVersion?: unknown };
      const message = `the agent speaks ACP version ${JSON.stringify(protocolVersion)}, this harness was asked to speak ${acp}: update one of them`;
      return err({ code: 'refused', message });
    }
    this.#acp = chosen;
    this.#initializeResult = asVersion1(answer.value);
    this.#port.tell('agent_initialized', { agentIndex: 0, initializeResult: redactResult(answer.value) });
    return answer;
  }

  /** Opens a session for a channel. `opened` is called at once, before the agent's next line is looked at. */
  async newSession(
    channel: Channel,
    opened: (session: OpenedSession, request: Promise<Emitted | Error>) => void,
  ): Promise<Result<unknown, StartFailure>> {
    const { channelId, cwd } = channel;
    this.#router.expect(channelId);
    const params = { cwd, mcpServers: [] };
    let wrong: string | undefined;
    const answer = await this.#ask('session/new', params, (result, request) => {
      const sessionId = (result as { sessionId?: unknown } | null | undefined)?.sessionId;
      const isText = typeof sessionId === 'string';
      wrong = isText ? tooLong(sessionId) : "the agent's answer to session/new names no sessionId";
      this.#router.resolve(channelId, isText && wrong === undefined ? sessionId : undefined);
      if (isText && wrong === undefined)
        opened({ sessionId, result: result as Record<string, unknown>, how: 'new' }, request);
    });
    if (!answer.ok) this.#router.resolve(channelId, undefined);
    return answer.ok && wrong !== undefined ? err({ code: 'refused', message: wrong }) : answer;
  }

  /** How this agent opens a session again, undefined where it can't. */
  get reopening(): 'resume' | 'load' | undefined {
    const { agentCapabilities } = (this.#initializeResult ?? {}) as {
      agentCapabilities?: { loadSession?: unknown; sessionCapabilities?: { resume?: unknown } | null } | null;
    };
    if (isGranted(agentCapabilities?.sessionCapabilities?.resume)) return 'resume';
    return agentCapabilities?.loadSession === true ? 'load' : undefined;
  }

  /**
   * Opens an earlier session again; without `createdMs` it may have been made just now. What the agent repeats of it is
   * recorded as `replayed`. `refused` with the agent's words where it won't; then another session may be opened.
   */
  async reopenSession(
    channel: Channel,
    { sessionId, createdMs = this.#options.clock.nowMs() }: Partial<EarlierSession> & Pick<EarlierSession, 'sessionId'>,
    by: 'resume' | 'load',
    opened: (session: OpenedSession, request: Promise<Emitted | Error>) => void,
  ): Promise<Result<unknown, StartFailure>> {
    const wrong = tooLong(sessionId);
    if (wrong !== undefined) return err({ code: 'refused', message: wrong });
    const quirks = this.#quirks;
    if (quirks.loadsNextMinute === true) await this.#minuteAfter(createdMs);
    this.#router.reserve(channel.channelId, sessionId);
    this.#repeating = sessionId;
    const params = { sessionId, cwd: channel.cwd, mcpServers: [] };
    const answer = await this.#ask(`session/${by}`, params, (result, request) => {
      if (quirks.repeatsAfterAnswer !== true) this.#repeating = undefined;
      const how = by === 'resume' ? 'resumed' : 'loaded';
      opened({ sessionId, result: (result ?? {}) as Record<string, unknown>, how }, request);
    });
    if (!answer.ok) this.#router.release(sessionId);
    else if (quirks.repeatsAfterAnswer === true) await this.#quiet();
    this.#repeating = undefined;
    return answer;
  }

  /** Whether a session that was loaded may not be loaded again. */
  get loadsOnce(): boolean {
    return this.#quirks.loadsOnce === true;
  }

  get #quirks(): AgentQuirks {
    return quirksOf(this.#initializeResult, this.#options.command);
  }

  /** Whether this agent ends a session when asked to. */
  get canClose(): boolean {
    const { agentCapabilities } = (this.#initializeResult ?? {}) as {
      agentCapabilities?: { sessionCapabilities?: { close?: unknown } | null } | null;
    };
    return isGranted(agentCapabilities?.sessionCapabilities?.close);
  }

  /** Waits until the agent has said all it repeats: a prompt sent before would be told apart from it by nothing. */
  async #quiet(): Promise<void> {
    for (let waits = 0; waits < MAX_QUIET_WAITS && this.#exit === undefined; waits++) {
      const before = this.#bytesRead;
      await new Promise<void>((resolve) => void this.#options.clock.setTimer(QUIET_MS, resolve));
      if (this.#bytesRead === before) return;
    }
  }

  /** Waits until the clock minute of `atMs` is over. */
  async #minuteAfter(atMs: number): Promise<void> {
    const { clock } = this.#options;
    const waitMs = (Math.floor(atMs / MINUTE_MS) + 1) * MINUTE_MS - clock.nowMs();
    if (waitMs <= 0 || waitMs > MINUTE_MS) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimer(waitMs + MINUTE_MARGIN_MS, resolve);
      this.#whenGone = () => {
        cancel();
        resolve();
      };
      if (this.#exit !== undefined) this.#whenGone();
    });
  }

  /** Asks the agent to go, then makes it. */
  async end(graceMs: number): Promise<void> {
    await this.#process?.end(graceMs);
  }

  /** Ends the agent and everything it started. */
  async kill(graceMs: number): Promise<void> {
    await this.#process?.kill(graceMs);
  }

  /** One request of the start: answered, refused, too slow, or cut short by the agent's exit. */
  async #ask(
    method: string,
    params: object,
    answered: (result: unknown, request: Promise<Emitted | Error>) => void,
  ): Promise<Result<unknown, StartFailure>> {
    const { clock, startTimeoutMs } = this.#options;
    const bytesBefore = this.#bytesRead;
    let cancel = () => {};
    let isOver = false;
    const outcome = await new Promise<RpcAnswer | 'late' | 'gone'>((resolve) => {
      const wait = () => {
        cancel = clock.setTimer(startTimeoutMs, () => (this.#port.isAsking() ? wait() : resolve('late')));
      };
      wait();
      this.#whenGone = () => resolve('gone');
      const request: Promise<Emitted | Error> = this.client.request(method, params, 'harness', (answer) => {
        // Given up on: the channel may hold another session by now.
        if (answer.type === 'result' && !isOver) answered(answer.result, request);
        // A line that did not get out is explained by the exit that follows, or by the silence.
        if (answer.type !== 'lost') resolve(answer);
      });
      if (this.#exit !== undefined) resolve('gone');
    });
    cancel();
    isOver = true;
    this.#whenGone = () => {};
    if (outcome === 'late') return err(tooSlow(this.#options, method, startTimeoutMs, this.#bytesRead - bytesBefore));
    if (outcome === 'gone') {
      const exit = this.#exit ?? { code: null, signal: null };
      return err(exitedEarly(this.#options, exit, method, this.#stderr.tail()));
    }
    if (outcome.type === 'result') return ok(outcome.result);
    if (outcome.type === 'error') return err(refusedStart(this.#options, method, outcome, this.#initializeResult));
    return err({ code: 'refused', message: outcome.reason });
  }

  #receive(line: ReadLine): void {
    const { message } = line;
    switch (message.type) {
      case 'response':
      case 'error':
        this.client.receive(message);
        break;
      case 'request':
        if (isForDesk(message.method)) this.#port.onAsked({ ...line, message });
        else this.#refuse(message.id, message.method);
        break;
      case 'notification': {
        const id = message.method === '$/cancel_request' ? rawRequestId(line.text) : undefined;
        if (id !== undefined) this.#port.onWithdrawn(id);
        else this.#port.onNotification({ ...line, message });
        break;
      }
      default:
        message satisfies never;
    }
  }

  #refuse(id: string, method: string): void {
    const text = encodeError(id, RPC_METHOD_NOT_FOUND, `Method not found: ${method}`);
    void this.write([{ text, via: 'harness' }]);
  }

  #hold(on: boolean): void {
    this.#process?.hold(on);
    if (!on || this.#wasHeld) return;
    this.#wasHeld = true;
    const text = 'the agent writes faster than its lines can be sealed: it is slowed down to that pace';
    this.#port.tell('harness_note', { text });
  }

  async #gone(exit: ProcessExit): Promise<void> {
    await this.#tap.readEnd();
    this.#stderr.end();
    this.#exit = exit;
    this.#port.onExit(this, exit);
    this.client.lose('the agent exited');
    this.#whenGone();
  }
}

/** Why a session of this id can't be worked with: ids stand in every event and in what is kept for the next run. */
function tooLong({ length }: string): string | undefined {
  if (length <= MAX_SESSION_ID_LENGTH) return undefined;
  return `the sessionId has ${length} characters: no more than ${MAX_SESSION_ID_LENGTH} can be kept`;
}

/** A capability is there by the presence of anything but null and false. */
function isGranted(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false;
}
