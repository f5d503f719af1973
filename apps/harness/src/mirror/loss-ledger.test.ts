import { describe, expect, test } from 'vitest';
import { LossLedger } from './loss-ledger.ts';

describe('losses', () => {
  test('HA17: neighbours become one gap with exact seqs, reasons and the last hash; told once', () => {
    const ledger = new LossLedger();
    ledger.add({ stream: 'a', firstSeq: 4, lastSeq: 6 }, 'spool_full', 'h6', '2026-11-30T09:00:01.000000Z');
    ledger.add({ stream: 'a', firstSeq: 1, lastSeq: 3 }, 'spool_full', 'h3', '2026-11-30T09:00:02.000000Z');
    ledger.add({ stream: 'a', firstSeq: 7, lastSeq: 7 }, 'sealing_failed', undefined, '2026-11-30T09:00:03.000000Z');
    ledger.add({ stream: 'a', firstSeq: 20, lastSeq: 20 }, 'spool_full', 'h20', '2026-11-30T09:00:04.000000Z');
    const [due] = ledger.take(0);
    expect(due?.gaps).toMatchObject([
      { firstSeq: 1, lastSeq: 7, droppedEvents: 7, reasonCounts: { spool_full: 6, sealing_failed: 1 } },
      { firstSeq: 20, lastSeq: 20, droppedEvents: 1, lastHash: 'h20' },
    ]);
    expect(ledger.take(0, true)).toEqual([]);
  });

  test('HA17: while losses go on they are told once a minute, or when somebody asks', () => {
    const ledger = new LossLedger();
    const lose = (seq: number) => ledger.add({ stream: 'a', firstSeq: seq, lastSeq: seq }, 'spool_full', 'h', 'now');
    lose(1);
    expect(ledger.take(1_000)).toHaveLength(1);
    lose(2);
    expect(ledger.take(60_999)).toHaveLength(0);
    lose(3);
    expect(ledger.take(61_000)[0]?.gaps).toMatchObject([{ firstSeq: 2, lastSeq: 3 }]);
    lose(4);
    expect(ledger.take(61_001, true)).toHaveLength(1);
  });
});
