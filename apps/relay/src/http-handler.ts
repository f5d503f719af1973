import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { landingPage } from './landing-page.ts';
import type { ManagementAnswer } from './management.ts';
import type { Readiness } from './readiness.ts';

/** Answers one GET or HEAD; `path` is what stands below the relay's own path, without the query. */
export type ServeUi = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** What the HTTP side shows and does. */
export interface HttpPages {
  /** The NIP-11 document as it is now. */
  readonly document: () => Readonly<Record<string, unknown>>;
  readonly name: () => string;
  /** The announced ws or wss URL. */
  readonly url: () => string;
  /** Serves every GET and HEAD that is not the relay's own; instead of the landing page. */
  readonly ui?: ServeUi | undefined;
  readonly readiness: () => Promise<Readiness>;
  /** Prometheus' text, for those whom `mayMeasure` lets see it. */
  readonly metrics: () => Promise<string>;
  readonly mayMeasure: (request: IncomingMessage) => boolean;
  /** A NIP-86 request: its answer, or why who asks may not. */
  readonly manage: (
    authorization: string | undefined,
    body: Buffer,
  ) => Promise<ManagementAnswer | { readonly denied: string }>;
}

const METHODS = 'GET, HEAD, POST, OPTIONS';
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Allow-Methods': METHODS,
};
const MANAGEMENT_TYPE = 'application/nostr+json+rpc';
const MAX_BODY_BYTES = 65_536;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers plain HTTP: NIP-11 on any path to whoever asks for it, NIP-86 by POST, `/healthz`, `/readyz`, `/metrics`, else
 * the UI or a page that says what this is.
 */
export function httpHandler(pages: HttpPages): RequestListener {
  return (request, response) => {
    const send = (answer: Answer): void => reply(request, response, answer);
    switch (request.method) {
      case 'GET':
      case 'HEAD': {
        const path = ownPath(request.url ?? '/', basePathOf(pages.url()));
        const answer = answerGet(pages, request, path);
        if (answer === 'ui') pages.ui?.(request, response, path);
        else if (answer === 'readiness') void pages.readiness().then((state) => send(describeReadiness(state)));
        else if (answer === 'metrics') void pages.metrics().then((text) => send(describeMetrics(text)));
        else send(answer);
        break;
      }
      case 'OPTIONS':
        send(plain(204, ''));
        break;
      default:
        if (request.method === 'POST' && mediaType(request.headers['content-type'] ?? '') === MANAGEMENT_TYPE) {
          readBody(request, (body) => void answerManagement(pages, request, body).then(send));
        } else send({ ...plain(405, 'Only GET and HEAD here, and POST for NIP-86.\n'), headers: { Allow: METHODS } });
    }
  };
}

/** The path of the relay's URL without its last slash: empty for most. */
function basePathOf(relayUrl: string): string {
  return new URL(relayUrl).pathname.replace(/\/$/, '');
}

/**
 * The path below the relay's own, where its public URL has one: a proxy may pass it on or take it off. Empty for that path
 * without its slash, from which a page would look for its files one level too high.
 */
function ownPath(url: string, basePath: string): string {
  const path = url.replace(/[?#].*$/s, '');
  const isBelow = basePath !== '' && (path === basePath || path.startsWith(`${basePath}/`));
  return isBelow ? path.slice(basePath.length) : path;
}

function answerGet(pages: HttpPages, request: IncomingMessage, path: string): Answer | 'ui' | 'readiness' | 'metrics' {
  if (acceptsDocument(request)) {
    return { status: 200, type: 'application/nostr+json', body: JSON.stringify(pages.document()) };
  }
  switch (path) {
    case '':
      return addSlash(basePathOf(pages.url()));
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz':
      return 'readiness';
    case '/metrics':
      if (!pages.mayMeasure(request)) return plain(403, 'Metrics are for machines of this network, asked directly.\n');
      return 'metrics';
  }
  if (pages.ui !== undefined) return 'ui';
  if (path !== '/') return plain(404, `Nothing here; the relay is ${pages.url()}\n`);
  const body = landingPage({ name: pages.name(), url: pages.url() });
  return { status: 200, type: 'text/html; charset=utf-8', body };
}

/** Relative to where the browser is, so that it holds whatever the proxy's name is. */
function addSlash(basePath: string): Answer {
  return { ...plain(308, 'Add a slash.\n'), headers: { Location: `${basePath.split('/').at(-1)}/` } };
}

function describeReadiness(state: Readiness): Answer {
  return json(state.ready ? 200 : 503, state);
}

function describeMetrics(text: string): Answer {
  return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: text };
}

async function answerManagement(pages: HttpPages, request: IncomingMessage, body: Buffer | undefined): Promise<Answer> {
  if (body === undefined) return TOO_LARGE;
  try {
    const answer = await pages.manage(request.headers.authorization, body);
    if (!('denied' in answer)) return json(200, answer);
    return { ...json(401, { error: answer.denied }), headers: { 'WWW-Authenticate': 'Nostr' } };
  } catch (cause) {
    return json(500, { error: `the relay's storage failed (${cause instanceof Error ? cause.message : cause})` });
  }
}

/** The whole body, or undefined as soon as it is too large. */
function readBody(request: IncomingMessage, then: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    const wasWithin = bytes <= MAX_BODY_BYTES;
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (wasWithin) then(undefined);
  });
  request.on('end', () => {
    if (bytes <= MAX_BODY_BYTES) then(Buffer.concat(chunks));
  });
}

function plain(status: number, body: string): Answer {
  return { status, type: 'text/plain', body };
}

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}

const TOO_LARGE: Answer = {
  ...plain(413, `A body may have ${MAX_BODY_BYTES} bytes.\n`),
  headers: { Connection: 'close' },
};

function mediaType(header: string): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function acceptsDocument(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').split(',').map(mediaType).includes('application/nostr+json');
}

function reply(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Answer): void {
  response.writeHead(status, {
    ...CORS,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // One URL, several answers: a cache between must not mix them up.
    Vary: 'Accept',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
