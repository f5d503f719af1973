import { timingSafeEqual } from 'node:crypto';
import type { Crypto } from '@heliograph/wire';

/** Outstanding tokens: each opens the door once. The oldest give way when there are over `MAX_OUTSTANDING`. */
export class OneTimeTokens {
  #tokens: string[] = [];
  readonly #crypto: Crypto;

  constructor(crypto: Crypto) {
    this.#crypto = crypto;
  }

  /** A new token of 256 random bits, good for one `redeem`. */
  issue(): string {
    const token = randomToken(this.#crypto);
    this.#tokens = [...this.#tokens.slice(1 - MAX_OUTSTANDING), token];
    return token;
  }

  /** Whether the token is outstanding; it no longer is afterwards. */
  redeem(token: string): boolean {
    // Every token is compared, so that the time taken says nothing about which one came near.
    const rest = this.#tokens.filter((known) => !equalInConstantTime(known, token));
    const found = rest.length < this.#tokens.length;
    this.#tokens = rest;
    return found;
  }
}

const MAX_OUTSTANDING = 32;

/** 256 random bits as URL-safe text. */
export function randomToken(crypto: Crypto): string {
  return Buffer.from(crypto.randomBytes(32)).toString('base64url');
}

export function equalInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
