import { err, ok, type Result } from '../result.ts';
import { scanMembers } from './json-scan.ts';

/**
 * A JSON-RPC message seen leniently: real agents leave out `jsonrpc`, answer with `id: null` or with no id at all.
 * `id` is the raw token text (`0`, `"0"`, `9007199254740993`): ids are compared as text, never as parsed numbers.
 */
export type RpcMessage =
  | { readonly type: 'request'; readonly id: string; readonly method: string; readonly params: unknown }
  | { readonly type: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly type: 'response'; readonly id: string; readonly result: unknown }
  | { readonly type: 'error'; readonly id: string | undefined; readonly error: unknown };

/** `not-json`: not exactly one JSON value. `not-message`: JSON, but no JSON-RPC object. `batch`: a top-level array. */
export interface RpcError {
  readonly code: 'not-json' | 'not-message' | 'batch';
  readonly message: string;
}

/** What one line says. Never throws; cost is one `JSON.parse` and one scan of the top-level members. */
export function classifyLine(text: string): Result<RpcMessage, RpcError> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return err({ code: 'not-json', message: cause instanceof Error ? cause.message : 'not JSON' });
  }
  return classifyValue(value, text);
}

/** As `classifyLine`, for a value already parsed from `text`. */
export function classifyValue(value: unknown, text: string): Result<RpcMessage, RpcError> {
  if (Array.isArray(value)) return err({ code: 'batch', message: 'a JSON-RPC batch' });
  if (typeof value !== 'object' || value === null) return err({ code: 'not-message', message: 'not a JSON object' });
  const message = value as Record<string, unknown>;
  const id = Object.hasOwn(message, 'id') ? rawId(text) : undefined;
  if (typeof message.method === 'string') {
    const { method, params } = message as { method: string; params: unknown };
    return ok(id === undefined ? { type: 'notification', method, params } : { type: 'request', id, method, params });
  }
  if (Object.hasOwn(message, 'error')) return ok({ type: 'error', id, error: message.error });
  if (id !== undefined && Object.hasOwn(message, 'result')) return ok({ type: 'response', id, result: message.result });
  return err({ code: 'not-message', message: 'neither a request, a notification nor a response' });
}

function rawId(text: string): string | undefined {
  // With duplicate keys the last one wins, as it does for JSON.parse.
  const member = scanMembers(text).members.findLast((m) => m.key === 'id');
  return member === undefined ? undefined : text.slice(member.valueStart, member.valueEnd);
}

/** A request line without LF; `id` is a raw token. */
export function encodeRequest(id: string, method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}

/** A notification line without LF. */
export function encodeNotification(method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}

/** A success answer; `id` is echoed as the raw token it came as. */
export function encodeResult(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`;
}

/** An error answer; `id` is echoed as the raw token it came as. */
export function encodeError(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
}
