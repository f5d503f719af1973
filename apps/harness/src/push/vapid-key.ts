import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { err, ok, type Result } from '@heliograph/wire';

/** How long a push service may take our word for who we are; RFC 8292 allows 24 hours. */
const TERM_SEC = 12 * 3_600;

/** The key by which push services know one sender from another (RFC 8292): P-256, made once, kept by the harness. */
export class VapidKey {
  /** The public point, uncompressed, base64url: subscriptions are made for it. */
  readonly publicKey: string;
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    this.#key = key;
    this.publicKey = Buffer.concat([Buffer.of(4), fromBase64Url(x), fromBase64Url(y)]).toString('base64url');
  }

  static make(): VapidKey {
    return new VapidKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  }

  /** The key that `toJSON` gave; undefined for anything else. */
  static read(value: unknown): VapidKey | undefined {
    const { kty, crv, x, y, d } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (kty !== 'EC' || crv !== 'P-256') return undefined;
    try {
      const key = { kty, crv, x: String(x), y: String(y), d: String(d) };
      return new VapidKey(createPrivateKey({ key, format: 'jwk' }));
    } catch {
      return undefined;
    }
  }

  /** The secret key as JWK: for a file that only its owner can read. */
  toJSON(): object {
    return this.#key.export({ format: 'jwk' });
  }

  /** The Authorization header for a push service. `subject`: whom it may write to about us. */
  authorization(origin: string, subject: string, nowSec: number): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { aud: origin, exp: nowSec + TERM_SEC, sub: subject };
    const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `vapid t=${signed}.${signature.toString('base64url')}, k=${this.publicKey}`;
  }
}

/** What a subject must be: services refuse messages of senders that they could not write to. */
const SUBJECT_FORM = 'mailto:you@your-domain.org, or an https address of yours';
/** Names that reach nobody from a push service. */
const NOWHERE = /(^|\.)(localhost|local|internal|lan|home|invalid|test|example)$/i;

/** A contact as push services accept it: an e-mail or https address under a public name. Pure. */
export function parsePushSubject(text: string): Result<string, { readonly message: string }> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.protocol === 'mailto:' ? /^[^@\s?]+@([^@\s?]+)$/.exec(url.pathname)?.[1] : url?.hostname;
  const isForm = url?.protocol === 'mailto:' || url?.protocol === 'https:';
  if (!isForm || host === undefined || !isPublicName(host)) {
    return err({
      message: `"${text.slice(0, 200)}" is no contact that push services accept: expected ${SUBJECT_FORM}`,
    });
  }
  return ok(url.href);
}

/** The address of the first relay that has a public name and TLS: whoever runs it can be found there. Pure. */
export function subjectOfRelays(relays: readonly string[]): string | undefined {
  for (const relay of relays) {
    const { protocol, hostname } = new URL(relay);
    if (protocol === 'wss:' && isPublicName(hostname)) return `https://${hostname}/`;
  }
  return undefined;
}

function isPublicName(host: string): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/i.test(host) && !NOWHERE.test(host);
}

function fromBase64Url(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
