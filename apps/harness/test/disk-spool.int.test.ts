import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DiskSpoolOptions, openDiskSpool } from '../src/mirror/disk-spool.ts';
import type { SeqSpan } from '../src/mirror/sealed-envelope.ts';
import { ManualClock } from './support/manual-clock.ts';

const KIB = 1_024;
let root: string;
let clock: ManualClock;
let lost: SeqSpan[];
let torn: string[];
let disk: (string | undefined)[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'heliograph-spool-'));
  clock = new ManualClock();
  lost = [];
  torn = [];
  disk = [];
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const folder = () => join(root, 'spool');
const files = () => readdirSync(folder()).map((name) => join(folder(), name));
const bytesOnDisk = () => files().reduce((sum, path) => sum + statSync(path).size, 0);

async function open(over: Partial<DiskSpoolOptions> = {}) {
  const make = await openDiskSpool({
    folder: folder(),
    maxBytes: 10_000 * KIB,
    maxAgeMs: 30 * 24 * 3_600_000,
    maxMemoryBytes: 1_000 * KIB,
    clock,
    onTorn: (_path, bytes, damaged) => void torn.push(`${bytes} bytes, ${damaged} lines`),
    ...over,
  });
  return make({
    onGone() {},
    onWritten() {},
    onLost: (span) => void lost.push(span),
    onDisk: (error) => void disk.push(error?.message),
  });
}

const sealed = (stream: string, seq: number, bytes = 100, gaps: SeqSpan[] = []) => ({
  stream,
  firstSeq: seq,
  lastSeq: seq,
  hash: `${stream}${seq}`,
  sinceMs: clock.nowMs(),
  content: String(seq % 10).repeat(bytes),
  gaps,
});
const seqs = (entries: readonly SeqSpan[]) => entries.map(({ firstSeq }) => firstSeq);

