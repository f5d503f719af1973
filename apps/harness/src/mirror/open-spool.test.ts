import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { openSpool } from './open-spool.ts';
import type { SpoolEntry } from './spool.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test('HA101: where there is no folder for a spool, what leaves the one in memory is told to leave the queues', async () => {
  const open = { stateDir: '/dev/null', spoolBytes: 100, clock: new ManualClock(), log: quiet };
  const gone: SpoolEntry[] = [];
  let trouble: Error | undefined;
  const spool = (await openSpool(open))({
    onLost() {},
    onGone: (entry) => gone.push(entry),
    onWritten() {},
    onDisk(error) {
      trouble = error;
    },
  });
  const envelope = { stream: 'st', hash: 'h', sinceMs: 0, content: 'c'.repeat(60), gaps: [] };
  const first = spool.append({ ...envelope, firstSeq: 1, lastSeq: 1 });
  spool.append({ ...envelope, firstSeq: 2, lastSeq: 2 });
  expect(gone).toEqual([first]);
  await expect.poll(() => trouble).toMatchObject({ code: 'ENOTDIR' });
});
