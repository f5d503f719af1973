import { asObject, finite, type JsonObject, list, member, object, objects, text } from './json.ts';
import type { Choice, Command, ConfigOption, SessionState, Usage } from './model.ts';

/** Readers of what agents say about a session. Pure: what cannot be read is left out, so that it keeps. */

/** Modes, models, options and commands of an answer to session/new, load, resume or fork, or of `session_config_captured`. */
export function readSessionConfig(result: JsonObject | undefined): Partial<SessionState> {
  const modes = object(result, 'modes');
  const models = object(result, 'models');
  const modeId = text(modes, 'currentModeId');
  const modelId = text(models, 'currentModelId');
  return {
    ...(modes === undefined ? {} : { modes: readChoices(modes, 'availableModes', ['id', 'modeId']) }),
    ...(modeId === undefined ? {} : { modeId }),
    ...(models === undefined ? {} : { models: readChoices(models, 'availableModels', ['modelId', 'id']) }),
    ...(modelId === undefined ? {} : { modelId }),
    ...readConfigOptions(result),
    ...readCommands(result),
  };
}

/** As `readSessionConfig`, of a value that came from anywhere; source: a snapshot's `channels[].config`. */
export function readSettings(config: unknown): Partial<SessionState> {
  return readSessionConfig(asObject(config));
}

/** The complete list of options, and the mode and model they name; nothing when there is no list. */
export function readConfigOptions(source: JsonObject | undefined): Partial<SessionState> {
  const entries = objects(source, 'configOptions');
  if (entries === undefined) return {};
  const configOptions = entries.flatMap(readOption);
  return {
    configOptions,
    ...namedBy(configOptions, 'mode', 'modes', 'modeId'),
    ...namedBy(configOptions, 'model', 'models', 'modelId'),
  };
}

/** Categories are a hint and may repeat: an option that also has the category's name as id comes first. */
export function optionOf(options: readonly ConfigOption[], category: 'mode' | 'model'): ConfigOption | undefined {
  const named = options.filter((option) => option.category === category);
  return named.find((option) => option.id === category) ?? named[0];
}

function namedBy(
  options: readonly ConfigOption[],
  category: 'mode' | 'model',
  choices: 'modes' | 'models',
  current: 'modeId' | 'modelId',
): Partial<SessionState> {
  const option = optionOf(options, category);
  if (option === undefined || typeof option.value !== 'string') return {};
  return { [choices]: option.options.map(({ group: _, ...choice }) => choice), [current]: option.value };
}

function readOption(option: JsonObject): readonly ConfigOption[] {
  const id = text(option, 'configId') ?? text(option, 'id');
  if (id === undefined) return [];
  const value = member(option, 'currentValue');
  return [
    {
      id,
      name: text(option, 'name') ?? id,
      category: text(option, 'category'),
      type: text(option, 'type') ?? '',
      value: typeof value === 'string' || typeof value === 'boolean' ? value : undefined,
      options: (objects(option, 'options') ?? []).flatMap(readOptionValues),
    },
  ];
}

function readOptionValues(entry: JsonObject): ConfigOption['options'] {
  const grouped = objects(entry, 'options');
  const group = text(entry, 'name') ?? text(entry, 'group') ?? text(entry, 'groupId') ?? '';
  if (grouped !== undefined)
    return grouped.flatMap((value) => readChoice(value, ['value']).map((choice) => ({ ...choice, group })));
  return readChoice(entry, ['value']);
}

function readChoices(parent: JsonObject, key: string, idKeys: readonly string[]): readonly Choice[] {
  return (objects(parent, key) ?? []).flatMap((entry) => readChoice(entry, idKeys));
}

function readChoice(entry: JsonObject, idKeys: readonly string[]): readonly Choice[] {
  const id = idKeys.map((key) => text(entry, key)).find((found) => found !== undefined);
  if (id === undefined) return [];
  const description = text(entry, 'description');
  return [{ id, name: text(entry, 'name') ?? id, ...(description === undefined ? {} : { description }) }];
}

/** Slash commands; nothing when there is no list. */
export function readCommands(source: JsonObject | undefined): Partial<SessionState> {
  const entries = objects(source, 'availableCommands');
  if (entries === undefined) return {};
  const commands: readonly Command[] = entries.flatMap((entry) => {
    const name = text(entry, 'name');
    const hint = text(object(entry, 'input'), 'hint');
    if (name === undefined) return [];
    return [{ name, description: text(entry, 'description') ?? '', ...(hint === undefined ? {} : { hint }) }];
  });
  return { commands };
}

/** `usage_update`: counts it does not give are not reported; the cost is cumulative, so the last one told stands. */
export function readUsage(update: JsonObject, before: Usage | undefined): Usage {
  const count = (key: string) => {
    const value = finite(update, key);
    return value !== undefined && value >= 0 ? value : undefined;
  };
  const cost = object(update, 'cost');
  const [amount, currency] = [finite(cost, 'amount'), text(cost, 'currency')];
  return {
    used: count('used'),
    size: count('size'),
    cost: amount === undefined ? before?.cost : { amount, currency: currency ?? '' },
  };
}

/** goose's own notification in the members of `usage_update`: its context is `contextLimit`, its cost a sum in dollars. */
export function gooseUsage(update: JsonObject | undefined): JsonObject {
  const cost = finite(update, 'accumulatedCost');
  return {
    ...update,
    size: finite(update, 'contextLimit') ?? finite(update, 'size'),
    ...(cost === undefined ? {} : { cost: { amount: cost, currency: 'USD' } }),
  };
}

/** Version and name out of an initialize answer (`agentInfo` in v1, `info` in v2, `serverInfo` in older agents). */
export function readInitialize(value: unknown): {
  readonly protocolVersion: number | undefined;
  readonly agentName: string | undefined;
  readonly agentVersion: string | undefined;
} {
  const result = asObject(value);
  const info = object(result, 'agentInfo') ?? object(result, 'info') ?? object(result, 'serverInfo');
  return {
    protocolVersion: finite(result, 'protocolVersion'),
    agentName: text(info, 'title') ?? text(info, 'name'),
    agentVersion: text(info, 'version'),
  };
}

/** Text of the text blocks a queued prompt has. */
export function readQueuedText(payload: JsonObject | undefined): string {
  const blocks = list(payload, 'content')?.flatMap((block) => text(asObject(block), 'text') ?? []);
  return text(payload, 'text') ?? blocks?.join('') ?? '';
}
