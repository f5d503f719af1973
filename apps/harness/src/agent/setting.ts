import type { Clock } from '@heliograph/client';
import type { Agent } from './agent.ts';
import type { Channel } from './channels.ts';
import type { Reply } from './conversation.ts';
import { type ConfigChange, confirmChange, optionValue, planChange } from './session-config.ts';

const STATUS = {
  model: { done: 'switched', unsupported: 'unsupported_model' },
  mode: { done: 'applied', unsupported: 'unsupported' },
  option: { done: 'applied', unsupported: 'unsupported' },
} as const;

/** How long an agent may take to tell of a value that its answer does not have yet: adapters set some of them in the background. */
const CONFIRM_MS = 3_000;
/** Changes that may wait for that at a time; of more the answer counts as it is. */
const MAX_UNCONFIRMED = 64;

/** Changes an owner makes to one channel's running session; the value told is the one the agent confirmed. */
export class SettingChanges {
  readonly #clock: Clock;
  readonly #channel: Channel;
  readonly #captured: () => void;
  /** Changes that the agent has answered, but not confirmed. */
  readonly #unconfirmed = new Set<{ readonly look: () => void; readonly end: () => void }>();

  /** `captured`: what the channel's session can be set to was told anew. */
  constructor(clock: Clock, channel: Channel, captured: () => void) {
    this.#clock = clock;
    this.#channel = channel;
    this.#captured = captured;
  }

  /** Asks for a change; `agent` has the channel's session open. */
  change(agent: Agent | undefined, change: ConfigChange, reply: Reply): void {
    const { sessionId, config } = this.#channel;
    const words = STATUS[change.type];
    if (agent === undefined || sessionId === null) {
      reply({ status: 'failure', reason: 'the agent has no session open now: prompt it first' });
      return;
    }
    const plan = planChange(config, change);
    if (plan.type === 'unsupported') {
      reply({ status: words.unsupported, reason: plan.reason });
      return;
    }
    reply({ status: 'sent' });
    const type = agent.acp === 2 ? { type: 'id' } : {};
    void agent.client.request(plan.method, { sessionId, ...type, ...plan.params }, 'owner', (answer) => {
      if (answer.type !== 'result') {
        reply({ status: 'failure', reason: answer.type === 'error' ? answer.message : answer.reason });
        return;
      }
      const confirmed = confirmChange(this.#channel.config, plan, change, answer);
      this.#channel.config = confirmed.config;
      this.#captured();
      const { configId } = plan;
      if (confirmed.value === change.value || configId === undefined) this.#conclude(change, confirmed.value, reply);
      else this.#await(change, () => optionValue(this.#channel.config, configId) ?? confirmed.value, reply);
    });
  }

  /** The agent told something of its session: what it had only answered may be confirmed by now. */
  heard(): void {
    for (const { look } of this.#unconfirmed) look();
  }

  /** The session is not there any more: it confirms nothing. */
  end(): void {
    for (const { end } of this.#unconfirmed) end();
  }

  #await(change: ConfigChange, value: () => unknown, reply: Reply): void {
    const end = () => {
      if (!this.#unconfirmed.delete(waiting)) return;
      cancel();
      this.#conclude(change, value(), reply);
    };
    const waiting = { look: () => value() === change.value && end(), end };
    this.#unconfirmed.add(waiting);
    const cancel = this.#clock.setTimer(CONFIRM_MS, end);
    if (this.#unconfirmed.size > MAX_UNCONFIRMED || value() === change.value) end();
  }

  #conclude(change: ConfigChange, value: unknown, reply: Reply): void {
    const told = typeof value === 'string' || typeof value === 'boolean' ? { value } : {};
    if (value === change.value) reply({ status: STATUS[change.type].done, ...told });
    else
      reply({ status: 'failure', reason: `the agent answered with ${JSON.stringify(value) ?? 'no value'}`, ...told });
  }
}
