import {
  cameToNothing,
  exitCodeOf,
  type PermissionItem,
  type QuestionItem,
  refusedHeadline,
  selectDiffStats,
  selectHeadline,
  type ToolItem,
} from '@heliograph/transcript';

/** A tool call as a sentence: verb, object → outcome. */
export interface ToolSentence {
  readonly verb: string;
  /** A path, command, pattern or address, as it was written; else the agent's own title. */
  readonly object: string;
  /** Whether the object is code (path, command) rather than prose. */
  readonly isCode: boolean;
  readonly change: { readonly added: number; readonly removed: number } | undefined;
  /** What came of it, when that isn't plain success. */
  readonly outcome: string | undefined;
  readonly tone: 'plain' | 'bad' | 'muted';
}

const sentences = new WeakMap<ToolItem, { readonly cwd: string | undefined; readonly sentence: ToolSentence }>();

/** The sentence for a call. Items never change, so each is read once. */
export function toToolSentence(item: ToolItem, cwd: string | undefined): ToolSentence {
  const known = sentences.get(item);
  if (known !== undefined && known.cwd === cwd) return known.sentence;
  const { verb, object } = selectHeadline(item, cwd);
  const change = selectDiffStats(item);
  const sentence: ToolSentence = {
    verb,
    object,
    isCode: isCodeObject(item, object),
    // A long change is counted where it is compared: a rough count would say another number there.
    change: cameToNothing(item) || change?.exact === false ? undefined : change,
    outcome: toOutcome(item),
    tone: item.status === 'failed' ? 'bad' : isCutShort(item) ? 'muted' : 'plain',
  };
  sentences.set(item, { cwd, sentence });
  return sentence;
}

/** The sentence for a call that did not get leave: what was not done, and who or what said no. */
export function toRefusedSentence(item: ToolItem, refusal: PermissionItem, cwd: string | undefined): ToolSentence {
  return {
    ...toToolSentence(item, cwd),
    ...refusedHeadline(item, refusal, 'you'),
    change: undefined,
    tone: 'muted',
  };
}

/** Kinds whose object is a command, a path, a pattern or an address. */
const CODE_KINDS = new Set(['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch']);

function isCodeObject(item: ToolItem, object: string): boolean {
  if (item.toolKind === 'execute') return true;
  // Where nothing else names the object it is the agent's title: prose, unless it is one word.
  return CODE_KINDS.has(item.toolKind) && (object !== item.title.split('\n', 1)[0] || !/\s/.test(object));
}

function isCutShort(item: ToolItem): boolean {
  return item.status === 'cancelled' || item.status === 'unfinished';
}

function toOutcome(item: ToolItem): string | undefined {
  if (item.unknownStatus !== undefined) return item.unknownStatus;
  if (isCutShort(item)) return item.status === 'cancelled' ? 'cancelled' : 'ended without a result';
  const code = exitCodeOf(item);
  const signal = item.terminal?.signal;
  const exit =
    signal !== undefined ? `ended by ${signal}` : code === undefined || code === 0 ? undefined : `exit ${code}`;
  if (item.status !== 'failed') return exit;
  return exit === undefined ? 'failed' : `failed, ${exit}`;
}

const ASKS: Readonly<Record<string, readonly [verb: string, shortVerb: string]>> = {
  read: ['read a file', 'read'],
  edit: ['edit a file', 'edit'],
  delete: ['delete a file', 'delete'],
  move: ['move a file', 'move'],
  search: ['search', 'search for'],
  execute: ['run a command', 'run'],
  think: ['think', 'think about'],
  fetch: ['fetch something', 'fetch'],
  switch_mode: ['switch its mode', 'switch its mode:'],
};
const ASKS_OTHER = ['use a tool', 'use'] as const;

/** What a permission asks for: `run a command`, and apart from it what that is about. */
export interface PermissionQuestion {
  readonly verb: string;
  readonly object: string;
  readonly isCode: boolean;
  /** The verb before a piece of code: `run`. */
  readonly shortVerb: string;
  /** The whole command or the whole path, never shortened: what a decision is about. */
  readonly subject: string;
}

/** What a question of the agent's is, in a list of many: `wants to run`, and apart from it what that is about. */
export function toAsk(
  item: QuestionItem,
  cwd: string | undefined,
): { readonly ask: string; readonly object: string; readonly isCode: boolean } {
  if (item.kind === 'elicitation')
    return { ask: 'asks you:', object: item.message || item.url || 'a form', isCode: false };
  const { verb, shortVerb, object, isCode } = toPermissionQuestion(item, cwd);
  return { ask: `wants to ${isCode ? shortVerb : verb}`, object, isCode };
}

const questions = new WeakMap<
  PermissionItem,
  { readonly cwd: string | undefined; readonly question: PermissionQuestion }
>();

export function toPermissionQuestion(item: PermissionItem, cwd: string | undefined): PermissionQuestion {
  const known = questions.get(item);
  if (known !== undefined && known.cwd === cwd) return known.question;
  const call = toCall(item);
  const { object } = selectHeadline(call, cwd);
  const command = item.toolKind === 'execute' ? toCommand(item.rawInput) : undefined;
  const [verb, shortVerb] = (Object.hasOwn(ASKS, item.toolKind) ? ASKS[item.toolKind] : undefined) ?? ASKS_OTHER;
  const question = {
    verb,
    shortVerb,
    object,
    isCode: isCodeObject(call, object),
    subject: command ?? wholeObject(call),
  };
  questions.set(item, { cwd, question });
  return question;
}

/** What a call is about, never shortened; '' when the agent said nothing of it. */
function wholeObject(call: ToolItem): string {
  if (call.toolKind === 'execute') return call.title;
  const { object } = selectHeadline(call);
  // Without anything else a headline falls back on the kind: no subject.
  return call.title === '' && object === call.toolKind ? '' : object;
}

/** The call a request speaks of, as far as the request itself tells. */
function toCall(item: PermissionItem): ToolItem {
  return {
    ...item,
    kind: 'tool',
    toolCallId: item.toolCallId ?? '',
    status: 'pending',
    rawOutput: undefined,
    terminal: undefined,
    parentToolCallId: undefined,
    endedAt: undefined,
  };
}

/** The command of an execute call in full: text as given, words quoted as a shell would need them. */
function toCommand(rawInput: string | undefined): string | undefined {
  let input: unknown;
  try {
    input = JSON.parse(rawInput ?? 'null');
  } catch {
    return undefined; // Shown raw below.
  }
  const { command, cmd, args } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const value = command ?? cmd;
  if (Array.isArray(value) && value.length > 0) return value.map((word) => quote(String(word))).join(' ');
  if (typeof value !== 'string' || value === '') return undefined;
  const words = Array.isArray(args) ? args.map((word) => quote(String(word))) : [];
  return [value, ...words].join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A path as seen from the session's folder; paths outside it stay whole. */
export function relativeTo(cwd: string | undefined, path: string): string {
  if (cwd === undefined || cwd === '' || cwd === '/') return path;
  const folder = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return path.startsWith(folder) && path.length > folder.length ? path.slice(folder.length) : path;
}

/** The folder that all paths are in, with its slash; undefined when there is none to name. */
export function commonFolder(paths: readonly string[]): string | undefined {
  const [first, ...others] = paths;
  if (first === undefined) return undefined;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  while (folder !== '' && !others.every((path) => path.startsWith(folder))) {
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  }
  return folder === '' || folder === '/' ? undefined : folder;
}
