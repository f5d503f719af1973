const FINAL_TEXT = 0x81;
const SIXTEEN_BITS = 126;
const SIXTY_FOUR_BITS = 127;

/** One whole text message of a server as it stands on the wire (RFC 6455, 5.2): unmasked, uncompressed, in one piece. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const start = length < SIXTEEN_BITS ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = FINAL_TEXT;
  if (start === 2) {
    frame[1] = length;
  } else if (start === 4) {
    frame[1] = SIXTEEN_BITS;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = SIXTY_FOUR_BITS;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, start);
  return frame;
}
