import { type Crypto, hexEncode } from '@heliograph/wire';

/** A random UUID (version 4). `crypto.randomUUID` is missing on pages over plain http in a LAN. */
export function randomUuid(crypto: Pick<Crypto, 'randomBytes'>): string {
  const bytes = crypto.randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = hexEncode(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
