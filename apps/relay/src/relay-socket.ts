import { encodeMessage } from '@heliograph/wire';
import { WebSocket } from 'ws';

/**
 * A WebSocket class that says why before it hangs up on a broken frame. `ws` closes such a connection by itself, with a
 * bare code; people at the other end, and clients that show NOTICEs, deserve the sentence. Emits `closing` before it closes.
 */
export function explainingSocket(maxMessageBytes: number): typeof WebSocket {
  const reasons: Readonly<Record<number, string>> = {
    1002: 'invalid: this is not a WebSocket frame (RFC 6455)',
    1007: 'invalid: a message must be UTF-8',
    1008: 'invalid: a message in too many pieces',
    1009: `invalid: a message may have ${maxMessageBytes} bytes`,
  };
  return class ExplainingSocket extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      // Whoever writes below ws has its last words go before the close frame.
      if (this.readyState === WebSocket.OPEN) this.emit('closing');
      // Only ws itself closes with a code and no reason, on a frame it can't take.
      const explanation = code === undefined || reason !== undefined ? undefined : reasons[code];
      if (explanation !== undefined && this.readyState === WebSocket.OPEN) {
        this.send(encodeMessage(['NOTICE', explanation]));
      }
      super.close(code, explanation ?? reason);
    }
  };
}
