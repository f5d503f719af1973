/** What decides a permission request: the owner (`ask`), or a rule that needs nobody. */
export type PermissionPolicy = 'ask' | 'allow' | 'reject';

/** One rule on permission requests: what it decides, and what must all hold for it to. Globs: `*` within a path's part, `**` across. */
export interface PermissionRule {
  readonly decide: PermissionPolicy;
  /** Kinds of tool (ACP v1). */
  readonly kind?: readonly string[];
  /** Absolute. */
  readonly path?: string;
  /** `*` is anything. */
  readonly command?: string;
}

/** The kinds of tool calls of ACP v1. */
export const TOOL_KINDS: readonly string[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];
const POLICIES: readonly unknown[] = ['ask', 'allow', 'reject'];
const MEMBERS = ['decide', 'kind', 'path', 'command'];

/** Whether a value is one of the three policies. */
export function isPermissionPolicy(value: unknown): value is PermissionPolicy {
  return POLICIES.includes(value);
}

/** Reads one rule, `kind` as one text or a list; else a sentence that names the member and what was expected. Pure. */
export function readPermissionRule(entry: unknown): PermissionRule | string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'expected an object';
  const rule = entry as Record<string, unknown>;
  const { decide, path, command } = rule;
  const odd = Object.keys(rule).find((member) => !MEMBERS.includes(member));
  if (odd !== undefined) return `"${odd}" is not known; expected ${MEMBERS.join(', ')}`;
  if (!isPermissionPolicy(decide)) return 'decide: expected ask, allow or reject';
  const kind: unknown[] | undefined =
    rule.kind === undefined ? undefined : Array.isArray(rule.kind) ? rule.kind : [rule.kind];
  if (kind?.some((one) => typeof one !== 'string' || !TOOL_KINDS.includes(one)))
    return `kind: expected of ${TOOL_KINDS.join(', ')}`;
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
