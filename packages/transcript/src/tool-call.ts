import { scanMembers } from '@heliograph/wire/acp';
import { metaOf, readLocations, readToolContent } from './content.ts';
import { has, type JsonObject, object, text } from './json.ts';
import type { ToolItem, ToolStatus } from './model.ts';
import { reduceTodos } from './plan.ts';
import type { Stamp, Step } from './step.ts';
import { bindTerminals, readVendorTerminal } from './terminal.ts';
import { markRunning, rememberOpenTool, speechTurn } from './turn.ts';

/** What a tool call update is read with. */
interface ToolContext {
  /** From 2 on a null member clears; before, it keeps (ACP v2 patch rule). */
  readonly version: number;
  /** The exact JSON text of a member of the update. */
  readonly raw: (key: string) => string | undefined;
  /** What a call without a final status is, when its turn has ended. */
  readonly settled: 'cancelled' | 'unfinished' | undefined;
}

const OPEN: readonly string[] = ['pending', 'in_progress'];
const FINAL: readonly string[] = ['completed', 'failed', 'cancelled'];

/** A tool call with an update in it: absent members keep, arrays are replaced whole, nothing is merged deeply. */
function patchTool(
  before: ToolItem | undefined,
  stamp: Stamp,
  toolCallId: string,
  update: JsonObject,
  context: ToolContext,
): ToolItem {
  const patch = <T>(key: string, kept: T, cleared: T, read: (value: unknown) => T | undefined): T => {
    if (!has(update, key)) return kept;
    const value = update[key];
    if (value === null) return context.version >= 2 ? cleared : kept;
    return read(value) ?? kept;
  };
  const asText = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const raw = (key: string, kept: string | undefined) => patch(key, kept, undefined, () => context.raw(key));
  const title = patch('title', before?.title ?? '', '', asText);
  return {
    ...stamp,
    kind: 'tool',
    toolCallId,
    title: title === '' ? nameOf(update) : title,
    toolKind: patch('kind', before?.toolKind ?? 'other', 'other', asText),
    ...statusOf(before, stamp, text(update, 'status'), context.settled),
    content: patch('content', before?.content ?? [], [], (value) =>
      Array.isArray(value) ? readToolContent(value) : undefined,
    ),
    locations: patch('locations', before?.locations ?? [], [], (value) =>
      Array.isArray(value) ? readLocations(value) : undefined,
    ),
    rawInput: raw('rawInput', before?.rawInput),
    rawOutput: raw('rawOutput', before?.rawOutput),
    terminal: readVendorTerminal(before?.terminal, metaOf(update)),
    parentToolCallId: text(object(metaOf(update), 'claudeCode'), 'parentToolUseId') ?? before?.parentToolCallId,
  };
}

/** Agents that give no title name the tool in `name` or in its arguments. */
function nameOf(update: JsonObject): string {
  return text(update, 'name') ?? text(object(update, 'rawInput'), 'tool') ?? '';
}

function statusOf(
  before: ToolItem | undefined,
  stamp: Stamp,
  given: string | undefined,
  settled: ToolContext['settled'],
): Pick<ToolItem, 'status' | 'endedAt' | 'unknownStatus'> {
  const kept = before?.status ?? settled ?? 'pending';
  const status =
    (given !== undefined && FINAL.includes(given)) ||
    (given !== undefined && OPEN.includes(given) && settled === undefined)
      ? (given as ToolStatus)
      : kept;
  const known = given === undefined || OPEN.includes(given) || FINAL.includes(given);
  const unknownStatus = known ? (given === undefined ? before?.unknownStatus : undefined) : given;
  const endedAt = OPEN.includes(status) ? undefined : status === before?.status ? before.endedAt : stamp.updatedAt;
  return { status, endedAt, ...(unknownStatus === undefined ? {} : { unknownStatus }) };
}

/** `tool_call`, `tool_call_update`: both make or change the one row of that id. False without a toolCallId. */
export function reduceToolCall(step: Step, update: JsonObject, line: string, creates: boolean): boolean {
  const toolCallId = text(update, 'toolCallId');
  if (toolCallId === undefined) return false;
  const turn = turnOfTool(step, toolCallId, update, creates);
  placeTool(step, turn, toolCallId, update, line, ['params', 'update']);
  return true;
}

