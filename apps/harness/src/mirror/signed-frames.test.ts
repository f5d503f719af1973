import type { VerifiedEvent } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { SignedFrames } from './signed-frames.ts';

const entry = (seq: number) => ({ stream: 's', firstSeq: seq, lastSeq: seq, hash: String(seq) });
const frame = (createdAtSec: number, bytes: number) =>
  ({ created_at: createdAtSec, content: 'c'.repeat(bytes) }) as unknown as VerifiedEvent;

test('HA101: signed frames are held 30 s and 16 MiB at most, and one signed anew has a later second', () => {
  const signed = new SignedFrames();
  const [first, second, third] = [entry(1), entry(2), entry(3)] as const;
  signed.put(first, frame(100, 10_000_000));
  expect(signed.get(first, 130)).toBeDefined();
  signed.put(second, frame(110, 10_000_000));
  expect(signed.get(first, 110)).toBeUndefined();
  expect(signed.nextSec(first, 100)).toBe(101);
  expect(signed.nextSec(first, 200)).toBe(200);
  signed.put(third, frame(141, 5));
  expect(signed.bytes).toBe(5);
  expect(signed.get(third, 172)).toBeUndefined();
  expect(signed.bytes).toBe(0);
});
