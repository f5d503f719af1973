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

  test('HA221: what is cut by reads, by pauses or by the bound is hidden as a whole; a line that does not end is told a moment later', () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const feed = new StderrFeed(clock, (text) => told.push(text));
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${'TUlJRQ\n'.repeat(40)}-----END RSA PRIVATE KEY-----\n`;
    const text = `with sk-0123456789abcdefghij\rand\n${key}after\npassword: hunter22\n`;
    for (const char of text) {
      feed.push(utf8Encode(char));
      clock.advance(90);
    }
    clock.advance(1_000);
    expect(told.join('')).toBe('with [redacted]\rand\n[redacted]\nafter\npassword: [redacted]\n');
    feed.push(utf8Encode(`sk-0123456789abcdefghij `.repeat(400)));
    clock.advance(500);
    expect(told.join('')).not.toMatch(/[0-9a-j]{8}/);
    feed.push(utf8Encode('\nContinue? '));
    clock.advance(1_000);
    expect(told.at(-1)).toBe('Continue? ');
    feed.push(utf8Encode(`-----BEGIN PRIVATE KEY-----\n${'x'.repeat(20_000)}\nnever ended\n`));
    clock.advance(500);
    feed.push(utf8Encode('and goes on\n'.repeat(1_500)));
    clock.advance(500);
    expect(told.at(-1)).toContain('and goes on');
    expect(feed.tail()).toContain('and goes on');
  });
});
