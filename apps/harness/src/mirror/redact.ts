import { scanElements, scanMembers } from '@heliograph/wire';
import { REDACTED } from './secret-shapes.ts';

/** A line as observers get it: secrets replaced by token position, everything else the exact text it was. */
export interface RedactedLine {
  readonly text: string;
  /** JSON pointers of what was replaced. */
  readonly pointers: readonly string[];
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly pointer: string;
}

/** Without one of these no line holds anything to replace; any escape may hide one. */
const HINT = /"env"|"headers"|authMethods|authenticate|auth\/login|\\[u/]/;
/** The same for a line that can't be read as a whole; an escape in it counts where it may spell one of these. */
const HINT_IN_ENDS = /"env"|"headers"|authMethods|authenticate|auth\\?\/login|\\u00[4-7]/i;
const TOKEN = JSON.stringify(REDACTED);

/**
 * Replaces what ACP carries secrets in (HA7): values in `env` and `headers` of MCP servers, terminals,
 * providers and auth methods, and the credentials of `authenticate`. `text` is exactly one JSON value, BOM or not.
 */
export function redactLine(text: string): RedactedLine {
  if (!HINT.test(text)) return { text, pointers: [] };
  const cuts: Cut[] = [];
  const start = text.search(/\S/); // A BOM counts as space here.
  if (text[start] === '[') {
    for (const [index, element] of scanElements(text, start).entries())
      cutMessage(text, element.start, `/${index}`, cuts);
  } else cutMessage(text, start, '', cuts);
  let redacted = '';
  let at = 0;
  for (const { start, end } of cuts) {
    redacted += text.slice(at, start) + TOKEN;
    at = end;
  }
  return { text: redacted + text.slice(at), pointers: [...new Set(cuts.map(({ pointer }) => pointer))] };
}

/** The same of a value that was read already, such as an agent's answer. */
export function redactResult(result: unknown): unknown {
  return (JSON.parse(redactLine(JSON.stringify({ result })).text) as { result?: unknown }).result;
}

/** Whether the ends of a line too long to be held may show a part of such a secret: then they are not told. */
export function mayHoldSecrets(head: string, tail: string): boolean {
  return HINT_IN_ENDS.test(head) || HINT_IN_ENDS.test(tail);
}

function isLogin(method: unknown): boolean {
  return method === 'authenticate' || method === 'auth/login';
}

function cutMessage(text: string, start: number, pointer: string, cuts: Cut[]): void {
  if (text[start] !== '{') return;
  const { members } = scanMembers(text, start);
  const method = members.findLast(({ key }) => key === 'method');
  const login = method !== undefined && isLogin(JSON.parse(text.slice(method.valueStart, method.valueEnd)));
  for (const { key, valueStart } of members) {
    if (key === 'params') cutParams(text, valueStart, `${pointer}/params`, login, cuts);
    else if (key === 'result') cutResult(text, valueStart, `${pointer}/result`, cuts);
  }
}

function cutParams(text: string, start: number, pointer: string, login: boolean, cuts: Cut[]): void {
  if (text[start] !== '{') return;
  for (const { key, valueStart, valueEnd } of scanMembers(text, start).members) {
    const at = `${pointer}/${escapePointer(key)}`;
    if (key === 'mcpServers')
      cutEach(text, valueStart, at, (item, itemPointer) => cutServer(text, item, itemPointer, cuts));
    else if (key === 'env' || key === 'headers') cutValues(text, valueStart, at, cuts);
    else if (login && key !== 'methodId') cuts.push({ start: valueStart, end: valueEnd, pointer: at });
  }
}

function cutResult(text: string, start: number, pointer: string, cuts: Cut[]): void {
  if (text[start] !== '{') return;
  for (const { key, valueStart } of scanMembers(text, start).members) {
    if (key !== 'authMethods') continue;
    cutEach(text, valueStart, `${pointer}/authMethods`, (item, at) => cutServer(text, item, at, cuts));
  }
}

/** An MCP server or an auth method: both carry `env`, servers `headers`. */
function cutServer(text: string, start: number, pointer: string, cuts: Cut[]): void {
  if (text[start] !== '{') return;
  for (const { key, valueStart } of scanMembers(text, start).members) {
    if (key === 'env' || key === 'headers') cutValues(text, valueStart, `${pointer}/${key}`, cuts);
  }
}

/** A list of {name, value}, or a map from name to value. */
function cutValues(text: string, start: number, pointer: string, cuts: Cut[]): void {
  if (text[start] === '{') {
    for (const { key, valueStart, valueEnd } of scanMembers(text, start).members) {
      cuts.push({ start: valueStart, end: valueEnd, pointer: `${pointer}/${escapePointer(key)}` });
    }
    return;
  }
  cutEach(text, start, pointer, (item, at) => {
    if (text[item] !== '{') return;
    for (const { key, valueStart, valueEnd } of scanMembers(text, item).members) {
      if (key === 'value') cuts.push({ start: valueStart, end: valueEnd, pointer: `${at}/value` });
    }
  });
}

function cutEach(text: string, start: number, pointer: string, cut: (start: number, pointer: string) => void): void {
  if (text[start] !== '[') return;
  for (const [index, element] of scanElements(text, start).entries()) cut(element.start, `${pointer}/${index}`);
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
