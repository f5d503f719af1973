import type { Readable, Writable } from 'node:stream';

/** JSON-RPC error codes this agent answers with. */
export const rpcCode = {
  parse: -32700,
  badRequest: -32600,
  noMethod: -32601,
  badParams: -32602,
  internal: -32603,
  notFound: -32002,
} as const;

/** Thrown by a handler to answer a request with a JSON-RPC error. */
export class RpcFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface PeerHandlers {
  request(method: string, params: Record<string, unknown>): Promise<unknown>;
  notification(method: string, params: Record<string, unknown>): void;
}

/** The other side of a JSON-RPC conversation held in lines. */
export interface Peer {
  notify(method: string, params: unknown): void;
  /** Asks the other side; rejects with an RpcFailure when it answers an error. */
  request(method: string, params: unknown): Promise<unknown>;
  /** Resolves when the input ends. */
  readonly ended: Promise<void>;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: RpcFailure): void;
}

/** Speaks JSON-RPC 2.0, one message a line, over two streams. */
export function createPeer(input: Readable, output: Writable, handlers: PeerHandlers): Peer {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let rest = '';

  const send = (message: object) => {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const sendFailure = (id: unknown, error: unknown) => {
    const code = error instanceof RpcFailure ? error.code : rpcCode.internal;
    send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
  };

  const receive = (line: string) => {
    if (line.trim() === '') return;
    const message = parseObject(line);
    if (message === undefined)
      return sendFailure(null, new RpcFailure(rpcCode.parse, 'this line is not a JSON object'));
    const { id, method, result, error } = message;
    if (typeof method !== 'string') return settle(id, result, error);
    const params = isObject(message.params) ? message.params : {};
    if (id === undefined) return handlers.notification(method, params);
    handlers.request(method, params).then(
      (answer) => send({ id, result: answer }),
      (failure: unknown) => sendFailure(id, failure),
    );
  };

  const settle = (id: unknown, result: unknown, error: unknown) => {
    if (typeof id !== 'number') return;
    const entry = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) entry?.resolve(result);
    else entry?.reject(new RpcFailure(rpcCode.internal, JSON.stringify(error)));
  };

  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });

  return {
    notify: (method, params) => send({ method, params }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        send({ id: lastId, method, params });
      }),
    ended: new Promise((resolve) => {
      input.once('end', resolve);
      input.once('close', resolve);
    }),
  };
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
