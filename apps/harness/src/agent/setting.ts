import type { Agent } from './agent.ts';
import type { Channel } from './channels.ts';
import type { Reply } from './conversation.ts';
import { type ConfigChange, confirmChange, planChange } from './session-config.ts';

const STATUS = {
  model: { done: 'switched', unsupported: 'unsupported_model' },
  mode: { done: 'applied', unsupported: 'unsupported' },
  option: { done: 'applied', unsupported: 'unsupported' },
} as const;

/** Changes the running session; the value told is the one the agent confirmed. `agent` has the channel's session open. */
export function changeSetting(
  agent: Agent | undefined,
  channel: Channel,
  change: ConfigChange,
  captured: () => void,
  reply: Reply,
): void {
  const { sessionId } = channel;
  const words = STATUS[change.type];
  if (agent === undefined || sessionId === null) {
    reply({ status: 'failure', reason: 'the agent has no session open now: prompt it first' });
    return;
  }
  const plan = planChange(channel.config, change);
  if (plan.type === 'unsupported') {
    reply({ status: words.unsupported, reason: plan.reason });
    return;
  }
  reply({ status: 'sent' });
  void agent.client.request(
    plan.method,
    { sessionId, ...(agent.acp === 2 ? { type: 'id' } : {}), ...plan.params },
    'owner',
    (answer) => {
      if (answer.type !== 'result') {
        reply({ status: 'failure', reason: answer.type === 'error' ? answer.message : answer.reason });
        return;
      }
      const { config, value } = confirmChange(channel.config, plan, change, answer);
      channel.config = config;
      captured();
      const told = typeof value === 'string' || typeof value === 'boolean' ? { value } : {};
      if (value === change.value) reply({ status: words.done, ...told });
      else
        reply({ status: 'failure', reason: `the agent answered with ${JSON.stringify(value) ?? 'no value'}`, ...told });
    },
  );
}
