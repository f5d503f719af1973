import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackUrl } from '../text/loopback-url.ts';

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
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types heliograph-worker',
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Browsers take it over TLS and from this machine; elsewhere they only complain of it. */
const ISOLATION = { 'Cross-Origin-Opener-Policy': 'same-origin' };

function isTrustworthy({ headers }: IncomingMessage): boolean {
  return headers['x-forwarded-proto'] === 'https' || isLoopbackUrl(`http://${headers.host}`);
}

/** Writes the reply with the security headers; a HEAD, and what has not changed, gets the headers alone. */
export function sendReply(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const isBytes = reply.body instanceof Uint8Array;
  const bytes = reply.body instanceof Uint8Array ? reply.body : Buffer.from(`${JSON.stringify(reply.body)}\n`);
  const isUnchanged = reply.status === 304;
  response.writeHead(reply.status, {
    ...SECURITY_HEADERS,
    ...(isTrustworthy(request) ? ISOLATION : {}),
    ...(isBytes ? {} : { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }),
    ...reply.headers,
    ...(isUnchanged ? {} : { 'Content-Length': bytes.length }),
  });
  response.end(request.method === 'HEAD' || isUnchanged ? undefined : bytes);
}