/** Makes or changes a tool row of a turn; `path` says where in `line` the update stands. */
export function placeTool(
  step: Step,
  turn: number,
  toolCallId: string,
  update: JsonObject,
  line: string,
  path: readonly string[],
): void {
  const { draft } = step;
  const item = step.place<ToolItem>(turn, `tool:${toolCallId}`, (before, stamp) =>
    patchTool(before, stamp, toolCallId, update, toolContext(step, turn, line, path)),
  );
  if (item.status === 'completed' || item.status === 'failed') forgetOpenTool(step, turn, item);
  else if (item.late === true) rememberOpenTool(step, draft.head(turn).id, item);
  bindTerminals(step, turn, item);
  // A sub-agent's list is not the plan of the turn.
  if (item.parentToolCallId === undefined) reduceTodos(step, turn, object(update, 'rawInput'));
}

function toolContext(step: Step, turn: number, line: string, path: readonly string[]): ToolContext {
  const head = step.draft.head(turn);
  const stopped = head.outcome === 'cancelled' || head.outcome === 'killed';
  return {
    version: step.draft.session.protocolVersion ?? 1,
    raw: (key) => memberText(line, [...path, key]),
    settled: step.isLate(turn) ? (stopped ? 'cancelled' : 'unfinished') : undefined,
  };
}

/** The agent gave a final status after the end: nothing is open about this call any more. */
function forgetOpenTool(step: Step, turn: number, item: ToolItem): void {
  const { draft } = step;
  if (draft.carry.tools.length === 0) return;
  const turnId = draft.head(turn).id;
  const tools = draft.carry.tools.filter((tool) => tool.toolCallId !== item.toolCallId || tool.turnId !== turnId);
  if (tools.length < draft.carry.tools.length) draft.carry = { ...draft.carry, tools };
}

/**
 * The turn whose row an update is about. A call that is not in the current turn may be one of an ended turn that still
 * runs; a whole new call under an old id is a new row.
 */
export function turnOfTool(step: Step, toolCallId: string, update: JsonObject, creates: boolean): number {
  const { draft } = step;
  const { carry } = draft;
  const id = `tool:${toolCallId}`;
  const current = speechTurn(step);
  markRunning(step, current);
  if (creates || draft.item(current, id) !== undefined) return current;
  const open = draft.turnAt(carry.tools.findLast((tool) => tool.toolCallId === toolCallId)?.turnId);
  if (open >= 0) return open;
  const last = draft.turnAt(carry.last?.turnId);
  const ended = last < 0 ? undefined : draft.item(last, id);
  if (ended?.kind !== 'tool') return current;
  const anew = text(update, 'title') !== undefined && !FINAL.includes(text(update, 'status') ?? '');
  return anew ? current : last;
}

/** v2 `tool_call_content_chunk`: one more content item. */
export function reduceToolContentChunk(step: Step, update: JsonObject): boolean {
  const toolCallId = text(update, 'toolCallId');
  if (toolCallId === undefined || !has(update, 'content')) return false;
  const turn = turnOfTool(step, toolCallId, update, false);
  const more = readToolContent([update.content]);
  const context: ToolContext = { ...toolContext(step, turn, '', []), raw: () => undefined };
  const item = step.place<ToolItem>(turn, `tool:${toolCallId}`, (before, stamp) => {
    const tool = patchTool(before, stamp, toolCallId, {}, context);
    return { ...tool, content: [...tool.content, ...more] };
  });
  bindTerminals(step, turn, item);
  return true;
}

/** The exact text of a member some objects down in JSON text; the last of duplicate keys, as JSON.parse has it. */
export function memberText(json: string, path: readonly string[]): string | undefined {
  let [start, end] = [0, json.length];
  for (const key of path) {
    if (json.slice(start, end).trimStart()[0] !== '{') return undefined;
    const found = scanMembers(json, start).members.findLast((member) => member.key === key);
    if (found === undefined) return undefined;
    [start, end] = [found.valueStart, found.valueEnd];
  }
  return json.slice(start, end);
}
