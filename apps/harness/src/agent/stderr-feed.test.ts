import { utf8Encode } from '@heliograph/wire';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { StderrFeed } from './stderr-feed.ts';

describe('stderr', () => {
  test('HA44: text gathers, a flood is cut to its newest part and the cut counted, secrets are hidden', () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const feed = new StderrFeed(clock, (text) => told.push(text));
    const bytes = utf8Encode('first é\n');
    feed.push(bytes.subarray(0, 7));
    feed.push(bytes.subarray(7));
    expect(told).toEqual([]);
    clock.advance(500);
    expect(told).toEqual(['first é\n']);
    for (let i = 0; i < 1_000; i++) feed.push(utf8Encode(`line ${i} of a flood\n`));
    feed.push(utf8Encode('token=abcdef123\n'));
    clock.advance(500);
    expect(told).toHaveLength(2);
    expect(told[1]?.length).toBeLessThan(4_200);
    expect(told[1]).toMatch(/^\[\d+ characters left out\]\n/);
    expect(told[1]).toContain('token=[redacted]');
    expect(feed.tail().split('\n')).toHaveLength(8);
    expect(feed.tail()).not.toContain('abcdef123');
  });

  test('HA44: what waits is told when the agent ends', () => {
    const told: string[] = [];
    const feed = new StderrFeed(new ManualClock(), (text) => told.push(text));
    feed.push(utf8Encode('last words'));
    feed.end();
    expect(told).toEqual(['last words']);
  });
});
