import { setImmediate } from 'node:timers/promises';
import { utf8Encode } from '@heliograph/wire';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Intake, MAX_INTAKE_BYTES } from './intake.ts';

const MIB = 1_024 * 1_024;

function open() {
  const clock = new ManualClock();
  const lines: number[] = [];
  const holds: boolean[] = [];
  const readTimes = new Set<number>();
  const behind = { is: false };
  const intake = new Intake({
    clock,
    maxLineBytes: 16 * MIB,
    onLine: (line, readMs) => {
      if (line.type === 'line') lines.push(Number(Buffer.from(line.bytes).toString('latin1')));
      readTimes.add(readMs);
    },
    isBehind: () => behind.is,
    hold: (on) => holds.push(on),
  });
  return { intake, clock, lines, holds, behind, readTimes };
}
const numbers = (from: number, count: number) =>
  utf8Encode(Array.from({ length: count }, (_, index) => `${from + index}\n`).join(''));

describe('the intake', () => {
  test('HA110: after quiet a line is recorded in the turn it was read', () => {
    const { intake, lines } = open();
    intake.push(numbers(0, 3));
    expect(lines).toEqual([0, 1, 2]);
    intake.push(utf8Encode('3\n4'));
    intake.push(utf8Encode('5\n'));
    expect(lines).toEqual([0, 1, 2, 3, 45]);
  });

  test('HA110: a burst is recorded in slices that leave the event loop its turns, in order', async () => {
    const { intake, lines } = open();
    for (let chunk = 0; chunk < 20; chunk++) intake.push(numbers(chunk * 10_000, 10_000));
    const end = intake.end();
    let turns = 0;
    for (let ended = false; !ended; turns++) {
      void end.then(() => {
        ended = true;
      });
      await setImmediate();
    }
    expect(turns).toBeGreaterThan(3);
    expect(lines).toEqual(Array.from({ length: 200_000 }, (_, index) => index));
  });

  test('HA110: beyond its bound the pipe is left alone until half of it is recorded, and nothing is given up', async () => {
    const { intake, clock, lines, holds, behind, readTimes } = open();
    behind.is = true;
    const chunk = utf8Encode(`${'1'.padStart(MIB - 1)}\n`);
    let chunks = 0;
    for (; holds.length === 0; chunks++) intake.push(chunk);
    expect(chunks).toBe(MAX_INTAKE_BYTES / MIB);
    const readMs = clock.nowMs();
    clock.advance(100);
    expect(lines).toEqual([]);
    behind.is = false;
    clock.advance(100);
    await intake.end();
    expect(lines).toHaveLength(chunks);
    expect(holds).toEqual([true, false]);
    expect([...readTimes]).toEqual([readMs]);
  });

  test('HA111: what is done in turn comes after everything that was read before it, and before what is read later', async () => {
    const { intake, lines } = open();
    const seen: number[] = [];
    intake.inTurn(() => seen.push(lines.length));
    expect(seen).toEqual([0]);
    intake.push(numbers(0, 100_000));
    intake.inTurn(() => seen.push(lines.length));
    intake.push(numbers(100_000, 1));
    await intake.end();
    expect(seen).toEqual([0, 100_000]);
    expect(lines).toHaveLength(100_001);
  });
});
