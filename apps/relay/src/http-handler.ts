import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { landingPage } from './landing-page.ts';

/** What the HTTP side shows. */
export interface HttpPages {
  /** The NIP-11 document. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly name: string;
  /** The announced ws or wss URL. */
  readonly url: string;
  /** Serves every GET and HEAD that is not the relay's own; instead of the landing page. */
  readonly ui?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
};

/** Answers plain HTTP: NIP-11 on any path to whoever asks for it, `/healthz`, else the UI or a page that says what this is. */
export function httpHandler({ document, name, url, ui }: HttpPages): RequestListener {
  const documentText = JSON.stringify(document);
  const page = landingPage({ name, url });
  return (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0];
    if (request.method === 'OPTIONS') return reply(request, response, 204, 'text/plain', '');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', CORS['Access-Control-Allow-Methods']);
      return reply(request, response, 405, 'text/plain', 'Only GET and HEAD here.\n');
    }
    if (acceptsDocument(request)) return reply(request, response, 200, 'application/nostr+json', documentText);
    if (path === '/healthz') return reply(request, response, 200, 'application/json', '{"status":"ok"}');
    if (ui !== undefined) return ui(request, response);
    if (path === '/') return reply(request, response, 200, 'text/html; charset=utf-8', page);
    return reply(request, response, 404, 'text/plain', `Nothing here; the relay is ${url}\n`);
  };
}

function acceptsDocument(request: IncomingMessage): boolean {
  const types = (request.headers.accept ?? '').split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes('application/nostr+json');
}

function reply(request: IncomingMessage, response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    ...CORS,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // One URL, several answers: a cache between must not mix them up.
    Vary: 'Accept',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
