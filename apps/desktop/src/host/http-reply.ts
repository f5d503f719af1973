import type { ServerResponse } from 'node:http';

/** What a handler answers; `body` is JSON when it is no bytes. */
export interface Reply {
  readonly status: number;
  readonly body: Uint8Array | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error answer: the page shows `message` as it is. */
export function refuse(status: number, code: string, message: string): Reply {
  return { status, body: { code, message } };
}

/**
 * Sent with everything. Scripts, styles and connections come from the host itself and relays, nothing from third parties;
 * no inline style or script needs a nonce, because the page has none. React sets styles through the CSSOM, which
 * `style-src` leaves alone.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self' ws: wss:",
    "img-src 'self' data: blob:",
    'media-src data:',
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types heliograph-worker',
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Writes the reply with the security headers; a HEAD gets the headers alone. */
export function sendReply(response: ServerResponse, reply: Reply, withBody: boolean): void {
  const isBytes = reply.body instanceof Uint8Array;
  const bytes = reply.body instanceof Uint8Array ? reply.body : Buffer.from(`${JSON.stringify(reply.body)}\n`);
  response.writeHead(reply.status, {
    ...SECURITY_HEADERS,
    ...(isBytes ? {} : { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }),
    ...reply.headers,
    'Content-Length': bytes.length,
  });
  response.end(withBody ? bytes : undefined);
}
