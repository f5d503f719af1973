import { posix } from 'node:path';
import { err, ok, type Result } from '@heliograph/wire';
import type { PermissionPolicy } from '../options.ts';

/** One line of a rules file: what it decides, and what must all hold for it to. Globs: `*` within a path's part, `**` across. */
export interface PermissionRule {
  readonly decide: PermissionPolicy;
  /** Kinds of tool (ACP v1). */
  readonly kind?: readonly string[];
  readonly path?: string;
  /** `*` is anything. */
  readonly command?: string;
}

const KINDS = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'];
const MEMBERS = ['decide', 'kind', 'path', 'command'];
/** What makes one command line more than one command, or another than it looks. */
const SHELL = /[;&|`$<>()\n\r\\]/;

const PATH_LIKE = /^(?:[~/]|[^\n]*\.\.\/)[^\n]*$/;

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
    const rule = readRule(entry);
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
    const isKnown = kind !== undefined && KINDS.includes(kind);
    return { decide: allows && !isKnown ? 'ask' : rule.decide, number: at + 1 };
  }
  return undefined;
}

function readRule(entry: unknown): PermissionRule | string {
  const rule = asRecord(entry);
  const { decide, path, command } = rule;
  const odd = Object.keys(rule).find((member) => !MEMBERS.includes(member));
  if (odd !== undefined) return `"${odd}" is not known; expected ${MEMBERS.join(', ')}`;
  if (decide !== 'ask' && decide !== 'allow' && decide !== 'reject') return 'decide: expected ask, allow or reject';
  const kind: unknown[] | undefined =
    rule.kind === undefined ? undefined : Array.isArray(rule.kind) ? rule.kind : [rule.kind];
  if (kind?.some((one) => typeof one !== 'string' || !KINDS.includes(one)))
    return `kind: expected of ${KINDS.join(', ')}`;
  if (path !== undefined && (typeof path !== 'string' || !path.startsWith('/')))
    return 'path: expected an absolute path';
  if (command !== undefined && (typeof command !== 'string' || command === '')) return 'command: expected text';
  return {
    decide,
    ...(kind !== undefined ? { kind: kind as string[] } : {}),
    ...(path !== undefined ? { path } : {}),
    ...(command !== undefined ? { command } : {}),
  };
}

/** To allow, every path must fit; to reject or ask, one is enough. */
function fitsPath(glob: string, paths: readonly string[], allows: boolean, cwd: string): boolean {
  const pattern = toPattern(glob, '[^/]*');
  const fits = (path: string) => posix.isAbsolute(path) && pattern.test(posix.normalize(path));
  return allows ? paths.length > 0 && paths.every(fits) : paths.some((path) => fits(posix.resolve(cwd, path)));
}

function fitsCommand(glob: string, command: string | undefined, allows: boolean): boolean {
  if (command === undefined || (allows && SHELL.test(command))) return false;
  return toPattern(glob, '.*').test(command);
}

function toPattern(glob: string, star: string): RegExp {
  const parts = glob.split(/(\*+)/).map((part) => {
    if (!part.startsWith('*')) return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    return part.length > 1 ? '.*' : star;
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

function readPaths(call: Record<string, unknown>, input: Record<string, unknown>): readonly string[] {
  const named = Array.isArray(call.locations) ? call.locations.map((location) => asRecord(location).path) : [];
  const given = ['path', 'file_path', 'filePath', 'filepath'].map((member) => input[member]);
  const diffs = Array.isArray(call.content) ? call.content.map((block) => asRecord(block).path) : [];
  return [...named, ...given, ...diffs].filter((path): path is string => typeof path === 'string');
}

/** Whatever else of the input looks like a path, wherever it stands: where a file is moved to, for one. */
function readPathLike(value: unknown): readonly string[] {
  if (typeof value === 'string') return PATH_LIKE.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(readPathLike);
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
