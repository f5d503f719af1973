import { type Crypto, hexEncode, utf8Encode } from '@heliograph/wire';

/** The digest an export ends with, fed line by line: d = SHA-256(d, UTF-8 of the line), from 32 zero bytes. */
export class ExportDigest {
  readonly #crypto: Crypto;
  #value: Uint8Array = new Uint8Array(32);
  #lines = 0;

  constructor(crypto: Crypto) {
    this.#crypto = crypto;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Hex. */
  get value(): string {
    return hexEncode(this.#value);
  }

  add(line: string): void {
    const text = utf8Encode(line);
    const bytes = new Uint8Array(32 + text.length);
    bytes.set(this.#value);
    bytes.set(text, 32);
    this.#value = this.#crypto.sha256(bytes);
    this.#lines++;
  }
}
