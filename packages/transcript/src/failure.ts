import { asObject, bounded, finite, type JsonObject, jsonText, member, text } from './json.ts';
import type { ErrorItem } from './model.ts';
import type { Step } from './step.ts';
import { changeOpen, noteTurn } from './turn.ts';

/** UTF-16 units of an offending line that are kept; the raw lines have all of it. */
const MAX_DETAIL = 4_096;
const MAX_MESSAGE = 8_192;

/** Puts an error into a turn. */
export function placeError(
  step: Step,
  turn: number,
  error: Pick<ErrorItem, 'outcome' | 'message'> & Partial<Pick<ErrorItem, 'code' | 'hint' | 'detail'>>,
  id = `error:${step.origin}`,
): void {
  step.place<ErrorItem>(turn, id, (_, stamp) => ({
    ...stamp,
    kind: 'error',
    outcome: error.outcome,
    message: bounded(error.message, MAX_MESSAGE),
    code: error.code,
    hint: error.hint,
    detail: error.detail === undefined ? undefined : bounded(error.detail, MAX_DETAIL),
  }));
}

/** An agent's JSON-RPC error answer: code, message, and what `data` says in words. */
export function placeRpcError(step: Step, turn: number, error: unknown): void {
  const { code, message } = readRpcError(error);
  const told = findError(
    step,
    turn,
    (item) => item.code === code && item.outcome !== 'parse' && item.outcome !== 'rpc',
  );
  placeError(step, turn, { outcome: 'rpc', code, ...told, message }, told?.id);
}

function readRpcError(value: unknown): { readonly code: number | undefined; readonly message: string } {
  const error = asObject(value);
  const message = text(error, 'message') ?? jsonText(value);
  const data = member(error, 'data');
  const details = asObject(data);
  const said = typeof data === 'string' ? data : (text(details, 'message') ?? text(details, 'details'));
  const code = finite(error, 'code');
  return { code, message: said === undefined || message.includes(said) ? message : `${message}: ${said}` };
}

/** `turn_error`: why a turn goes wrong. What the agent's own answer already shows gets its outcome and hint instead of a second row. */
export function reduceTurnError(step: Step, payload: JsonObject | undefined): void {
  const outcome = text(payload, 'outcome') ?? 'error';
  const message = text(payload, 'error') ?? jsonText(payload?.error);
  const [code, hint] = [finite(payload, 'code'), text(payload, 'hint')];
  const turn = failedTurn(step);
  changeOpen(step, step.draft.head(turn).id, { failed: true });
  const { status, outcome: shown } = step.draft.head(turn);
  if (status === 'ended' && shown === 'unknown') step.draft.patchTurn(turn, { outcome: 'failed' });
  const told = findError(step, turn, (item) =>
    item.outcome === 'rpc' ? code === undefined || code === item.code : item.outcome === outcome,
  );
  const merged = { outcome, message: told?.outcome === 'rpc' ? told.message : message, code: code ?? told?.code, hint };
  placeError(step, turn, merged, told?.id);
}

function failedTurn(step: Step): number {
  const last = step.draft.turnAt(
    step.event.turnId ?? step.draft.carry.open[0]?.turnId ?? step.draft.carry.last?.turnId,
  );
  return last >= 0 ? last : noteTurn(step);
}

function findError(step: Step, turn: number, match: (item: ErrorItem) => boolean): ErrorItem | undefined {
  return step.draft.items(turn).findLast((item): item is ErrorItem => item.kind === 'error' && match(item));
}

/** The agent process is gone while a turn was open. */
export function placeExit(step: Step, turn: number, payload: JsonObject | undefined): void {
  placeError(step, turn, { outcome: 'exited', message: exitText(payload) });
}

/** How the agent process ended, in words. */
export function exitText(payload: JsonObject | undefined): string {
  const [code, signal] = [finite(payload, 'code'), text(payload, 'signal')];
  if (signal !== undefined) return `The agent was ended by ${signal}`;
  return code === undefined ? 'The agent exited' : `The agent exited with code ${code}`;
}

/** `acp_parse_error`: a line that is no JSON value. Its text is shown, never read. */
export function reduceParseError(step: Step, payload: JsonObject | undefined): void {
  const line = text(payload, 'line');
  placeError(step, noteTurn(step), {
    outcome: 'parse',
    message: text(payload, 'error') ?? 'not JSON',
    ...(line === undefined ? {} : { detail: line }),
  });
}

/** `acp_write_failed`: a line that did not reach its reader. */
export function reduceWriteFailure(step: Step, payload: JsonObject | undefined): void {
  const line = text(payload, 'line');
  placeError(step, noteTurn(step), {
    outcome: 'write',
    message: text(payload, 'error') ?? 'the write failed',
    ...(line === undefined ? {} : { detail: line }),
  });
}

/** One identity came with two contents. */
export function placeConflict(step: Step): void {
  placeError(
    step,
    noteTurn(step),
    {
      outcome: 'conflict',
      message: `Line ${step.first} came with two different contents; the one that came first is shown`,
    },
    `error:conflict:${step.origin}`,
  );
}
