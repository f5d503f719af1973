import { decodeBase64, decodeUtf8 } from './bytes.ts';
import { carryMore, type TerminalSlot } from './carry.ts';
import { finite, has, type JsonObject, object, text } from './json.ts';
import type { Terminal, ToolItem } from './model.ts';
import type { Step } from './step.ts';

const EMPTY: Terminal = { output: '', exitCode: undefined, signal: undefined };

/** A tool's terminal with what the update's `_meta` says of it (claude, codex and pi show terminals of their own so). */
export function readVendorTerminal(before: Terminal | undefined, meta: JsonObject | undefined): Terminal | undefined {
  const info = object(meta, 'terminal_info');
  const output = text(object(meta, 'terminal_output'), 'data') ?? text(object(meta, 'terminal_output_delta'), 'data');
  const exit = object(meta, 'terminal_exit');
  if (info === undefined && output === undefined && exit === undefined) return before;
  const terminal = before ?? EMPTY;
  return {
    output: output === undefined ? terminal.output : terminal.output + output,
    exitCode: finite(exit, 'exit_code') ?? terminal.exitCode,
    signal: text(exit, 'signal') ?? terminal.signal,
  };
}

/** Terminals a tool call shows belong to it from now on; what they said before comes along. */
export function bindTerminals(step: Step, turn: number, item: ToolItem): void {
  for (const content of item.content) {
    if (content.type !== 'terminal') continue;
    const slot = slotOf(step, content.terminalId);
    if (slot?.itemId === item.id && slot.turnId === step.draft.head(turn).id) continue;
    const state = slot?.state ?? EMPTY;
    setSlot(step, { ...emptySlot(content.terminalId), ...slot, turnId: step.draft.head(turn).id, itemId: item.id });
    if (slot !== undefined && state !== EMPTY)
      step.place<ToolItem>(turn, item.id, (before) => ({ ...(before ?? item), terminal: state }));
  }
}

/** What changes in a terminal: `bytes` are base64, added at the end or instead of what was there. */
interface TerminalChange {
  readonly bytes?: { readonly base64: string; readonly replace: boolean };
  readonly text?: string;
  readonly exit?: JsonObject;
}

function changeTerminal(step: Step, terminalId: string, change: TerminalChange): void {
  const slot = slotOf(step, terminalId) ?? emptySlot(terminalId);
  const turn = step.draft.turnAt(slot.turnId);
  const item = turn < 0 || slot.itemId === undefined ? undefined : step.draft.item(turn, slot.itemId);
  const tool = item?.kind === 'tool' ? item : undefined;
  const { state, tail } = nextState(tool?.terminal ?? slot.state, slot.tail, change);
  setSlot(step, { ...slot, state, tail });
  if (tool !== undefined) step.place<ToolItem>(turn, tool.id, (_, stamp) => ({ ...tool, ...stamp, terminal: state }));
}

function nextState(
  before: Terminal,
  tail: readonly number[],
  change: TerminalChange,
): { state: Terminal; tail: readonly number[] } {
  let output = change.text ?? before.output;
  let rest = tail;
  if (change.bytes !== undefined) {
    const kept = change.bytes.replace ? [] : tail;
    const decoded = decodeUtf8(decodeBase64(change.bytes.base64), kept);
    output = (change.bytes.replace ? '' : output) + decoded.text;
    rest = decoded.tail;
  }
  const exitCode = finite(change.exit, 'exitCode') ?? before.exitCode;
  const signal = text(change.exit, 'signal') ?? before.signal;
  return { state: { output, exitCode, signal }, tail: rest };
}

/** v2 `terminal_update`: command, whole output, exit. */
export function reduceTerminalUpdate(step: Step, update: JsonObject): boolean {
  const terminalId = text(update, 'terminalId');
  if (terminalId === undefined) return false;
  const base64 = text(object(update, 'output'), 'data');
  const exit = object(update, 'exitStatus');
  changeTerminal(step, terminalId, {
    ...(base64 === undefined ? {} : { bytes: { base64, replace: true } }),
    ...(exit === undefined ? {} : { exit }),
  });
  return true;
}

/** v2 `terminal_output_chunk`: bytes that may cut a character in two. */
export function reduceTerminalChunk(step: Step, update: JsonObject): boolean {
  const terminalId = text(update, 'terminalId');
  const base64 = text(update, 'data');
  if (terminalId === undefined || base64 === undefined) return false;
  changeTerminal(step, terminalId, { bytes: { base64, replace: false } });
  return true;
}

/** The client's answer to an agent's terminal/create, terminal/output or terminal/wait_for_exit (ACP v1). */
export function reduceTerminalAnswer(
  step: Step,
  method: string,
  terminalId: string | undefined,
  result: JsonObject | undefined,
): void {
  const id = method === 'terminal/create' ? text(result, 'terminalId') : terminalId;
  if (id === undefined || result === undefined) return;
  const output = method === 'terminal/output' ? text(result, 'output') : undefined;
  const exit = method === 'terminal/wait_for_exit' ? result : object(result, 'exitStatus');
  changeTerminal(step, id, {
    ...(output === undefined ? {} : { text: output }),
    ...(exit === undefined || !(has(exit, 'exitCode') || has(exit, 'signal')) ? {} : { exit }),
  });
}

function slotOf(step: Step, terminalId: string): TerminalSlot | undefined {
  return step.draft.carry.terminals.findLast((slot) => slot.terminalId === terminalId);
}

function emptySlot(terminalId: string): TerminalSlot {
  return { terminalId, turnId: undefined, itemId: undefined, state: EMPTY, tail: [] };
}

function setSlot(step: Step, slot: TerminalSlot): void {
  const { draft } = step;
  const others = draft.carry.terminals.filter((known) => known.terminalId !== slot.terminalId);
  draft.carry = { ...draft.carry, terminals: carryMore(others, slot) };
}
