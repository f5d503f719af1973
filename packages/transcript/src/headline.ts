import { asObject, finite, type JsonObject, list, object, text } from './json.ts';
import { type DiffStats, diffStats } from './line-diff.ts';
import type { ToolItem } from './model.ts';
import { readTodos } from './plan.ts';

/** A tool call as a sentence: verb, object → outcome. `outcome` is '' while there is none to tell. */
export interface Headline {
  readonly verb: string;
  readonly object: string;
  readonly outcome: string;
}

/** Arguments longer than this are not read for a headline. */
const MAX_READ = 65_536;

/** Verbs by ACP tool kind: while it runs, and when it is over. */
const VERBS: Readonly<Record<string, readonly [running: string, over: string]>> = {
  read: ['Reading', 'Read'],
  edit: ['Editing', 'Edited'],
  delete: ['Deleting', 'Deleted'],
  move: ['Moving', 'Moved'],
  search: ['Searching', 'Searched'],
  execute: ['Running', 'Ran'],
  think: ['Working on', 'Worked on'],
  fetch: ['Fetching', 'Fetched'],
  switch_mode: ['Switching mode', 'Switched mode'],
  other: ['Using', 'Used'],
};

/** The headline of a tool call; paths inside `cwd` are shown relative to it. Cost: bounded, whatever the agent sent. */
export function selectHeadline(tool: ToolItem, cwd?: string): Headline {
  const running = tool.status === 'pending' || tool.status === 'in_progress';
  const input = readJson(tool.rawInput);
  const isPlan = readTodos(input) !== undefined;
  const verbs = VERBS[Object.hasOwn(VERBS, tool.toolKind) ? tool.toolKind : 'other'];
  const [doing, done] = (isPlan ? (['Updating', 'Updated'] as const) : verbs) ?? ['Using', 'Used'];
  return {
    verb: running || cameToNothing(tool) ? doing : done,
    object: isPlan ? 'its plan' : objectOf(tool, input, cwd),
    outcome: outcomeOf(tool),
  };
}

/** Whether a call is over without having been carried out: "Editing … → failed". A command that failed did run. */
export function cameToNothing({ status, toolKind }: ToolItem): boolean {
  if (status === 'failed') return toolKind !== 'execute';
  return status === 'cancelled' || status === 'unfinished';
}

function objectOf(tool: ToolItem, input: JsonObject | undefined, cwd: string | undefined): string {
  const said = firstLine(tool.title);
  switch (tool.toolKind) {
    case 'read':
    case 'edit':
    case 'delete':
    case 'move':
      return pathsOf(tool, input, cwd) ?? fallback(tool, said);
    case 'execute':
      return commandOf(input) ?? fallback(tool, said);
    case 'search':
      return text(input, 'query') ?? text(input, 'pattern') ?? fallback(tool, said);
    case 'fetch':
      return text(input, 'url') ?? fallback(tool, said);
    default:
      return fallback(tool, said);
  }
}

function fallback(tool: ToolItem, title: string): string {
  return title === '' ? tool.toolKind : title;
}

function pathsOf(tool: ToolItem, input: JsonObject | undefined, cwd: string | undefined): string | undefined {
  const diffs = tool.content.flatMap((content) => (content.type === 'diff' ? [content.path] : []));
  const named = ['path', 'file_path', 'filePath', 'abs_path', 'absolute_path'].flatMap((key) => text(input, key) ?? []);
  const paths = [...new Set([...diffs, ...tool.locations.map(({ path }) => path), ...named])];
  const [first] = paths;
  if (first === undefined) return undefined;
  const shown = relative(first, cwd);
  return diffs.length > 1 ? `${shown} and ${diffs.length - 1} more` : shown;
}

function relative(path: string, cwd: string | undefined): string {
  const root = cwd === undefined || cwd.endsWith('/') ? cwd : `${cwd}/`;
  return root !== undefined && root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
}

function commandOf(input: JsonObject | undefined): string | undefined {
  const command = text(input, 'command') ?? text(input, 'cmd');
  if (command !== undefined) return firstLine(command);
  const words = (list(input, 'command') ?? list(input, 'commands') ?? []).filter((word) => typeof word === 'string');
  // `bash -lc "…"`: what is run is the script.
  const script = words.length === 3 && /^-\w*c$/.test(words[1] ?? '') ? words[2] : undefined;
  return words.length === 0 ? undefined : firstLine(script ?? words.join(' '));
}

function firstLine(said: string): string {
  return said.split('\n', 1)[0] ?? '';
}

function outcomeOf(tool: ToolItem): string {
  const parts: string[] = [];
  if (tool.status === 'failed' || tool.status === 'cancelled' || tool.status === 'unfinished') parts.push(tool.status);
  const exit = exitCodeOf(tool);
  if (exit !== undefined && exit !== 0) parts.push(`exit ${exit}`);
  if (tool.terminal?.signal !== undefined) parts.push(tool.terminal.signal);
  const stats = selectDiffStats(tool);
  if (stats?.exact === true && !cameToNothing(tool)) parts.push(`+${stats.added} −${stats.removed}`);
  return parts.join(', ');
}

/** The exit code of the command a tool call ran, `undefined` when none was told. */
export function exitCodeOf(tool: ToolItem): number | undefined {
  const output = readJson(tool.rawOutput);
  // opencode tells it beside the output, as `exit`.
  const told = [finite(output, 'exit_code'), finite(output, 'exitCode'), finite(object(output, 'metadata'), 'exit')];
  return tool.terminal?.exitCode ?? told.find((code) => code !== undefined);
}

const counted = new WeakMap<ToolItem, DiffStats | undefined>();

/** Lines added and removed by all diffs of a tool call, `undefined` when it has none. Counted once for the same item. */
export function selectDiffStats(tool: ToolItem): DiffStats | undefined {
  if (!counted.has(tool)) counted.set(tool, countDiffs(tool));
  return counted.get(tool);
}

function countDiffs(tool: ToolItem): DiffStats | undefined {
  let sum: DiffStats | undefined;
  for (const content of tool.content) {
    if (content.type !== 'diff') continue;
    const { added, removed, exact } = diffStats(content.oldText ?? '', content.newText);
    sum = {
      added: added + (sum?.added ?? 0),
      removed: removed + (sum?.removed ?? 0),
      exact: exact && sum?.exact !== false,
    };
  }
  return sum;
}

function readJson(json: string | undefined): JsonObject | undefined {
  if (json === undefined || json.length > MAX_READ) return undefined;
  try {
    return asObject(JSON.parse(json));
  } catch {
    return undefined; // Shown raw below the headline.
  }
}
