import { lineSha256 } from '@heliograph/wire/observer';
import { carryChanged, carryMore, type PermissionSlot } from './carry.ts';
import { readLocations, readToolContent } from './content.ts';
import { asObject, type JsonObject, jsonText, list, member, object, objects, text } from './json.ts';
import type { PermissionDecision, PermissionItem, PermissionOption, ToolContent, ToolItem } from './model.ts';
import type { Step } from './step.ts';
import { memberText, placeTool, turnOfTool } from './tool-call.ts';
import { markRunning, noteTurn, speechTurn } from './turn.ts';

/** `session/request_permission`: a question, and the card of a tool call that was not seen before. */
export function reducePermissionRequest(step: Step, rpcId: string, params: JsonObject | undefined, line: string): void {
  const { draft } = step;
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
      : memberText(line, [...path, 'rawInput']);
  step.place<PermissionItem>(turn, itemId, (before, stamp) => ({
    ...stamp,
    kind: 'permission',
    rpcId,
    request: { stream: step.stream, seq: step.first },
    toolCallId: text(call, 'toolCallId') ?? text(subject, 'toolCallId'),
    title: text(params, 'title') ?? text(call, 'title') ?? text(subject, 'command') ?? tool?.title ?? '',
    toolKind: text(call, 'kind') ?? tool?.toolKind ?? (text(subject, 'command') === undefined ? 'other' : 'execute'),
    content: [...described(params), ...readToolContent(list(call, 'content') ?? [])],
    rawInput,
    locations: readLocations(member(call, 'locations')),
    options: readOptions(params),
    state: before?.state ?? 'asked',
    nonce: before?.nonce,
    requestSha256: before?.requestSha256,
    lineSha256: lineSha256(step.event.payload),
    actionable: before?.actionable ?? false,
    expiresAt: before?.expiresAt,
    decision: before?.decision,
  }));
  const slot: PermissionSlot = { rpcId, nonce: undefined, turnId: draft.head(turn).id, itemId, open: true };
  draft.carry = { ...draft.carry, permissions: carryMore(draft.carry.permissions, slot) };
}

