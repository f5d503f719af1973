import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { HeadsTeller } from './heads.ts';

describe('heads', () => {
  test('HA18: 1 s and 5 s after a stream went quiet, then every minute', () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const startMs = clock.nowMs();
    const teller = new HeadsTeller(clock, (heads) =>
      told.push(`${(clock.nowMs() - startMs) / 1_000}: ${heads.map(({ stream, seq }) => stream + seq).join(' ')}`),
    );
    teller.note({ stream: 'a', seq: 1, hash: 'h' });
    clock.advance(900);
    teller.note({ stream: 'a', seq: 2, hash: 'h' });
    clock.advance(10_000);
    teller.note({ stream: 'b', seq: 7, hash: 'h' });
    clock.advance(120_000);
    expect(told).toEqual(['1.9: a2', '5.9: a2', '11.9: b7', '15.9: b7', '60: a2 b7', '120: a2 b7']);
    teller.close();
    teller.note({ stream: 'b', seq: 8, hash: 'h' });
    clock.advance(600_000);
    expect(told).toHaveLength(6);
    expect(teller.all()).toMatchObject([{ seq: 2 }, { seq: 8 }]);
  });
});
