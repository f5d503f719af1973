import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { type DiskSpool, openDiskSpool } from '../src/mirror/disk-spool.ts';
import { until } from './support/until.ts';

const KIB = 1_024;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'heliograph-compaction-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const folder = () => join(root, 'spool');
const names = () => readdirSync(folder());
const bytesOnDisk = () => names().reduce((sum, name) => sum + statSync(join(folder(), name)).size, 0);

async function open(maxBytes: number, onGone: (firstSeq: number, stream: string) => void = () => {}) {
  const maxAgeMs = 24 * 3_600_000;
  const options = { folder: folder(), maxBytes, maxAgeMs, maxMemoryBytes: maxBytes, clock: systemClock };
  const make = await openDiskSpool({ ...options, onTorn() {} });
  return make({ onGone: (e) => onGone(e.firstSeq, e.stream), onWritten() {}, onLost() {}, onDisk() {} });
}

const sealed = (stream: string, seq: number, bytes: number) => ({
  ...{ stream, firstSeq: seq, lastSeq: seq, hash: `${stream}${seq}`, sinceMs: Date.now(), gaps: [] },
  content: String(seq % 10).repeat(bytes),
});

const seqs = (spool: DiskSpool, stream: string) => spool.range(stream, 0, 1e9).map(({ firstSeq }) => firstSeq);

test('HA218: over a long run neither files nor index grow: of streams that are gone nothing is left, and what is left can be read', async () => {
  const maxBytes = 600 * KIB;
  const held = new Map<string, Set<number>>();
  const spool = await open(maxBytes, (seq, stream) => {
    held.get(stream)?.delete(seq);
  });
  for (let run = 0; run < 400; run++) {
    const stream = `run-${run}`;
    held.set(stream, new Set());
    for (let seq = 1; seq <= 50; seq++) {
      const entry = spool.append(sealed(stream, seq, 300));
      held.get(stream)?.add(seq);
      if (seq % 2 === 0) spool.accept(entry);
      if (seq === 50) await spool.written(entry);
    }
    expect(bytesOnDisk()).toBeLessThanOrEqual(maxBytes);
  }
  const left = [...held].filter(([, some]) => some.size > 0);
  // Twenty thousand came; what 600 KiB hold of them is here.
  expect(left.reduce((sum, [, some]) => sum + some.size, 0)).toBeLessThan(maxBytes / 300);
  expect(spool.last('run-0')).toBeUndefined();
  for (const [stream, some] of held) expect(seqs(spool, stream)).toEqual([...some]);
  await spool.close();
  const again = await open(maxBytes);
  for (const [stream, some] of held) {
    expect(seqs(again, stream)).toEqual([...some]);
    for (const entry of again.range(stream, 0, 1e9))
      expect(again.read(entry)).toBe(String(entry.firstSeq % 10).repeat(300));
  }
  await again.close();
});

test('HA218: a file that was copied out of and not yet removed when the machine stopped doubles nothing', async () => {
  const spool = await open(500 * KIB);
  const pinned = [1, 2, 3, 4];
  for (const seq of pinned) {
    const entry = spool.append(sealed('a', seq, 6 * KIB));
    spool.pin(entry);
    await spool.written(entry);
  }
  const [oldest, copy] = [join(folder(), '000000000000.spool'), join(root, 'copy')];
  for (let seq = 5; existsSync(oldest); seq++) {
    cpSync(oldest, copy);
    await spool.written(spool.append(sealed('a', seq, 6 * KIB)));
  }
  await spool.close();
  const kept = seqs(spool, 'a');
  cpSync(copy, oldest);
  const again = await open(10_000 * KIB);
  // What was dropped of it is there again; of what was copied there is one.
  expect(seqs(again, 'a')).toEqual([...new Set([...seqs(again, 'a'), ...kept])].sort((a, b) => a - b));
  expect(kept.slice(0, 4)).toEqual(pinned);
  for (const entry of again.range('a', 0, 1e9))
    expect(again.read(entry)).toBe(String(entry.firstSeq % 10).repeat(6 * KIB));
  await again.close();
});

test('HA218: killed with -9 while it makes room, a spool has everything that was on disk and not said to be gone', async () => {
  const main = new URL('./support/spool-process-main.ts', import.meta.url).pathname;
  let last = 0;
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, ['--import', 'tsx', main, folder()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const count = (what: string) => said.split(`\n${what} `).length - 1;
    await until('room to be made again and again', () => count('g') > 40 + round * 17);
    child.kill('SIGKILL');
    await exited;
    const lines = said.split('\n').slice(0, -1);
    const told = (what: string) =>
      lines.filter((line) => line.startsWith(`${what} `)).map((line) => Number(line.slice(2)));
    expect(lines.filter((line) => line.startsWith('disk'))).toEqual([]);
    const gone = new Set(told('g'));
    const written = told('w');
    expect(written[0]).toBeGreaterThan(last);
    const spool = await open(10_000 * KIB);
    const have = seqs(spool, 'a');
    expect(have).toEqual(expect.arrayContaining(written.filter((seq) => !gone.has(seq))));
    expect(have).toEqual([...new Set(have)].sort((a, b) => a - b));
    for (const entry of spool.range('a', 0, 1e9))
      expect(spool.read(entry)).toBe(String(entry.firstSeq % 10).repeat(6 * KIB));
    expect(bytesOnDisk()).toBeLessThanOrEqual(500 * KIB);
    last = Math.max(...written);
    await spool.close();
  }
});
