import type { Result } from '@heliograph/wire';
import { classifyLine, type RpcError, type RpcMessage, scanElements } from '@heliograph/wire/acp';

/** One JSON-RPC message of a line, with its own exact text. */
export interface LineMessage {
  readonly text: string;
  readonly message: Result<RpcMessage, RpcError>;
}

/** The messages of one line: one, or the elements of a top-level array (JSON-RPC batches are split for the reader only). */
export function readLine(payload: string): readonly LineMessage[] {
  // A byte order mark is part of the line's text and no part of its JSON.
  const text = payload.startsWith('\uFEFF') ? payload.slice(1) : payload;
  const message = classifyLine(text);
  if (message.ok || message.error.code !== 'batch') return [{ text, message }];
  return scanElements(text).map(({ start, end }) => {
    const element = text.slice(start, end);
    return { text: element, message: classifyLine(element) };
  });
}
