import { posix } from 'node:path';
import {
  err,
  ok,
  type PermissionPolicy,
  type PermissionRule,
  type Result,
  readPermissionRule,
  TOOL_KINDS,
} from '@heliograph/wire';

/** What makes one command line more than one command, or another than it looks. */
const SHELL = /[;&|`$<>()\n\r\\]/;

/** Reads a rules file: a JSON list, asked in its order. The error names the entry and what was expected. */
export function parsePermissionRules(text: string): Result<readonly PermissionRule[], { readonly message: string }> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return err({ message: 'expected JSON: a list of rules like {"decide": "allow", "kind": "read"}' });
  }
  if (!Array.isArray(value)) return err({ message: 'expected a list of rules' });
  const rules: PermissionRule[] = [];
  for (const [at, entry] of value.entries()) {
    const rule = readPermissionRule(entry);
    if (typeof rule === 'string') return err({ message: `rule ${at + 1}: ${rule}` });
    rules.push(rule);
  }
  return ok(rules);
}

/**
 * What the first rule that fits decides, and its number from 1; undefined where none fits. `params` are those of
 * session/request_permission. A rule allows only what it can see wholly: a tool of unknown kind, a path outside, or a
 * command line that may hold another command is asked about instead. Pure.
 */
export function decideByRules(
  rules: readonly PermissionRule[],
  params: unknown,
  cwd: string,
): { readonly decide: PermissionPolicy; readonly number: number } | undefined {
  const call = asRecord(asRecord(params).toolCall);
  const input = asRecord(call.rawInput);
  const kind = typeof call.kind === 'string' ? call.kind : undefined;
  const paths = [...readPaths(call, input), ...readPathLike(input)];
  const command = readCommand(input);
  for (const [at, rule] of rules.entries()) {
    const allows = rule.decide === 'allow';
    if (rule.kind !== undefined && (kind === undefined || !rule.kind.includes(kind))) continue;
    if (rule.path !== undefined && !fitsPath(rule.path, paths, allows, cwd)) continue;
    if (rule.command !== undefined && !fitsCommand(rule.command, command, allows)) continue;
    const isKnown = kind !== undefined && TOOL_KINDS.includes(kind);
    return { decide: allows && !isKnown ? 'ask' : rule.decide, number: at + 1 };
  }
  return undefined;
}

/** To allow, every path must fit; to reject or ask, one is enough. */
function fitsPath(glob: string, paths: readonly string[], allows: boolean, cwd: string): boolean {
  const fits = (path: string) =>
    posix.isAbsolute(path) && fitsGlob(glob, posix.normalize(path), (char) => char !== '/');
  return allows ? paths.length > 0 && paths.every(fits) : paths.some((path) => fits(posix.resolve(cwd, path)));
}

function fitsCommand(glob: string, command: string | undefined, allows: boolean): boolean {
  if (command === undefined || (allows && SHELL.test(command))) return false;
  return fitsGlob(glob, command, () => true);
}

/**
 * Whether the whole text fits: `**` is anything, `*` any run of characters that `isInPart`. All ways to read it are followed
 * at once, a character at a time: the text is the agent's, and a matcher that goes back would let it take hours.
 */
function fitsGlob(glob: string, text: string, isInPart: (char: string) => boolean): boolean {
  const tokens = glob.match(/\*+|[^*]/gs) ?? [];
  const reachedAt = new Int32Array(tokens.length + 1).fill(-1);
  let places: number[] = [];
  const reach = (place: number, at: number, into: number[]) => {
    for (let next = place; reachedAt[next] !== at; next++) {
      reachedAt[next] = at;
      into.push(next);
      if (tokens[next]?.startsWith('*') !== true) return;
    }
  };
  reach(0, 0, places);
  for (let at = 0; at < text.length && places.length > 0; at++) {
    const char = text.charAt(at);
    const next: number[] = [];
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if (token.startsWith('*')) {
        if (token.length > 1 || isInPart(char)) reach(place, at + 1, next);
      } else if (token === char) reach(place + 1, at + 1, next);
    }
    places = next;
  }
  return places.includes(tokens.length);
}

function readPaths(call: Record<string, unknown>, input: Record<string, unknown>): readonly string[] {
  const named = Array.isArray(call.locations) ? call.locations.map((location) => asRecord(location).path) : [];
  const given = ['path', 'file_path', 'filePath', 'filepath'].map((member) => input[member]);
  const diffs = Array.isArray(call.content) ? call.content.map((block) => asRecord(block).path) : [];
  return [...named, ...given, ...diffs].filter((path): path is string => typeof path === 'string');
}

/** Whatever else of the input looks like a path, wherever it stands: where a file is moved to, for one. */
function readPathLike(value: unknown): readonly string[] {
  if (typeof value === 'string') return isPathLike(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(readPathLike);
}

function isPathLike(text: string): boolean {
  return /^[~/]/.test(text) || text.includes('../') ? !text.includes('\n') : false;
}

function readCommand({ command, cmd }: Record<string, unknown>): string | undefined {
  const line = command ?? cmd;
  if (typeof line === 'string') return line;
  if (!Array.isArray(line) || !line.every((word) => typeof word === 'string')) return undefined;
  return line.join(' ');
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
