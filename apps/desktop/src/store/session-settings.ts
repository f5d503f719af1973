import type { ControlDraft } from '@heliograph/client';
import { type Choice, type ConfigOption, optionOf, readSettings, type SessionState } from '@heliograph/transcript';
import type { SnapshotChannel } from '@heliograph/wire';
import type { ControlEntry } from './control-entry.ts';
import type { AgentRecord } from './desktop-store.ts';

/** One thing a session can be set to; `value` is what the agent confirmed last. */
export interface Setting {
  readonly key: string;
  readonly name: string;
  readonly value: string | boolean | undefined;
  /** None for a switch. */
  readonly choices: readonly Choice[];
  draft(channelId: string, value: string | boolean): ControlDraft;
}

export interface SessionSettings {
  readonly model: Setting | undefined;
  readonly mode: Setting | undefined;
  /** Effort, thinking, and whatever else the agent offers. */
  readonly others: readonly Setting[];
}

/** An agent may offer any number: the page draws so many settings and choices of each, the first. */
const MAX_SETTINGS = 32;
const MAX_CHOICES = 500;

/** What a session can be set to: as its own lines tell, else (joined late) as the harness said when it was asked. */
export function settingsOf(session: SessionState, channel: SnapshotChannel | undefined): SessionSettings {
  const isTold = session.models.length + session.modes.length + session.configOptions.length > 0;
  const known = isTold || channel?.config === undefined ? session : { ...session, ...readSettings(channel.config) };
  const { configOptions, models, modelId, modes, modeId } = known;
  const named = [optionOf(configOptions, 'model'), optionOf(configOptions, 'mode')];
  return {
    model: choiceOf('model', 'Model', modelId, models, (value) => ({ type: 'switch_model', modelId: value })),
    mode: choiceOf('mode', 'Mode', modeId, modes, (value) => ({ type: 'set_mode', modeId: value })),
    others: configOptions
      .filter((option) => !named.includes(option))
      .flatMap(settingOf)
      .slice(0, MAX_SETTINGS),
  };
}

/** The channel as the newest snapshot tells it. */
export function snapshotChannel(agent: AgentRecord, channelId: string | null): SnapshotChannel | undefined {
  return agent.snapshot?.channels.find((channel) => channel.channelId === channelId);
}

/** Who answers in the owner's place what the agent asks, in words; undefined while the owner does, or it is not told. */
export function policyWords(agent: AgentRecord, channelId: string | null): string | undefined {
  const policy = snapshotChannel(agent, channelId)?.policy ?? agent.snapshot?.policy;
  if (policy === undefined || policy === 'ask') return undefined;
  return policy === 'allow' ? 'Allows all by itself' : 'Rejects all by itself';
}

/** How the newest order for a setting is going; undefined when there was none, or it came to its end well. */
export function selectSettingOrder(
  controls: readonly ControlEntry[],
  agent: string,
  channelId: string,
  key: string,
): ControlEntry | undefined {
  const order = controls.findLast(
    ({ draft, agent: of }) =>
      of === agent && 'channelId' in draft && draft.channelId === channelId && keyOf(draft) === key,
  );
  return order?.phase === 'done' ? undefined : order;
}

function keyOf(draft: ControlDraft): string | undefined {
  if (draft.type === 'switch_model') return 'model';
  if (draft.type === 'set_mode') return 'mode';
  return draft.type === 'set_config_option' ? `option:${draft.configId}` : undefined;
}

function choiceOf(
  key: 'model' | 'mode',
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
  change: (value: string) => { type: 'switch_model'; modelId: string } | { type: 'set_mode'; modeId: string },
): Setting | undefined {
  if (choices.length === 0 && value === undefined) return undefined;
  return {
    key,
    name,
    value,
    choices: choices.slice(0, MAX_CHOICES),
    draft: (channelId, next) => ({ channelId, ...change(String(next)) }),
  };
}

function settingOf(option: ConfigOption): readonly Setting[] {
  const { id, name, type, value, options } = option;
  if (type !== 'boolean' && options.length === 0) return [];
  return [
    {
      key: `option:${id}`,
      name,
      value,
      choices: options
        .slice(0, MAX_CHOICES)
        .map(({ group, ...choice }) =>
          group === undefined ? choice : { ...choice, name: `${group}: ${choice.name}` },
        ),
      draft: (channelId, next) => ({ type: 'set_config_option', channelId, configId: id, value: next }),
    },
  ];
}
