import type { CancelTurn, ControlResult, Prompt, ReplaceQueued, TurnCompleted, Unqueue } from '@heliograph/wire';
import { encodeNotification } from '@heliograph/wire';
import type { RpcAnswer } from './acp-client.ts';
import { readState } from './acp-version.ts';
import type { Agent } from './agent.ts';
import type { ProcessExit } from './agent-process.ts';
import { type CancelEffect, type CancelInput, type CancelState, NO_CANCEL, stepCancel } from './cancel.ts';
import { type Channel, noteTurn } from './channels.ts';
import { type AgentName, authHint, type StartFailure } from './failure.ts';
import { readGaveUp } from './gave-up.ts';
import { LoginTrouble } from './login-trouble.ts';
import { refuseContent } from './prompt-content.ts';
import { dequeue, enqueue, type PromptQueue, type QueuedPrompt, remove, replace } from './prompt-queue.ts';
import type { RequestDesk } from './request-desk.ts';
import type { ConfigChange } from './session-config.ts';
import { SettingChanges } from './setting.ts';
import { steerRequest, wasSteered } from './steering.ts';
import { Turn, type TurnPort } from './turn.ts';
import { TurnLimits, type TurnLimitsMs } from './turn-limits.ts';
import {
  errorOfLimit,
  outcomeOfAnswer,
  outcomeOfExit,
  outcomeOfFailedStart,
  outcomeOfRefusal,
  type TurnOutcome,
} from './turn-outcome.ts';

/** Tells an owner what became of a control; may be called more than once. */
export type Reply = (result: Omit<ControlResult, 'type' | 'requestId'>) => void;

export interface ConversationPort extends TurnPort {
  readonly agentName: AgentName;
  readonly requests: RequestDesk;
  readonly cancelGraceMs: number;
  readonly limits: TurnLimitsMs;
  uuid(): string;
  /** Opens this channel's session, starting the agent if need be; ends in `sessionReady` or `startFailed`. */
  openSession(): void;
  /** Kills the agent and everything it started; ends in `agentGone`. */
  killAgent(): void;
  /** The session has been prompted: from now on it holds something worth opening again. */
  prompted(): void;
  /** Bytes the agent has written so far. */
  bytesRead(): number;
  /** Why the agent is not started right now, undefined when it is or may be. */
  restReason(): string | undefined;
  /** A turn has ended; `result` is the prompt's answer, undefined where there was none. */
  turnEnded(turn: Turn, completed: TurnCompleted, result: unknown): void;
  /** Open turns of other channels, which would die with the agent. */
  otherOpenTurns(): number;
}

/** One channel's prompts, one at a time: queue, turn, cancel. Turns of one session never overlap. */
export class Conversation {
  readonly channel: Channel;
  readonly #port: ConversationPort;
  /** The agent while the channel's session is open in it. */
  #agent: Agent | undefined;
  #queue: PromptQueue = [];
  #cancel: CancelState = NO_CANCEL;
  readonly #settings: SettingChanges;
  readonly #replies = new Map<string, Reply>();
  #cancelGrace = () => {};
  #limits: TurnLimits | undefined;
  /** What the agent said of a refused login in the open turn. */
  #login: LoginTrouble | undefined;
  /** ACP 2: the turn the agent has begun with. */
  #begun: string | undefined;
  /** What the agent last said of the turn that is open. */
  #gaveUp = false;
  /** On whose behalf session/cancel is written. */
  #canceller: 'owner' | 'harness' = 'owner';

