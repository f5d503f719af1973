import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FramedLine, LineFramer } from './line-framer.ts';

const newHash = () => createHash('sha256');

/** All lines of `bytes`, cut into chunks at the given places. */
function frame(bytes: Uint8Array, cuts: readonly number[], maxLineBytes = 1_000): FramedLine[] {
  const framer = new LineFramer(maxLineBytes, newHash);
  const lines: FramedLine[] = [];
  let start = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    lines.push(...framer.push(bytes.subarray(start, cut)));
    start = cut;
  }
  lines.push(...framer.push(bytes.subarray(start)));
  const last = framer.end();
  return last === undefined ? lines : [...lines, last];
}

const text = (line: FramedLine) => (line.type === 'line' ? Buffer.from(line.bytes).toString('latin1') : line.type);

describe('LineFramer', () => {
  it('FM1: gives the same lines however the bytes are cut into chunks', () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(
        ...['\n', '\r\n', '\u2028', '\u2029', '\u{1F680}', '\0', '\uFEFF{}', '\n\n'].map((s) => Buffer.from(s)),
      ),
    );
    fc.assert(
      fc.property(fc.array(pieces), fc.array(fc.nat(400)), (parts, cuts) => {
        const bytes = Buffer.concat(parts);
        const lines = frame(
          bytes,
          cuts.map((cut) => Math.min(cut, bytes.length)),
        );
        const expected = bytes.toString('latin1').split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(lines.map(text)).toEqual(expected);
        expect(lines.map((line) => line.unterminated)).toEqual(
          expected.map((_, at) => at === expected.length - 1 && bytes.at(-1) !== 0x0a),
        );
      }),
    );
  });

  it('FM2: cuts at LF only: CR, NUL, U+2028 and a byte order mark are content', () => {
    const bytes = Buffer.from('\uFEFF{"a":"\u2028"}\r\n\0\n');
    expect(frame(bytes, []).map(text)).toEqual(
      ['\uFEFF{"a":"\u2028"}\r', '\0'].map((s) => Buffer.from(s).toString('latin1')),
    );
  });

  it('FM3: keeps length, SHA-256 and both ends of a line over the limit, and goes on after it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 65, maxLength: 20_000 }), fc.array(fc.nat(20_000)), (raw, cuts) => {
        const long = raw.map((byte) => (byte === 0x0a ? 0x20 : byte));
        const bytes = Buffer.concat([long, Buffer.from('\nnext')]);
        const [first, second] = frame(
          bytes,
          cuts.map((cut) => Math.min(cut, bytes.length)),
          64,
        );
        expect(first).toMatchObject({ type: 'long', length: long.length, unterminated: false });
        if (first?.type !== 'long') throw new Error('expected a long line');
        expect(Buffer.from(first.sha256)).toEqual(createHash('sha256').update(long).digest());
        expect(Buffer.from(first.head)).toEqual(Buffer.from(long.subarray(0, 4_096)));
        expect(Buffer.from(first.tail)).toEqual(Buffer.from(long.subarray(-4_096)));
        expect(second && text(second)).toBe('next');
      }),
      { numRuns: 40 },
    );
  });

  it('FM4: takes a 16 MiB line that comes in small pieces, whole', () => {
    const line = Buffer.alloc(16 * 1_024 * 1_024, 0x61);
    const framer = new LineFramer(line.length, newHash);
    for (let at = 0; at < line.length; at += 4_096) expect(framer.push(line.subarray(at, at + 4_096))).toEqual([]);
    const [whole] = framer.push(Buffer.from('\n'));
    expect(whole?.type === 'line' && Buffer.compare(whole.bytes, line)).toBe(0);
  });

  it('FM5: does not keep the caller’s memory', () => {
    const framer = new LineFramer(100, newHash);
    const chunk = Buffer.from('abc');
    framer.push(chunk);
    chunk.fill(0x7a);
    expect(framer.push(Buffer.from('\n')).map(text)).toEqual(['abc']);
  });

  it('FM6: refuses a limit that is no size', () => {
    expect(() => new LineFramer(0, newHash)).toThrow(RangeError);
  });
});
