/** A WebSocket as the relay client needs it: text only, one handler of each kind, set before the first event. */
export interface ClientSocket {
  send(text: string): void;
  close(): void;
  onOpen: () => void;
  onMessage: (text: string) => void;
  /** Always the last call, also after a failure to connect. */
  onClose: (reason: string) => void;
}

export type OpenSocket = (url: string) => ClientSocket;

/** What browsers' WebSocket and the `ws` package have in common. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

/** Wraps a WebSocket constructor: `openSocketWith(WebSocket)` in a browser, `openSocketWith(WS)` with `ws` in Node. */
export function openSocketWith(WebSocketCtor: new (url: string) => WebSocketLike): OpenSocket {
  return (url) => {
    const inner = new WebSocketCtor(url);
    let failure = '';
    const socket: ClientSocket = {
      send: (text) => inner.send(text),
      close: () => inner.close(),
      onOpen: () => {},
      onMessage: () => {},
      onClose: () => {},
    };
    inner.onopen = () => socket.onOpen();
    inner.onmessage = (event: { data: unknown }) => {
      if (typeof event.data === 'string') socket.onMessage(event.data);
    };
    // Browsers give no reason, `ws` gives an Error's message; the close event follows in both.
    inner.onerror = (event: { message?: unknown }) => {
      if (typeof event.message === 'string') failure = event.message;
    };
    inner.onclose = (event: { code?: number; reason?: unknown }) => {
      const said = typeof event.reason === 'string' && event.reason !== '' ? event.reason : failure;
      socket.onClose(said || `closed with code ${event.code ?? 'unknown'}`);
    };
    return socket;
  };
}
