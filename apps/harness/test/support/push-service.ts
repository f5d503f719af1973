import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushSubscription } from '@heliograph/wire';

/** One message as it came, and what is in it. */
export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly claims: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Bytes of the whole body. */
  readonly size: number;
}

interface Browser {
  readonly pair: ECDH;
  readonly auth: Buffer;
  /** The application server key that it subscribed for. */
  readonly key: string;
}

/** A push service on loopback, and the browsers behind it: it checks the sender's word (RFC 8292) and opens what comes (RFC 8291). */
export class PushService {
  readonly received: ReceivedPush[] = [];
  /** Statuses it answers with instead of 201, one after the other. */
  readonly answers: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }[] = [];
  readonly #server: Server;
  readonly #browsers = new Map<string, Browser>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = this.answers.shift();
        const status = this.#take(request, Buffer.concat(chunks));
        response.writeHead(status === 201 ? (answer?.status ?? 201) : status, answer?.headers ?? {}).end();
      });
    });
  }

  static async listen(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((resolve) => service.#server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A new browser's subscription for a sender's key. */
  subscribe(key: string): PushSubscription {
    const pair = createECDH('prime256v1');
    pair.generateKeys();
    const auth = randomBytes(16);
    const path = `/push/${randomBytes(12).toString('hex')}`;
    this.#browsers.set(path, { pair, auth, key });
    const keys = { p256dh: pair.getPublicKey().toString('base64url'), auth: auth.toString('base64url') };
    return { endpoint: `${this.url}${path}`, keys };
  }

  /** What came to one subscription, as the browser would be told. */
  told({ endpoint }: PushSubscription): readonly unknown[] {
    const { pathname } = new URL(endpoint);
    return this.received.filter(({ path }) => path === pathname).map(({ text }) => JSON.parse(text));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(request: IncomingMessage, body: Buffer): number {
    const path = request.url ?? '';
    const browser = this.#browsers.get(path);
    if (request.method !== 'POST' || browser === undefined) return 404;
    const claims = readVapid(request.headers.authorization ?? '', browser.key);
    if (claims === undefined || claims.aud !== this.url) return 403;
    const text = openPush(body, browser.pair, browser.auth);
    this.received.push({ path, headers: request.headers, claims, text, size: body.length });
    return 201;
  }
}

/** The claims of an Authorization header whose signature holds, by this key and no other. */
function readVapid(header: string, key: string): Readonly<Record<string, unknown>> | undefined {
  const [, head = '', claims = '', signature = '', sender = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  if (sender !== key || JSON.parse(Buffer.from(head, 'base64url').toString() || '{}').alg !== 'ES256') return undefined;
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as object, format: 'jwk' } as never);
  const signed = Buffer.from(`${head}.${claims}`);
  const holds = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return holds ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : undefined;
}

/** Opens an aes128gcm body as the browser does, from the receiver's side of RFC 8291. */
export function openPush(body: Buffer, pair: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + (body[20] ?? 0));
  const sealed = body.subarray(21 + sender.length);
  const derive = (secret: Buffer, by: Buffer, info: Buffer | string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, by, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender]);
  const secret = derive(pair.computeSecret(sender), auth, info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const cipher = createDecipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12));
  cipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('the last record must end with 2');
  return padded.subarray(0, end).toString();
}
