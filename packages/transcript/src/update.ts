import { asObject, type JsonObject, object, text } from './json.ts';
import { reduceChunk, reduceMessage } from './message.ts';
import type { RawItem } from './model.ts';
import { reduceCompaction, reduceNotice } from './notice.ts';
import { reducePlan, reducePlanRemoved, reducePlanUpdate } from './plan.ts';
import { reduceSessionUpdate } from './session.ts';
import { reduceState } from './state.ts';
import type { Step } from './step.ts';
import { reduceTerminalChunk, reduceTerminalUpdate } from './terminal.ts';
import { readToldMode } from './told-mode.ts';
import { reduceToolCall, reduceToolContentChunk } from './tool-call.ts';
import { speechTurn } from './turn.ts';
import { reduceVendorNotice } from './vendor-notice.ts';

/** One `session/update`, of whatever session: the harness decided whose it is. What is not understood becomes a raw row. */
export function reduceUpdate(step: Step, params: JsonObject | undefined, line: string): void {
  const update = object(params, 'update') ?? {};
  const kind = text(update, 'sessionUpdate') ?? '';
  if (!reduceKnown(step, kind, update, line))
    placeRaw(step, speechTurn(step), kind === '' ? 'session/update' : kind, line);
}

/** The kind of a `session/update` params, '' when it has none. */
export function updateKind(params: unknown): string {
  return text(object(asObject(params), 'update'), 'sessionUpdate') ?? '';
}

/** False for kinds and shapes we do not know. */
function reduceKnown(step: Step, kind: string, update: JsonObject, line: string): boolean {
  switch (kind) {
    case 'user_message_chunk':
      return reduceChunk(step, 'user', update);
    case 'agent_message_chunk': {
      const currentModeId = readToldMode(step, update);
      if (currentModeId === undefined) return reduceVendorNotice(step, update) || reduceChunk(step, 'agent', update);
      return reduceSessionUpdate(step, 'current_mode_update', { currentModeId });
    }
    case 'session_info_update':
      reduceVendorNotice(step, update);
      return reduceSessionUpdate(step, kind, update);
    case 'agent_thought_chunk':
      return reduceChunk(step, 'thought', update);
    case 'user_message':
      return reduceMessage(step, 'user', update);
    case 'agent_message':
      return reduceMessage(step, 'agent', update);
    case 'agent_thought':
      return reduceMessage(step, 'thought', update);
    case 'tool_call':
      return reduceToolCall(step, update, line, true);
    case 'tool_call_update':
      return reduceToolCall(step, update, line, false);
    case 'tool_call_content_chunk':
      return reduceToolContentChunk(step, update);
    case 'terminal_update':
      return reduceTerminalUpdate(step, update);
    case 'terminal_output_chunk':
      return reduceTerminalChunk(step, update);
    case 'plan':
      return reducePlan(step, update);
    case 'plan_update':
      return reducePlanUpdate(step, update);
    case 'plan_removed':
      return reducePlanRemoved(step, update);
    case 'state_update':
      return reduceState(step, update);
    case 'notice':
      return reduceNotice(step, update);
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return reduceCompaction(step, update);
    default:
      return reduceSessionUpdate(step, kind, update);
  }
}

/** A row for what this viewer does not know. */
export function placeRaw(step: Step, turn: number, label: string, json: string): void {
  step.place<RawItem>(turn, `raw:${step.origin}`, (_, stamp) => ({ ...stamp, kind: 'raw', label, json }));
}
