import type { RpcAnswer } from './acp-client.ts';

/** What a session can be set to, as the agent told it last: members of its answer to session/new or load, kept current. */
export interface SessionConfig {
  readonly configOptions?: unknown;
  readonly models?: unknown;
  readonly modes?: unknown;
}

/** What is held of a session's configuration, as JSON text: it stands in the memory of every channel. */
const MAX_CONFIG_LENGTH = 262_144;

/** Those members of an answer, or of what is known already; nothing where they are too long to be held. Pure. */
export function boundedConfig({ configOptions, models, modes }: SessionConfig): SessionConfig {
  const config = { configOptions, models, modes };
  return JSON.stringify(config).length > MAX_CONFIG_LENGTH ? {} : config;
}

/** A change an owner asks for. */
export type ConfigChange =
  | { readonly type: 'model' | 'mode'; readonly value: string }
  | { readonly type: 'option'; readonly configId: string; readonly value: string | boolean };

/** The request that makes a change, or why the agent can't. Without `configId` its answer holds no value: that it answers is the confirmation. */
export type ConfigPlan =
  | {
      readonly type: 'request';
      readonly method: string;
      readonly params: object;
      readonly configId: string | undefined;
    }
  | { readonly type: 'unsupported'; readonly reason: string };

interface Option {
  readonly id: string;
  readonly category: unknown;
  readonly isBoolean: boolean;
  readonly value: unknown;
  readonly values: readonly unknown[];
}

const asRecord = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const asList = (value: unknown) => (Array.isArray(value) ? value.map(asRecord) : []);

/** How a change is asked of the agent: its config option, else its older request for models or modes, else not at all. Pure. */
export function planChange(config: SessionConfig, change: ConfigChange): ConfigPlan {
  const options = readOptions(config);
  const option =
    change.type === 'option' ? options.find(({ id }) => id === change.configId) : optionOf(options, change.type);
  if (option !== undefined) return planOption(option, change.value);
  if (change.type === 'option') return unsupported(`the agent has no option "${change.configId}"`);
  const { list, key, method } = OLDER[change.type];
  const choices = asList(asRecord(config[list])[`available${key}`]).map(
    (choice) => choice[`${change.type}Id`] ?? choice.id,
  );
  if (choices.length === 0) return unsupported(`the agent offers no choice of ${list}`);
  if (!choices.includes(change.value)) return unsupported(`the agent has no ${change.type} "${change.value}"`);
  return { type: 'request', method, params: { [`${change.type}Id`]: change.value }, configId: undefined };
}

/** The configuration after the agent's answer, and the value it confirms; undefined where it confirms nothing. Pure. */
export function confirmChange(
  config: SessionConfig,
  plan: Extract<ConfigPlan, { type: 'request' }>,
  change: ConfigChange,
  answer: Extract<RpcAnswer, { type: 'result' }>,
): { readonly config: SessionConfig; readonly value: unknown } {
  if (plan.configId === undefined && change.type !== 'option') {
    const { list } = OLDER[change.type];
    const current = change.type === 'model' ? 'currentModelId' : 'currentModeId';
    return {
      config: { ...config, [list]: { ...asRecord(config[list]), [current]: change.value } },
      value: change.value,
    };
  }
  const { configOptions } = asRecord(answer.result);
  if (!Array.isArray(configOptions)) return { config, value: undefined };
  const next = boundedConfig({ ...config, configOptions });
  return { config: next, value: plan.configId === undefined ? undefined : optionValue(next, plan.configId) };
}

/** What a config option is set to, undefined where the agent does not say. Pure. */
export function optionValue(config: SessionConfig, configId: string): unknown {
  return readOptions(config).find(({ id }) => id === configId)?.value;
}

/** The configuration after a `session/update` of the agent's own; the same object where it is about something else. Pure. */
export function updateConfig(config: SessionConfig, update: unknown): SessionConfig {
  const { sessionUpdate, configOptions, currentModeId, modeId } = asRecord(update);
  if (sessionUpdate === 'config_option_update' && Array.isArray(configOptions))
    return boundedConfig({ ...config, configOptions });
  const mode = currentModeId ?? modeId;
  if (sessionUpdate !== 'current_mode_update' || typeof mode !== 'string' || config.modes === undefined) return config;
  return boundedConfig({ ...config, modes: { ...asRecord(config.modes), currentModeId: mode } });
}

/** The model the agent says the session uses, undefined where it does not say. */
export function currentModel(config: SessionConfig): string | undefined {
  const said = optionOf(readOptions(config), 'model')?.value ?? asRecord(config.models).currentModelId;
  return typeof said === 'string' ? said : undefined;
}

const OLDER = {
  model: { list: 'models', key: 'Models', method: 'session/set_model' },
  mode: { list: 'modes', key: 'Modes', method: 'session/set_mode' },
} as const;

function planOption(option: Option, value: string | boolean): ConfigPlan {
  const { id, isBoolean, values } = option;
  const fits = isBoolean ? typeof value === 'boolean' : values.includes(value);
  if (!fits) return unsupported(`the agent's option "${id}" can't be ${JSON.stringify(value)}`);
  const params = { configId: id, ...(isBoolean ? { type: 'boolean' } : {}), value };
  return { type: 'request', method: 'session/set_config_option', params, configId: id };
}

/** Categories are a hint and may repeat: an option that also has the category's name as id comes first. */
function optionOf(options: readonly Option[], category: 'model' | 'mode'): Option | undefined {
  const named = options.filter((option) => option.category === category);
  return named.find(({ id }) => id === category) ?? named[0];
}

function readOptions({ configOptions }: SessionConfig): readonly Option[] {
  return asList(configOptions).flatMap((option) => {
    const id = option.configId ?? option.id;
    if (typeof id !== 'string') return [];
    const values = asList(option.options).flatMap((entry) =>
      Array.isArray(entry.options) ? asList(entry.options).map(({ value }) => value) : [entry.value],
    );
    return { id, category: option.category, isBoolean: option.type === 'boolean', value: option.currentValue, values };
  });
}

function unsupported(reason: string): ConfigPlan {
  return { type: 'unsupported', reason };
}
