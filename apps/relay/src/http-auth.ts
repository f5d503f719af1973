import {
  type Crypto,
  err,
  hexEncode,
  normalizeRelayUrl,
  ok,
  parseEvent,
  type Result,
  tagValue,
  type VerifiedEvent,
  verifyEvent,
} from '@heliograph/wire';

/** Kind of the event that authorizes one HTTP request (NIP-98). */
const KIND_HTTP_AUTH = 27_235;
const MAX_SKEW_SEC = 60;

/** Checks `Authorization: Nostr …` headers (NIP-98), each good for one request. */
export class HttpAuth {
  readonly #relayUrls: () => readonly string[];
  readonly #crypto: Crypto;
  /** Signatures seen (two calls of one second may have one id), with the second after which their time no longer holds anyway. */
  readonly #used = new Map<string, number>();

  constructor(relayUrls: () => readonly string[], crypto: Crypto) {
    this.#relayUrls = relayUrls;
    this.#crypto = crypto;
  }

  /** The public key that signed for this very request: method, body and one of the relay's own URLs, now and only once; or why none did. */
  check(header: string | undefined, method: string, body: Uint8Array, nowSec: number): Result<string, string> {
    const event = this.#read(header);
    if (!event.ok) return event;
    const { kind, created_at, sig, pubkey } = event.value;
    if (kind !== KIND_HTTP_AUTH) return err(`the event must be of kind ${KIND_HTTP_AUTH}`);
    if (Math.abs(created_at - nowSec) > MAX_SKEW_SEC) return err(`its created_at is ${created_at - nowSec} s off`);
    const url = relayUrlOf(tagValue(event.value, 'u') ?? '');
    const relayUrls = this.#relayUrls();
    if (url === undefined || !relayUrls.some((own) => relayUrlOf(own) === url)) {
      return err(`its u tag must be ${relayUrls[0]?.replace(/^ws/, 'http')}`);
    }
    if (tagValue(event.value, 'method')?.toUpperCase() !== method) return err(`its method tag must be ${method}`);
    if (tagValue(event.value, 'payload') !== hexEncode(this.#crypto.sha256(body))) {
      return err('its payload tag must be the SHA-256 of the body');
    }
    for (const [used, untilSec] of this.#used) if (untilSec < nowSec) this.#used.delete(used);
    if (this.#used.has(sig)) return err('it was used before');
    this.#used.set(sig, created_at + MAX_SKEW_SEC);
    return ok(pubkey);
  }

  #read(header: string | undefined): Result<VerifiedEvent, string> {
    const [, encoded] = /^Nostr\s+([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? [];
    if (encoded === undefined) return err('the header Authorization: Nostr … is missing (NIP-98)');
    let value: unknown;
    try {
      value = JSON.parse(Buffer.from(encoded, 'base64').toString());
    } catch {
      return err('the Authorization header holds no JSON');
    }
    const event = parseEvent(value);
    if (!event.ok) return err(event.error.message);
    const verified = verifyEvent(event.value, this.#crypto);
    return verified.ok ? verified : err(verified.error.message);
  }
}

/** A relay's URL in one spelling, whether http or ws was written. */
function relayUrlOf(url: string): string | undefined {
  return normalizeRelayUrl(url.replace(/^http/i, 'ws'));
}