describe('the spool on disk', () => {
  test('HA60: what was written is there after a restart, to be read and, where no relay took it, to be sent', async () => {
    const first = await open();
    const entries = [1, 2, 3, 4].map((seq) => first.append(sealed('a', seq)));
    first.accept(entries[1] as SeqSpan & { hash: string });
    for (const entry of entries) await first.written(entry);
    await first.close();
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    for (const path of files()) expect(statSync(path).mode & 0o777).toBe(0o600);
    const second = await open();
    expect(seqs(second.range('a', 2, 3))).toEqual([2, 3]);
    expect(seqs(second.unsent())).toEqual([1, 3, 4]);
    expect(second.last('a')).toMatchObject({ lastSeq: 4, hash: 'a4' });
    expect(second.range('a', 1, 4).map((entry) => second.read(entry)?.slice(0, 2))).toEqual(['11', '22', '33', '44']);
    await second.close();
    expect([lost, torn, disk]).toEqual([[], [], []]);
  });

  test('HA60: written resolves only when the file has it', async () => {
    const spool = await open();
    const entry = spool.append(sealed('a', 1));
    expect(
      files()
        .map((path) => readFileSync(path, 'utf8'))
        .join(''),
    ).not.toContain('"hash":"a1"');
    await spool.written(entry);
    expect(
      files()
        .map((path) => readFileSync(path, 'utf8'))
        .join(''),
    ).toContain('"hash":"a1"');
    await spool.close();
  });

  test('HA61: a record that a crash cut short is cut off and told, whatever it was cut at; the others stay', async () => {
    const spool = await open();
    for (const seq of [1, 2, 3]) await spool.written(spool.append(sealed('a', seq)));
    await spool.close();
    const [path] = files() as [string];
    const whole = readFileSync(path);
    const starts = [0];
    for (let at = whole.indexOf(10); at >= 0; at = whole.indexOf(10, at + 1)) starts.push(at + 1);
    for (let cut = 0; cut < whole.length; cut += 7) {
      rmSync(path);
      appendFileSync(path, whole.subarray(0, cut), { mode: 0o600 });
      const again = await open();
      const complete = starts.filter((start) => start <= cut).length - 1;
      expect(seqs(again.range('a', 1, 9))).toEqual([1, 2, 3].slice(0, complete));
      // What comes next is not glued to the torn one.
      await again.written(again.append(sealed('a', 9)));
      await again.close();
      const third = await open();
      expect(third.last('a')?.lastSeq).toBe(9);
      await third.close();
    }
    expect(torn.length).toBeGreaterThan(0);
  });

  test('HA62: never over its bound; what is neither kept nor taken is reported lost, once; so it is after a restart', async () => {
    const step = fc.record({
      kib: fc.integer({ min: 1, max: 60 }),
      take: fc.boolean(),
      pin: fc.nat(9),
      again: fc.nat(15),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async (steps) => {
        rmSync(folder(), { recursive: true, force: true });
        lost = [];
        const maxBytes = 600 * KIB;
        let spool = await open({ maxBytes });
        const taken = new Set<number>();
        for (const [index, { kib, take, pin, again }] of steps.entries()) {
          const seq = index + 1;
          const entry = spool.append(sealed('a', seq, kib * KIB));
          await spool.written(entry);
          if (take) {
            taken.add(seq);
            spool.accept(entry);
          }
          if (pin === 0) spool.pin({ stream: 'a', firstSeq: seq, lastSeq: seq })();
          expect(bytesOnDisk()).toBeLessThanOrEqual(maxBytes);
          if (again !== 0) continue;
          await spool.close();
          spool = await open({ maxBytes });
        }
        const kept = new Set(seqs(spool.range('a', 1, steps.length)));
        for (let seq = 1; seq <= steps.length; seq++) {
          const times = lost.filter(({ firstSeq }) => firstSeq === seq).length;
          expect(times, `seq ${seq}`).toBe(kept.has(seq) || taken.has(seq) ? 0 : 1);
        }
        await spool.close();
      }),
      { numRuns: 15 },
    );
  });

  test('HA62: drops what a relay took first, then whole files of the oldest, gaps last, pinned never', async () => {
    const spool = await open({ maxBytes: 600 * KIB });
    const put = async (seq: number, gaps: SeqSpan[] = []) => {
      const entry = spool.append(sealed('a', seq, 40 * KIB, gaps));
      await spool.written(entry);
      return entry;
    };
    const pinned = await put(1);
    spool.pin(pinned);
    await put(2, [{ stream: 'a', firstSeq: 90, lastSeq: 95 }]);
    for (let seq = 3; seq <= 5; seq++) spool.accept(await put(seq));
    for (let seq = 6; seq <= 9; seq++) await put(seq);
    // What relays took made room: nothing is lost while there is any of it.
    expect(lost).toEqual([]);
    for (let seq = 10; seq <= 30; seq++) await put(seq);
    // The oldest first, but for what had to be copied out of a file that others were dropped from.
    expect(Math.min(...seqs(lost))).toBe(6);
    expect(Math.max(...seqs(lost))).toBeLessThan(27);
    expect(seqs(spool.range('a', 1, 2))).toEqual([1, 2]);
    expect(spool.read(pinned)).toHaveLength(40 * KIB);
    await spool.close();
  });

  test('HA62: what is older than its age is dropped', async () => {
    const spool = await open({ maxAgeMs: 3 * 24 * 3_600_000 });
    await spool.written(spool.append(sealed('a', 1)));
    clock.advance(2 * 24 * 3_600_000);
    await spool.written(spool.append(sealed('a', 2)));
    clock.advance(2 * 24 * 3_600_000);
    await spool.written(spool.append(sealed('a', 3)));
    await spool.close();
    expect(seqs(spool.range('a', 1, 9))).toEqual([2, 3]);
    expect(seqs(lost)).toEqual([1]);
  });

  test('HA63: a disk that takes nothing is told of once, and what comes is kept in memory until it takes it again', async () => {
    const spool = await open({ maxMemoryBytes: 1_000 });
    await spool.written(spool.append(sealed('a', 1)));
    // Root writes through modes: a folder that is gone stops everybody.
    rmSync(folder(), { recursive: true });
    clock.advance(2 * 24 * 3_600_000); // Time for a new file.
    const entries = [2, 3].map((seq) => spool.append(sealed('a', seq)));
    for (const entry of entries) await spool.written(entry);
    expect(disk).toEqual([expect.stringContaining('ENOENT')]);
    expect(spool.read(entries[1] as SeqSpan & { hash: string })).toBe('3'.repeat(100));
    for (let seq = 4; seq <= 20; seq++) spool.append(sealed('a', seq));
    expect(seqs(lost)[0]).toBe(2);
    expect(spool.unsent().length).toBeLessThanOrEqual(11);
    mkdirSync(folder(), { mode: 0o700 });
    clock.advance(10_000);
    await expect.poll(() => disk.at(-1)).toBeUndefined();
    await spool.close();
    const again = await open();
    expect(seqs(again.unsent())).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    await again.close();
  });

  test('HA113: there is room for more once the disk has all but 16 MiB', async () => {
    const spool = await open({ maxBytes: 100_000 * KIB });
    for (let seq = 1; seq <= 17; seq++) spool.append(sealed('a', seq, 1_024 * KIB));
    let hasRoom = false;
    const room = spool.room().then(() => {
      hasRoom = true;
    });
    await Promise.resolve();
    expect(hasRoom).toBe(false);
    await room;
    expect(bytesOnDisk()).toBeGreaterThan(1_024 * KIB);
    await spool.room();
    await spool.close();
    expect([lost, disk]).toEqual([[], []]);
  });
});
