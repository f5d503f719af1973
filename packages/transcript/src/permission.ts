import { readLocations, readToolContent } from './content.ts';
import { asObject, type JsonObject, jsonText, list, member, object, objects, text } from './json.ts';
import type { PermissionItem, PermissionOption, ToolContent, ToolItem } from './model.ts';
import { bindQuestion, decideQuestion, openQuestion, openSlot } from './question.ts';
import type { Step } from './step.ts';
import { memberText, placeTool, turnOfTool } from './tool-call.ts';
import { markRunning, speechTurn } from './turn.ts';

/** `session/request_permission`: a question, and the card of a tool call that was not seen before. */
export function reducePermissionRequest(step: Step, rpcId: string, params: JsonObject | undefined, line: string): void {
  const subject = object(params, 'subject');
  const path = object(params, 'toolCall') === undefined ? ['params', 'subject', 'toolCall'] : ['params', 'toolCall'];
  const call = object(params, 'toolCall') ?? object(subject, 'toolCall');
  const turn = speechTurn(step);
  markRunning(step, turn);
  const tool = call === undefined ? undefined : showTool(step, call, line, path);
  const itemId = `permission:${step.origin}`;
  const rawInput =
    call === undefined
      ? subject === undefined
        ? undefined
        : jsonText(subject)
      : (memberText(line, [...path, 'rawInput']) ?? tool?.rawInput);
  const content = readToolContent(list(call, 'content') ?? []);
  const locations = readLocations(member(call, 'locations'));
  step.place<PermissionItem>(turn, itemId, (before, stamp) => ({
    ...stamp,
    kind: 'permission',
    rpcId,
    request: { stream: step.stream, seq: step.first },
    toolCallId: text(call, 'toolCallId') ?? text(subject, 'toolCallId'),
    title: text(params, 'title') ?? text(call, 'title') ?? text(subject, 'command') ?? tool?.title ?? '',
    toolKind: text(call, 'kind') ?? tool?.toolKind ?? (text(subject, 'command') === undefined ? 'other' : 'execute'),
    // Agents ask with a title alone and have told the change before (codex): nobody can decide on a title.
    content: [...described(params), ...(content.length > 0 ? content : told(tool))],
    rawInput,
    locations: locations.length > 0 ? locations : (tool?.locations ?? []),
    options: readOptions(params),
    ...bindQuestion(step, before),
    decision: before?.decision,
  }));
  openQuestion(step, turn, itemId, rpcId);
}

function described(params: JsonObject | undefined): readonly ToolContent[] {
  const description = text(params, 'description');
  return description === undefined ? [] : [{ type: 'content', part: { type: 'text', text: description } }];
}

/** What the call has shown so far; its terminal stays its own. */
function told(tool: ToolItem | undefined): readonly ToolContent[] {
  return tool?.content.filter(({ type }) => type !== 'terminal') ?? [];
}

function readOptions(params: JsonObject | undefined): readonly PermissionOption[] {
  return (objects(params, 'options') ?? []).flatMap((option) => {
    const optionId = text(option, 'optionId');
    if (optionId === undefined) return [];
    return [{ optionId, name: text(option, 'name') ?? optionId, kind: text(option, 'kind') ?? '' }];
  });
}

/** The tool row a question is about: made when there is none; one that is there gets only what it lacks, never another face. */
function showTool(step: Step, call: JsonObject, line: string, path: readonly string[]): ToolItem | undefined {
  const toolCallId = text(call, 'toolCallId');
  if (toolCallId === undefined) return undefined;
  const turn = turnOfTool(step, toolCallId, call, false);
  const before = step.draft.item(turn, `tool:${toolCallId}`);
  if (before?.kind !== 'tool') placeTool(step, turn, toolCallId, call, line, path);
  else {
    const lacks = lacking(before, call);
    if (Object.keys(lacks).length > 0) placeTool(step, turn, toolCallId, lacks, line, path);
  }
  const after = step.draft.item(turn, `tool:${toolCallId}`);
  return after?.kind === 'tool' ? after : undefined;
}

function lacking(tool: ToolItem, call: JsonObject): JsonObject {
  const lacks: Record<string, boolean> = {
    title: tool.title === '',
    kind: tool.toolKind === 'other',
    content: tool.content.length === 0,
    locations: tool.locations.length === 0,
    rawInput: tool.rawInput === undefined,
  };
  return Object.fromEntries(Object.entries(call).filter(([key, value]) => value !== null && lacks[key] === true));
}

/** The answer that was written to the agent; `permission_terminal` tells more when it comes. */
export function reducePermissionAnswer(step: Step, rpcId: string, result: unknown): void {
  const slot = openSlot(step, 'permission', rpcId);
  if (slot === undefined) return;
  const outcome = object(asObject(result), 'outcome');
  const kind = text(outcome, 'outcome');
  const reason = kind === 'selected' ? 'unknown' : kind === 'cancelled' ? 'cancelled' : 'rejected';
  decideQuestion(step, slot, {
    reason,
    decidedBy: { who: step.event.via ?? 'client' },
    optionId: text(outcome, 'optionId'),
  });
}
