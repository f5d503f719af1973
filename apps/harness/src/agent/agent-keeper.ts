import type { Result } from '@heliograph/wire';
import type { Emitted } from '../mirror/observer-bus.ts';
import { Agent, type AgentOptions, type AgentPort, type OpenedSession } from './agent.ts';
import type { ProcessExit } from './agent-process.ts';
import type { Channel } from './channels.ts';
import type { StartFailure } from './failure.ts';
import { respawnDelayMs } from './respawn.ts';

export interface KeeperOptions extends AgentOptions {
  /** How long an agent that keeps crashing is left alone. */
  readonly crashRestMs: number;
}

export interface KeeperPort extends Omit<AgentPort, 'onExit'> {
  readonly channel: Channel;
  /** Called at once: what the agent says next belongs to the session. */
  onSession(session: OpenedSession, request: Promise<Emitted | Error>, contextLost?: string): void;
  onReady(agent: Agent): void;
  /** `isFirst`: the very first start of this harness. The process is gone by now. */
  onStartFailed(failure: StartFailure, isFirst: boolean): void;
  /** `isWanted`: we ended it. `respawnInMs`: it is left alone that long before it may start anew. */
  onGone(exit: ProcessExit, stderrTail: string, isWanted: boolean, respawnInMs: number): void;
  /** Whether somebody waits for an agent. */
  isWanted(): boolean;
}

/** Crashes remembered. */
const MAX_CRASHES = 8;

/** Keeps one agent process going: starts it, starts it anew when it is needed again, ends it with everything it started. */
export class AgentKeeper {
  readonly #options: KeeperOptions;
  readonly #port: KeeperPort;
  #agent: Agent | undefined;
  /** The life that we ended ourselves. */
  #ended: Agent | undefined;
  #respawn = false;
  #isStarting = false;
  #isClosed = false;
  #crashesMs: number[] = [];
  /** Ends the time in which the agent is left alone; undefined outside of it. */
  #endRest: (() => void) | undefined;

  constructor(options: KeeperOptions, port: KeeperPort) {
    this.#options = options;
    this.#port = port;
  }

  get agent(): Agent | undefined {
    return this.#agent;
  }

  get process(): 'starting' | 'running' | 'exited' {
    if (this.#isStarting) return 'starting';
    return this.#agent === undefined ? 'exited' : 'running';
  }

  /** The first start: rejects when the process can't be started; how it goes on comes to the port. */
  async startFirst(): Promise<void> {
    this.#isStarting = true;
    const agent = await this.#spawn();
    void this.#bringUp(agent, true);
  }

  /** Whether the agent crashed and is left alone for a while. */
  get isResting(): boolean {
    return this.#endRest !== undefined;
  }

  /** Starts the agent unless it is there or on its way; after crashes, as soon as its rest is over. */
  start(): void {
    if (this.isResting || this.#isStarting || this.#agent !== undefined || this.#isClosed) return;
    this.#isStarting = true;
    this.#spawn().then(
      (agent) => this.#bringUp(agent, false),
      (cause: unknown) => {
        this.#isStarting = false;
        this.#noteCrash();
        const message = cause instanceof Error ? cause.message : 'the agent could not be started';
        this.#port.onStartFailed({ code: 'spawn', message }, false);
      },
    );
  }

  /** Ends the agent, if it is there, and starts it anew at once; false while it starts anyhow. */
  restart(): boolean {
    if (this.#isStarting || this.#isClosed) return false;
    this.#crashesMs = [];
    this.#endRest?.();
    this.#endRest = undefined;
    if (this.#agent === undefined) this.start();
    else this.killAndRespawn();
    return true;
  }

  /** Kills the agent and starts it anew. */
  killAndRespawn(): void {
    const agent = this.#agent;
    if (agent === undefined) return;
    this.#ended = agent;
    this.#respawn = true;
    void agent.kill(this.#options.exitGraceMs);
  }

  /** Ends the agent for good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endRest?.();
    this.#ended = this.#agent;
    await this.#agent?.end(this.#options.exitGraceMs);
  }

  async #spawn(): Promise<Agent> {
    const agent = await Agent.start(this.#options, {
      ...this.#port,
      onExit: (gone, exit) => this.#gone(gone, exit),
    });
    this.#agent = agent;
    // Closed while it started: it must not stay behind.
    if (this.#isClosed) await this.close();
    return agent;
  }

  async #bringUp(agent: Agent, isFirst: boolean): Promise<void> {
    let outcome: Result<unknown, StartFailure> = await agent.initialize();
    if (outcome.ok) outcome = await this.#openSession(agent);
    if (!outcome.ok) {
      this.#ended = agent;
      await agent.end(this.#options.exitGraceMs);
      this.#isStarting = false;
      if (outcome.error.code !== 'exited') this.#noteCrash();
      if (!this.#isClosed) this.#port.onStartFailed(outcome.error, isFirst);
      return;
    }
    this.#isStarting = false;
    this.#port.onReady(agent);
  }

  /** The channel's earlier session where the agent can open it again, else a new one that says so. */
  async #openSession(agent: Agent): Promise<Result<unknown, StartFailure>> {
    const { channel, onSession } = this.#port;
    const { earlier } = channel;
    const by = agent.reopening;
    let lost: string | undefined;
    if (earlier !== undefined && by !== undefined) {
      // Tried once: an agent that dies of it must not do so for ever.
      channel.earlier = undefined;
      const outcome = await agent.reopenSession(channel, earlier, by, (...session) => onSession(...session));
      if (outcome.ok || agent.hasExited || outcome.error.code !== 'refused') return outcome;
      lost = outcome.error.message;
    } else if (earlier !== undefined) lost = 'this agent can not open a session again';
    return agent.newSession(channel, (session, request) => onSession(session, request, lost));
  }

  #gone(agent: Agent, exit: ProcessExit): void {
    this.#agent = undefined;
    const isWanted = this.#ended === agent;
    const respawnInMs = isWanted ? 0 : this.#noteCrash();
    this.#port.onGone(exit, agent.stderrTail, isWanted, respawnInMs);
    const respawn = this.#respawn || this.#port.isWanted();
    this.#respawn = false;
    // During a start the failure is told by whoever waits for it.
    if (respawn && !this.#isStarting) this.start();
  }

  /** One more crash or failed start: says how long the agent is left alone now. */
  #noteCrash(): number {
    const { clock, crashRestMs } = this.#options;
    const nowMs = clock.nowMs();
    this.#crashesMs = [...this.#crashesMs, nowMs].slice(-MAX_CRASHES);
    const delayMs = respawnDelayMs(this.#crashesMs, nowMs, crashRestMs);
    this.#endRest?.();
    this.#endRest = undefined;
    if (delayMs === 0 || this.#isClosed) return 0;
    const cancel = clock.setTimer(delayMs, () => {
      this.#endRest = undefined;
      if (this.#port.isWanted()) this.start();
    });
    this.#endRest = cancel;
    return delayMs;
  }
}
