/** The bytes of base64 text; what is no base64 is passed over, so a broken chunk costs its own bytes only. */
export function decodeBase64(base64: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((base64.length * 3) / 4));
  let [length, bits, have] = [0, 0, 0];
  for (let at = 0; at < base64.length; at++) {
    const value = sextet(base64.charCodeAt(at));
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xffff;
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes[length++] = (bits >> have) & 0xff;
    }
  }
  return bytes.subarray(0, length);
}

function sextet(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b || code === 0x2d) return 62;
  if (code === 0x2f || code === 0x5f) return 63;
  return -1;
}

/** Text of `before` followed by `bytes`, without a character cut off at the end: its bytes are the new `tail`. */
export function decodeUtf8(
  bytes: Uint8Array,
  before: readonly number[],
): { readonly text: string; readonly tail: readonly number[] } {
  const all = new Uint8Array(before.length + bytes.length);
  all.set(before);
  all.set(bytes, before.length);
  const whole = all.length - cutLength(all);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return { text: decoder.decode(all.subarray(0, whole)), tail: [...all.subarray(whole)] };
}

/** How many bytes at the end begin a character that has not ended. */
function cutLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}