function described(params: JsonObject | undefined): readonly ToolContent[] {
  const description = text(params, 'description');
  return description === undefined ? [] : [{ type: 'content', part: { type: 'text', text: description } }];
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

/** `permission_pending`: the nonce a decision needs. Bound to the request by its seq, nothing weaker. */
export function reducePermissionPending(step: Step, payload: JsonObject | undefined): void {
  const { draft } = step;
  const nonce = text(payload, 'requestNonce');
  const seq = member(payload, 'requestSeq');
  if (nonce === undefined || typeof seq !== 'number') return;
  const itemId = `permission:${step.stream}:${seq}`;
  const known = draft.carry.permissions.findLast((slot) => slot.itemId === itemId);
  const found = draft.turnAt(known?.turnId);
  const turn = found >= 0 ? found : noteTurn(step);
  const told = {
    nonce,
    requestSha256: text(payload, 'requestSha256'),
    actionable: payload?.actionable === true,
    expiresAt: text(payload, 'expiresAt'),
  };
  step.place<PermissionItem>(turn, itemId, (before, stamp) => {
    if (before === undefined) return { ...unseenRequest(step, seq, payload), ...stamp, ...told };
    return { ...touchedBy(before, stamp), ...told, state: before.state === 'decided' ? 'decided' : 'pending' };
  });
  const slot: PermissionSlot = known ?? {
    rpcId: text(payload, 'rpcId') ?? '',
    nonce,
    turnId: draft.head(turn).id,
    itemId,
    open: true,
  };
  const others = draft.carry.permissions.filter((other) => other !== known);
  draft.carry = { ...draft.carry, permissions: carryMore(others, { ...slot, nonce }) };
}

/** The request's line is missing: the question is shown without what it asks. */
function unseenRequest(
  step: Step,
  seq: number,
  payload: JsonObject | undefined,
): Omit<PermissionItem, 'id' | 'refs' | 'at' | 'updatedAt'> {
  return {
    kind: 'permission',
    rpcId: text(payload, 'rpcId') ?? '',
    request: { stream: step.stream, seq },
    toolCallId: text(payload, 'toolCallId'),
    title: '',
    toolKind: 'other',
    content: [],
    rawInput: undefined,
    locations: [],
    options: [],
    state: 'pending',
    nonce: undefined,
    requestSha256: undefined,
    lineSha256: undefined,
    actionable: false,
    expiresAt: undefined,
    decision: undefined,
  };
}

/** A permission that is settled after its turn's end does not become late by that. */
function touchedBy(
  item: PermissionItem,
  stamp: { readonly refs: PermissionItem['refs']; readonly updatedAt: string },
): PermissionItem {
  return { ...item, refs: stamp.refs, updatedAt: stamp.updatedAt };
}

function decide(step: Step, slot: PermissionSlot, decision: PermissionDecision): void {
  const { draft } = step;
  const turn = draft.turnAt(slot.turnId);
  const item = turn < 0 ? undefined : draft.item(turn, slot.itemId);
  if (item?.kind === 'permission') {
    step.place<PermissionItem>(turn, slot.itemId, (before = item, stamp) => ({
      ...touchedBy(before, stamp),
      state: 'decided',
      decision: {
        ...decision,
        optionId: decision.optionId ?? before.decision?.optionId,
        decidedBy: decision.decidedBy ?? before.decision?.decidedBy,
      },
    }));
  }
  const permissions = carryChanged(
    draft.carry.permissions,
    (known) => known.itemId === slot.itemId,
    (known) => ({ ...known, open: false }),
  );
  draft.carry = { ...draft.carry, permissions };
}

/** The answer that was written to the agent; `permission_terminal` tells more when it comes. */
export function reducePermissionAnswer(step: Step, rpcId: string, result: unknown): void {
  const slot = openSlot(step, rpcId);
  if (slot === undefined) return;
  const outcome = object(asObject(result), 'outcome');
  const kind = text(outcome, 'outcome');
  const reason = kind === 'selected' ? 'unknown' : kind === 'cancelled' ? 'cancelled' : 'rejected';
  decide(step, slot, { reason, optionId: text(outcome, 'optionId'), decidedBy: { who: step.event.via ?? 'client' } });
}

/** The agent takes its question back (`$/cancel_request`). */
export function withdrawPermission(step: Step, rpcId: string): void {
  const slot = openSlot(step, rpcId);
  if (slot !== undefined) decide(step, slot, { reason: 'withdrawn', optionId: undefined, decidedBy: undefined });
}

/** The open question of this id. Where agents use an id twice only `permission_terminal`, by nonce, tells which it was. */
function openSlot(step: Step, rpcId: string): PermissionSlot | undefined {
  const open = step.draft.carry.permissions.filter((slot) => slot.open && slot.rpcId === rpcId);
  return open.length > 1 && open.every((slot) => slot.nonce !== undefined) ? undefined : open[0];
}

/** `permission_terminal`: how it ended, and who or what decided. */
export function reducePermissionTerminal(step: Step, payload: JsonObject | undefined): void {
  const nonce = text(payload, 'requestNonce');
  const slot = step.draft.carry.permissions.find((known) => nonce !== undefined && known.nonce === nonce);
  if (slot === undefined) return;
  const by = object(payload, 'decidedBy');
  const [who, viewer, rule] = [text(by, 'who'), text(by, 'viewer'), text(by, 'rule')];
  decide(step, slot, {
    reason: text(payload, 'reason') ?? 'unknown',
    optionId: text(payload, 'optionId'),
    decidedBy:
      who === undefined
        ? undefined
        : { who, ...(viewer === undefined ? {} : { viewer }), ...(rule === undefined ? {} : { rule }) },
  });
}

/** The agent is gone: nobody waits for these answers any more. */
export function abortPermissions(step: Step): void {
  for (const slot of step.draft.carry.permissions) {
    if (slot.open) decide(step, slot, { reason: 'aborted', optionId: undefined, decidedBy: undefined });
  }
}
