import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { PushSubscription } from '@heliograph/wire';

/** One record holds the whole message (RFC 8188). */
const RECORD_BYTES = 4_096;
/** Every message is as long as any other: a push service can't tell from its length what it says. */
const TEXT_BYTES = 160;

/** For test vectors only: a sender's key pair and a salt, both random otherwise. */
export interface MessageSeeds {
  readonly salt: Uint8Array;
  readonly secretKey: Uint8Array;
  /** Bytes the text is padded to. */
  readonly textBytes: number;
}

/**
 * Encrypts a text for one subscription (RFC 8291, aes128gcm): only the browser it is of can open it. Throws where the
 * subscription's key is no point of P-256, and a RangeError where the text is longer than 160 bytes.
 */
export function encryptPush(text: string, { keys }: PushSubscription, seeds?: MessageSeeds): Buffer {
  const { salt = randomBytes(16), textBytes = TEXT_BYTES } = seeds ?? {};
  const plain = Buffer.from(text);
  if (plain.length > textBytes)
    throw new RangeError(`a push message has at most ${textBytes} bytes, got ${plain.length}`);
  const receiver = Buffer.from(keys.p256dh, 'base64url');
  const pair = createECDH('prime256v1');
  if (seeds === undefined) pair.generateKeys();
  else pair.setPrivateKey(seeds.secretKey);
  const sender = pair.getPublicKey();
  const shared = pair.computeSecret(receiver);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const secret = hkdf(shared, Buffer.from(keys.auth, 'base64url'), info, 32);
  const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The text, the mark of the last record, and nothing after it that says how long the text was.
  const padded = Buffer.concat([plain, Buffer.of(2), Buffer.alloc(textBytes - plain.length)]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  const header = Buffer.concat([salt, size, Buffer.of(sender.length), sender]);
  return Buffer.concat([header, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
}

function hkdf(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
