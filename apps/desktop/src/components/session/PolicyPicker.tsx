import type { PermissionPolicy } from '@heliograph/wire';
import { useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { snapshotChannel } from '../../store/session-settings.ts';
import { useDesktop } from '../use-desktop.ts';
import { OrderNote } from './OrderNote.tsx';

const CHOICES: readonly (readonly [PermissionPolicy, string])[] = [
  ['ask', 'Ask me'],
  ['allow', 'Allow once, each time'],
  ['reject', 'Reject, each time'],
];

/** Who answers what the agent asks: the owner, or a policy that needs nobody; for this session or for all of the agent. */
export function PolicyPicker(props: {
  readonly agent: AgentRecord;
  readonly channelId: string;
  readonly isBlocked: boolean;
}) {
  const { agent, channelId, isBlocked } = props;
  const desktop = useDesktop();
  const [persist, setPersist] = useState(false);
  const own = snapshotChannel(agent, channelId)?.policy;
  const whole = agent.snapshot?.policy;
  const set = (policy: PermissionPolicy | 'inherit', ofChannel: boolean) =>
    desktop.control(agent.publicKey, {
      type: 'set_policy',
      policy,
      ...(ofChannel ? { channelId } : {}),
      ...(persist ? { persist } : {}),
    });
  const rows = [
    ['session', 'In this session', own ?? '', true],
    ['agent', 'Everywhere else', whole ?? '', false],
  ] as const;
  return (
    <fieldset className="stack gap-2" disabled={isBlocked}>
      <legend className="mb-1.5 text-s font-semibold text-ink-3">When it asks for permission</legend>
      {rows.map(([key, label, value, ofChannel]) => (
        <label key={key} className="flex items-center gap-3">
          <span className="min-w-0 flex-1">{label}</span>
          <select
            className="picker"
            value={value}
            data-testid={`policy-${key}`}
            onChange={(event) => set((event.target.value || 'inherit') as PermissionPolicy | 'inherit', ofChannel)}
          >
            {ofChannel && <option value="">As everywhere else</option>}
            {!ofChannel && value === '' && <option value="">Not told yet</option>}
            {CHOICES.map(([policy, words]) => (
              <option key={policy} value={policy}>
                {words}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label className="flex items-center gap-2 text-s text-ink-2">
        <input type="checkbox" checked={persist} onChange={(event) => setPersist(event.target.checked)} />
        Keep the next choice after a restart of its harness
      </label>
      <OrderNote agent={agent.publicKey} type="set_policy" done="set" />
    </fieldset>
  );
}
