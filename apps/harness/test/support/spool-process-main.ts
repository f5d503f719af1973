import { writeSync } from 'node:fs';
import { systemClock } from '../../src/clock.ts';
import { openDiskSpool } from '../../src/mirror/disk-spool.ts';

/** A spool that is small and always full, in a process of its own: tells what the disk has (w), and what is gone (g). */
const [, , folder = ''] = process.argv;
const KIB = 1_024;
/** Seqs that stay pinned: what compaction has to copy. */
const PINNED = 12;

const say = (words: string) => writeSync(1, `${words}\n`);
const make = await openDiskSpool({
  folder,
  maxBytes: 500 * KIB,
  maxAgeMs: 24 * 3_600_000,
  maxMemoryBytes: 500 * KIB,
  clock: systemClock,
  onTorn() {},
});
const spool = make({
  onGone: ({ firstSeq }) => say(`g ${firstSeq}`),
  onWritten() {},
  onLost() {},
  onDisk: (error) => say(`disk ${error?.message}`),
});
const unpins: (() => void)[] = [];
for (let seq = (spool.last('a')?.lastSeq ?? 0) + 1; ; seq++) {
  const content = String(seq % 10).repeat(6 * KIB);
  const entry = spool.append({
    ...{ stream: 'a', firstSeq: seq, lastSeq: seq, hash: `a${seq}` },
    sinceMs: Date.now(),
    content,
    gaps: [],
  });
  await spool.written(entry);
  say(`w ${seq}`);
  if (seq % 4 === 0) unpins.push(spool.pin(entry));
  if (unpins.length > PINNED) unpins.shift()?.();
  if (seq % 3 !== 0) spool.accept(entry);
}
