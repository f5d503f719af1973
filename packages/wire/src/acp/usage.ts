/**
 * What one turn, one model call or one session used. `null` is "not reported", never 0. `inputTokens` holds what was read
 * from and written to a cache too (NIP-AM); `costUsd` is in dollars.
 */
export interface UsageFigures {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly totalTokens: number | null;
  readonly costUsd: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
}

/** The members of `UsageFigures`. */
export const USAGE_KEYS = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'costUsd',
  'cacheReadTokens',
  'cacheWriteTokens',
] as const satisfies readonly (keyof UsageFigures)[];

/** Nothing was reported. */
export const NO_FIGURES: UsageFigures = figures(() => null);

/** More than any turn can use: a larger number is nonsense, and sums of a few thousand stay exact. */
export const MAX_TOKENS = 1e12;
/** In dollars. */
export const MAX_COST_USD = 1e9;

/** Figures by what `of` says of each member. */
export function figures(of: (key: keyof UsageFigures) => number | null): UsageFigures {
  return Object.fromEntries(USAGE_KEYS.map((key) => [key, of(key)])) as unknown as UsageFigures;
}

/** Whether anything at all was reported. */
export function hasFigures(value: UsageFigures): boolean {
  return USAGE_KEYS.some((key) => value[key] !== null);
}

/** Both together; what one of them does not report is not known of the sum either, and what is out of range is dropped. */
export function addFigures(a: UsageFigures, b: UsageFigures): UsageFigures {
  return figures((key) => {
    const [one, other] = [a[key], b[key]];
    return one === null || other === null ? null : inRange(key, one + other);
  });
}

/** A figure as an agent may send it: a whole number of tokens or an amount in dollars, within bounds; else null. */
export function readFigure(key: keyof UsageFigures, value: unknown): number | null {
  if (typeof value !== 'number') return null;
  return key === 'costUsd' || Number.isInteger(value) ? inRange(key, value) : null;
}

function inRange(key: keyof UsageFigures, value: number): number | null {
  // Written so that NaN is out of range.
  return value >= 0 && value <= (key === 'costUsd' ? MAX_COST_USD : MAX_TOKENS) ? value : null;
}

/** What a prompt's answer says of its turn; `model` only where a single one was used. */
export interface PromptUsage {
  readonly figures: UsageFigures;
  readonly model: string | null;
}

/**
 * Reads the result of session/prompt, whatever it is: ACP's `usage`, else the `_meta.quota.token_count` of gemini and the
 * adapters. One source a turn: parts that an agent lists beside its total (models, sub-agents) are never added to it.
 */
export function readPromptUsage(result: unknown): PromptUsage {
  const quota = member(member(result, '_meta'), 'quota');
  const standard = readTokens(member(result, 'usage'));
  const models = member(quota, 'model_usage');
  const only = Array.isArray(models) && models.length === 1 ? textOf(member(models[0], 'model')) : null;
  return { figures: hasFigures(standard) ? standard : readTokens(member(quota, 'token_count')), model: only };
}

/** What a notification says of usage: counters that run through the session, or one model call of the turn. */
export interface UsageNote {
  readonly counters: UsageFigures;
  readonly call: UsageFigures;
  readonly model: string | null;
}

/**
 * Reads a notification from the agent, whatever it is; undefined where it is not about usage. `usage_update.used` is how
 * full the context is, which is no usage; its cost and goose's `accumulated…` run through the session; qwen tells each call.
 */
export function readUsageNote(method: string, params: unknown): UsageNote | undefined {
  const update = member(params, 'update');
  const kind = member(update, 'sessionUpdate');
  const meta = member(update, '_meta');
  if (kind === 'usage_update' && method === 'session/update') {
    const counters = { ...NO_FIGURES, costUsd: readDollars(member(update, 'cost')) };
    return { counters, call: NO_FIGURES, model: textOf(member(meta, '_claude/model')) };
  }
  if (kind === 'usage_update' && method === '_goose/unstable/session/update') {
    const count = (key: keyof UsageFigures, ...names: string[]) => {
      const name = names.find((one) => member(update, `accumulated${one}`) !== undefined);
      return name === undefined ? null : readFigure(key, member(update, `accumulated${name}`));
    };
    const counters = {
      inputTokens: count('inputTokens', 'InputTokens'),
      outputTokens: count('outputTokens', 'OutputTokens'),
      totalTokens: count('totalTokens', 'TotalTokens'),
      costUsd: count('costUsd', 'Cost') ?? readDollars(member(update, 'cost')),
      cacheReadTokens: count('cacheReadTokens', 'CachedInput', 'CachedInputTokens'),
      cacheWriteTokens: count('cacheWriteTokens', 'CacheWrite', 'CacheWriteTokens'),
    };
    return { counters, call: NO_FIGURES, model: textOf(member(update, 'model')) };
  }
  const told = member(meta, 'usage');
  if (told === undefined || method !== 'session/update' || kind !== 'agent_message_chunk') return undefined;
  const call = readTokens(told);
  return hasFigures(call) ? { counters: NO_FIGURES, call, model: null } : undefined;
}

/** Token counts under the names agents give them. */
function readTokens(value: unknown): UsageFigures {
  const count = (key: keyof UsageFigures, ...names: string[]) => {
    const name = names.find((one) => member(value, one) !== undefined);
    return name === undefined ? null : readFigure(key, member(value, name));
  };
  const read: UsageFigures = {
    inputTokens: count('inputTokens', 'inputTokens', 'input_tokens'),
    outputTokens: count('outputTokens', 'outputTokens', 'output_tokens'),
    totalTokens: count('totalTokens', 'totalTokens', 'total_tokens'),
    costUsd: null,
    cacheReadTokens: count('cacheReadTokens', 'cachedReadTokens', 'cachedInputTokens'),
    cacheWriteTokens: count('cacheWriteTokens', 'cachedWriteTokens', 'cacheWriteInputTokens'),
  };
  const { inputTokens, outputTokens, totalTokens } = read;
  const cached = (read.cacheReadTokens ?? 0) + (read.cacheWriteTokens ?? 0);
  // Some count the cache within the input and some beside it: the total tells which.
  const isBeside = inputTokens !== null && outputTokens !== null && totalTokens === inputTokens + outputTokens + cached;
  return isBeside ? { ...read, inputTokens: inRange('inputTokens', inputTokens + cached) } : read;
}

function readDollars(cost: unknown): number | null {
  return member(cost, 'currency') === 'USD' ? readFigure('costUsd', member(cost, 'amount')) : null;
}

const MAX_MODEL_LENGTH = 200;

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MAX_MODEL_LENGTH ? value : null;
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
