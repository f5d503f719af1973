import type { Result } from '@heliograph/wire';
import type { Emitted } from '../mirror/observer-bus.ts';
import { Agent, type AgentOptions, type AgentPort, type OpenedSession } from './agent.ts';
import type { ProcessExit } from './agent-process.ts';
import type { Channel } from './channels.ts';
import type { StartFailure } from './failure.ts';

export interface KeeperPort extends Omit<AgentPort, 'onExit'> {
  readonly channel: Channel;
  /** Called at once: what the agent says next belongs to the session. */
  onSession(session: OpenedSession, request: Promise<Emitted | Error>): void;
  onReady(agent: Agent): void;
  /** `isFirst`: the very first start of this harness. The process is gone by now. */
  onStartFailed(failure: StartFailure, isFirst: boolean): void;
  /** `isWanted`: we ended it. */
  onGone(exit: ProcessExit, stderrTail: string, isWanted: boolean): void;
  /** Whether somebody waits for an agent. */
  isWanted(): boolean;
}

/** Keeps one agent process going: starts it, starts it anew when it is needed again, ends it with everything it started. */
export class AgentKeeper {
  readonly #options: AgentOptions;
  readonly #port: KeeperPort;
  #agent: Agent | undefined;
  /** The life that we ended ourselves. */
  #ended: Agent | undefined;
  #respawn = false;
  #isStarting = false;
  #isClosed = false;

  constructor(options: AgentOptions, port: KeeperPort) {
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

  /** Starts the agent unless it is there or on its way. */
  start(): void {
    if (this.#isStarting || this.#agent !== undefined || this.#isClosed) return;
    this.#isStarting = true;
    this.#spawn().then(
      (agent) => this.#bringUp(agent, false),
      (cause: unknown) => {
        this.#isStarting = false;
        const message = cause instanceof Error ? cause.message : 'the agent could not be started';
        this.#port.onStartFailed({ code: 'spawn', message }, false);
      },
    );
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
    const { channel, onSession } = this.#port;
    let outcome: Result<unknown, StartFailure> = await agent.initialize();
    if (outcome.ok) outcome = await agent.newSession(channel, onSession);
    if (!outcome.ok) {
      this.#ended = agent;
      await agent.end(this.#options.exitGraceMs);
      this.#isStarting = false;
      if (!this.#isClosed) this.#port.onStartFailed(outcome.error, isFirst);
      return;
    }
    this.#isStarting = false;
    this.#port.onReady(agent);
  }

  #gone(agent: Agent, exit: ProcessExit): void {
    this.#agent = undefined;
    this.#port.onGone(exit, agent.stderrTail, this.#ended === agent);
    const respawn = this.#respawn || this.#port.isWanted();
    this.#respawn = false;
    // During a start the failure is told by whoever waits for it.
    if (respawn && !this.#isStarting) this.start();
  }
}
