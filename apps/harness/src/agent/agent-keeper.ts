import type { Result } from '@heliograph/wire';
import { Agent, type AgentOptions, type AgentPort } from './agent.ts';
import type { ProcessExit } from './agent-process.ts';
import type { StartFailure } from './failure.ts';
import { respawnDelayMs } from './respawn.ts';

export interface KeeperOptions extends AgentOptions {
  /** How long an agent that keeps crashing is left alone. */
  readonly crashRestMs: number;
}

export interface KeeperPort extends Omit<AgentPort, 'onExit'> {
  /** Opens the session without which the agent counts as not started. */
  openFirst(agent: Agent): Promise<Result<unknown, StartFailure>>;
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

  /** The agent once it takes prompts. */
  get ready(): Agent | undefined {
    return this.#isStarting ? undefined : this.#agent;
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
    if (outcome.ok) outcome = await this.#port.openFirst(agent);
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
