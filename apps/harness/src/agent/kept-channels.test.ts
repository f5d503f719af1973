import { utf8Length } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { Channels } from './channels.ts';
import { describeKept } from './kept-channels.ts';

test('HA215: what is written down for the next run fits one ciphertext; channels that were quiet longest are let go', () => {
  const timestamps = Array.from({ length: 64 }, (_, at) => ({ timestamp: `2026-01-01T00:00:${10 + at}Z` }));
  const next = timestamps.values();
  const channels = new Channels(
    'run',
    () => crypto.randomUUID(),
    () => next.next().value as { timestamp: string },
  );
  const all = timestamps.map((_, at) => channels.open({ cwd: `/${'é'.repeat(500)}/${at}` }));
  const [main, ...others] = all as [(typeof all)[number], ...typeof all];
  const kept = describeKept('agent', main, others);
  expect(utf8Length(JSON.stringify(kept))).toBeLessThan(65_408);
  expect(kept.channels.length).toBeGreaterThan(40);
  const newest = all.slice(-(kept.channels.length - 1)).reverse();
  expect(kept.channels.map(({ channelId }) => channelId)).toEqual([main, ...newest].map((one) => one.channelId));
});