  constructor(port: ConversationPort, channel: Channel) {
    this.#port = port;
    this.channel = channel;
    this.#settings = new SettingChanges(port.clock, channel, () => {
      const { configOptions, modes, models } = channel.config;
      this.#emit('session_config_captured', { configOptions, modes, models });
    });
  }

  /** Prompts that wait, for the snapshot. */
  get queue(): PromptQueue {
    return this.#queue;
  }

  /** On whose behalf the open turn is being cancelled, if it is. */
  get cancelledBy(): 'owner' | 'harness' | undefined {
    return this.#cancel.phase === 'none' ? undefined : this.#canceller;
  }

  prompt(control: Prompt, promptRequestId: string, triggeringEventId: string, reply: Reply): void {
    const refusal = refuseContent(control.content, this.#agent?.initializeResult);
    if (this.#agent !== undefined && refusal !== undefined) {
      reply({ status: 'rejected', reason: refusal });
      return;
    }
    const prompt: QueuedPrompt = { promptRequestId, triggeringEventId, content: control.content };
    if (control.mode === 'steer' && this.#steer(prompt, reply)) return;
    this.#take(prompt, control.mode === 'interrupt' && this.channel.turn !== undefined, reply);
  }

  /** A prompt that waits is taken back. */
  unqueue({ promptRequestId }: Unqueue, reply: Reply): void {
    const queue = remove(this.#queue, promptRequestId);
    if (queue === undefined) {
      reply({ status: 'unknown', reason: 'this prompt does not wait (any more)' });
      return;
    }
    this.#queue = queue;
    this.#dequeued({ promptRequestId }, 'removed');
    reply({ status: 'removed' });
  }

  /** A prompt that waits gets other content; told like a new one in the same place. */
  replaceQueued({ promptRequestId, content }: ReplaceQueued, reply: Reply): void {
    const replaced = replace(this.#queue, promptRequestId, content);
    if (replaced === undefined) {
      reply({ status: 'unknown', reason: 'this prompt does not wait (any more)' });
      return;
    }
    this.#queue = replaced.queue;
    this.#emit('prompt_queued', { promptRequestId, position: replaced.position, reason: 'replaced', content });
    reply({ status: 'replaced' });
  }

  /** Changes the running session; the value told is the one the agent confirmed. */
  configure(change: ConfigChange, reply: Reply): void {
    this.#settings.change(this.#agent, change, reply);
  }

  #take(prompt: QueuedPrompt, interrupts: boolean, reply: Reply): void {
    const { promptRequestId, content } = prompt;
    const taken = enqueue(this.#queue, prompt, this.#isFree, interrupts);
    if (taken.type === 'full') {
      reply({
        status: 'rejected',
        reason: `${this.#queue.length} prompts wait already: cancel the turn or remove some`,
      });
      return;
    }
    if (taken.type === 'start') {
      reply({ status: 'accepted', turnId: this.#begin(prompt) });
      return;
    }
    this.#queue = taken.queue;
    const { position } = taken;
    const reason = this.#agent === undefined ? (this.#port.restReason() ?? 'the agent is starting') : 'a turn is open';
    this.#emit('prompt_queued', { promptRequestId, position, reason, content });
    reply({ status: 'queued', reason });
    if (this.#agent === undefined) this.#port.openSession();
    if (interrupts) this.#askToCancel(`interrupt:${promptRequestId}`);
  }

  /** Hands a prompt to the open turn where the agent takes that; false where it waits like any other. */
  #steer(prompt: QueuedPrompt, reply: Reply): boolean {
    const { turn, sessionId, activeRunId } = this.channel;
    if (this.#agent === undefined || turn === undefined || this.#cancel.phase !== 'none') return false;
    const facts = { initializeResult: this.#agent.initializeResult, sessionId, activeRunId };
    const request = steerRequest(facts, prompt.content);
    if (request === undefined) return false;
    void this.#agent.client.request(request.method, request.params, 'owner', (answer) => {
      if (wasSteered(request.method, answer)) reply({ status: 'steered', turnId: turn.turnId });
      // It may have heard it or not: said twice would be worse than not at all.
      else if (answer.type === 'lost') reply({ status: 'rejected', reason: answer.reason });
      else this.#take(prompt, false, reply);
    });
    return true;
  }

  cancel(control: CancelTurn, key: string, saidMs: number, reply: Reply): void {
    const { turnId, force = false } = control;
    const { turn, turns } = this.channel;
    this.#replies.set(key, reply);
    this.#canceller = 'owner';
    const hasEnded = turns.some((ended) => ended.turnId === turnId && ended.outcome !== undefined);
    this.#stepCancel({ type: 'cancel', key, turnId, saidMs, force, turn, hasEnded });
  }

  /** The channel's session is open: what waited goes to the agent. */
  sessionReady(agent: Agent): void {
    this.#agent = agent;
    this.#next();
  }

  /** The agent could not be started: the prompt that wanted it fails visibly, the others wait for the next one. */
  startFailed(failure: StartFailure): void {
    const [prompt, ...rest] = this.#queue;
    if (prompt === undefined) return;
    this.#queue = rest;
    this.#dequeued(prompt, 'the agent did not start');
    this.#end(this.#open(prompt), outcomeOfFailedStart(failure));
  }

  /** The agent is gone, and the session with it. `wanted`: we ended it. */
  agentGone(exit: ProcessExit, stderrTail: string, wanted: boolean): void {
    this.#agent = undefined;
    const { turn } = this.channel;
    const why = this.#cancel.phase === 'killing' ? 'cancel' : wanted ? 'wanted' : 'itself';
    if (turn !== undefined) this.#end(turn, outcomeOfExit(exit, stderrTail, why));
    this.channel.sessionId = null;
    this.channel.activeRunId = undefined;
    this.channel.config = {};
    this.#settings.end();
  }

  /** Another session is about to take this one's place: what comes meanwhile waits for it. */
  pause(): void {
    this.#agent = undefined;
    this.#settings.end();
  }

  /** The channel is closed: its session is given up, and what waits is taken back. */
  close(): void {
    this.pause();
    this.channel.sessionId = null;
    this.channel.config = {};
    for (const prompt of this.#queue) this.#dequeued(prompt, 'the session was closed');
    this.#queue = [];
  }

  /** The agent, while it has the channel's session open. */
  get agent(): Agent | undefined {
    return this.#agent;
  }

  /** Whether prompts wait for a session that is not there. */
  get wantsAgent(): boolean {
    return this.#agent === undefined && this.#queue.length > 0;
  }

  get #isFree(): boolean {
    return this.#agent !== undefined && this.channel.turn === undefined;
  }

  #next(): void {
    const { prompt, queue } = dequeue(this.#queue, this.#isFree);
    if (prompt === undefined) return;
    this.#queue = queue;
    this.#dequeued(prompt, 'started');
    const refusal = refuseContent(prompt.content, this.#agent?.initializeResult);
    if (refusal === undefined) this.#begin(prompt);
    else this.#end(this.#open(prompt), outcomeOfRefusal(refusal));
  }

  #open(prompt: QueuedPrompt): Turn {
    const { stream, sessionId } = this.channel;
    const { promptRequestId, triggeringEventId } = prompt;
    const started = { source: 'owner' as const, triggeringEventIds: [triggeringEventId], promptRequestId };
    const turn = new Turn(this.#port, this.#port.uuid(), { stream, sessionId }, started);
    this.channel.turn = turn;
    this.#gaveUp = false;
    const login = new LoginTrouble(this.#agent?.stderr);
    this.#login = login;
    this.#limits = new TurnLimits({
      ...this.#port.limits,
      clock: this.#port.clock,
      bytesRead: () => this.#port.bytesRead(),
      isWaiting: () => this.#port.requests.isWaiting(this.channel.channelId),
      expired: (outcome) => this.#expired(turn, outcome),
      heard: () => login.heard(),
      quiet: () => this.#quiet(turn, login),
    });
    noteTurn(this.channel, { turnId: turn.turnId, firstSeq: turn.firstSeq });
    return turn;
  }

  #begin(prompt: QueuedPrompt): string {
    const turn = this.#open(prompt);
    const params = { sessionId: this.channel.sessionId, prompt: prompt.content };
    this.#port.prompted();
    void this.#agent?.client.request('session/prompt', params, 'owner', (answer) => this.#answered(turn, answer));
    return turn.turnId;
  }

  #answered(turn: Turn, answer: RpcAnswer): void {
    const isResult = answer.type === 'result';
    if (isResult && this.#agent?.acp === 2 && stopReasonOf(answer.result) === undefined) {
      // The prompt was taken; the session's state says when the turn is over.
      this.#begun = turn.turnId;
      return;
    }
    const wasCancelled = this.#cancel.phase !== 'none' && this.#cancel.turnId === turn.turnId;
    const agent = { name: this.#port.agentName, initializeResult: this.#agent?.initializeResult };
    const outcome = outcomeOfAnswer(answer, agent, { wasCancelled, gaveUp: this.#gaveUp });
    this.#end(turn, outcome, isResult ? answer.result : undefined);
  }

  /** An update of the agent. In ACP 2 the state `idle` ends a turn that the agent has begun with, and no other. */
  heard(update: unknown): void {
    const { turn } = this.channel;
    this.#login?.noteUpdate(update);
    this.#settings.heard();
    this.#gaveUp = readGaveUp(update) ?? this.#gaveUp;
    const state = this.#agent?.acp === 2 ? readState(update) : undefined;
    if (turn === undefined || state === undefined) return;
    if (state.type === 'busy') this.#begun = turn.turnId;
    else if (this.#begun !== turn.turnId) return;
    else if (state.error !== undefined)
      this.#answered(turn, { type: 'error', code: undefined, message: state.error, data: undefined });
    else this.#answered(turn, { type: 'result', result: { stopReason: state.stopReason, usage: state.usage } });
  }

  #end(turn: Turn, { completed, error }: TurnOutcome, result?: unknown): void {
    if (!turn.isOpen) return;
    this.#limits?.stop();
    this.#login = undefined;
    if (error !== undefined) turn.fail(error);
    const lastSeq = turn.complete(completed)?.lastSeq;
    this.#port.turnEnded(turn, completed, result);
    this.channel.turn = undefined;
    const { turnId, firstSeq } = turn;
    this.#port.requests.turnEnded(turnId);
    noteTurn(this.channel, {
      turnId,
      firstSeq,
      ...(lastSeq !== undefined ? { lastSeq } : {}),
      outcome: completed.outcome,
    });
    this.#stepCancel({ type: 'turn_ended', turnId, outcome: completed.outcome });
    this.#next();
  }

  /** A limit is over: said at once, then the turn is cancelled like any other. */
  #expired(turn: Turn, outcome: 'idle_timeout' | 'hard_timeout'): void {
    turn.fail(errorOfLimit(outcome, this.#port.limits));
    this.#askToCancel(`${outcome}:${turn.turnId}`, 'harness');
  }

  /** The agent is silent: where that is over its login the owner is told, who can mend it while the agent goes on trying. */
  #quiet(turn: Turn, login: LoginTrouble): boolean {
    const words = login.words();
    if (words === undefined) return false;
    const error = `the agent is silent and seems to retry a refused login: ${words}`;
    turn.fail({ outcome: 'auth', error, hint: authHint(this.#port.agentName, this.#agent?.initializeResult) });
    return true;
  }

  #askToCancel(key: string, who: 'owner' | 'harness' = 'owner'): void {
    this.#canceller = who;
    const { turn } = this.channel;
    const nowMs = this.#port.clock.nowMs();
    this.#stepCancel({ type: 'cancel', key, turnId: turn?.turnId, saidMs: nowMs, force: false, turn, hasEnded: false });
  }

  #stepCancel(input: CancelInput): void {
    const { state, effects } = stepCancel(this.#cancel, input);
    this.#cancel = state;
    if (state.phase !== 'asked') this.#cancelGrace();
    for (const effect of effects) this.#apply(effect);
  }

  #apply(effect: CancelEffect): void {
    switch (effect.type) {
      case 'reply': {
        const { key, type, ...result } = effect;
        this.#replies.get(key)?.(result);
        if (result.status !== 'sent') this.#replies.delete(key);
        break;
      }
      case 'ask_agent':
        this.#writeCancel();
        break;
      case 'kill_agent':
        this.#port.killAgent();
        break;
      default:
        effect satisfies never;
    }
  }

  /** What the agent asks is answered before the turn is cancelled, in one piece: nothing can come in between. */
  #writeCancel(): void {
    const { channelId, sessionId, turn } = this.channel;
    if (turn === undefined) return;
    const { turnId } = turn;
    const answers = this.#port.requests.cancel(channelId, this.#canceller);
    const cancel = { text: encodeNotification('session/cancel', { sessionId }), via: this.#canceller };
    void this.#agent?.write([...answers.lines, cancel]).then((outcome) => {
      answers.written(outcome instanceof Error ? 'gone' : 'written');
    });
    this.#cancelGrace = this.#port.clock.setTimer(this.#port.cancelGraceMs, () => {
      this.#stepCancel({ type: 'grace_over', turnId, others: this.#port.otherOpenTurns() });
    });
  }

  #dequeued({ promptRequestId }: Pick<QueuedPrompt, 'promptRequestId'>, reason: string): void {
    this.#emit('prompt_dequeued', { promptRequestId, position: 0, reason });
  }

  #emit(kind: string, payload: object): void {
    const { stream, sessionId } = this.channel;
    this.#port.emit({ stream, sessionId, turnId: null }, { kind, payload: JSON.stringify(payload) });
  }
}

const stopReasonOf = (result: unknown): unknown => (result as { stopReason?: unknown } | null | undefined)?.stopReason;
