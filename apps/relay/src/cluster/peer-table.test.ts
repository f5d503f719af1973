import { expect, it } from 'vitest';
import { PeerTable } from './peer-table.ts';

it('RL102: another relay may be there until it was silent for long, or said that it goes, and always just after joining', () => {
  let nowMs = 0;
  const peers = new PeerTable(() => nowMs);
  expect(peers.mayBeHeard()).toBe(false);
  peers.joined();
  expect(peers.mayBeHeard()).toBe(true);
  nowMs += 7_000;
  expect(peers.mayBeHeard()).toBe(false);
  expect([peers.heard('a'), peers.heard('a'), peers.heard('b')]).toEqual([true, false, true]);
  nowMs += 6_000;
  peers.heard('b');
  expect(peers.count()).toBe(2);
  nowMs += 2_000;
  expect(peers.count()).toBe(1);
  peers.gone('b');
  expect(peers.mayBeHeard()).toBe(false);
});

it('RL102: remembers no more relays than a cluster has', () => {
  const peers = new PeerTable(() => 0);
  for (let n = 0; n < 1_000; n++) peers.heard(`${n}`);
  expect(peers.count()).toBe(256);
});
