import { expect, test } from 'vitest';
import { moveLink, readMoveLink } from './move-link.ts';

const ncryptsec = `ncryptsec1${'q'.repeat(20)}`;
const [AGENT, OTHER] = ['a1'.repeat(32), 'b2'.repeat(32)];

test('DT63: a link leads to the first relay’s page, also below a path, and reads back as it was made', () => {
  const link = moveLink({
    ncryptsec,
    relays: ['wss://relay.example/a', 'ws://box:7447/?x=1&y'],
    revoked: [AGENT, OTHER],
  });
  expect(link.split('#')[0]).toBe('https://relay.example/a/');
  expect(readMoveLink(link.split('#')[1] ?? '')).toEqual({
    ncryptsec,
    relays: ['ws://box:7447/?x=1&y'],
    revoked: [AGENT, OTHER],
  });
  expect(moveLink({ ncryptsec, relays: ['ws://h:1'], revoked: [] })).toBe(`http://h:1/#key=${ncryptsec}`);
});

test('DT63: what is no encrypted key is none, whatever stands around it, and odd relays are left out', () => {
  for (const text of ['', 'token', 'key=nsec1abc', `key=${ncryptsec}!`, 'key=', `relay=ws://h`]) {
    expect(readMoveLink(text)).toBeUndefined();
  }
  expect(readMoveLink(`key=${ncryptsec}&relay=javascript:alert(1)&relay=http://h&relay=wss://`)?.relays).toEqual([]);
});

test('DT128: of revoked agents the newest 16 go along with the key, and odd ones are left out', () => {
  const many = Array.from({ length: 20 }, (_, at) => at.toString(16).padStart(64, '0'));
  const link = moveLink({ ncryptsec, relays: ['ws://h:1'], revoked: many });
  expect(readMoveLink(link.split('#')[1] ?? '')?.revoked).toEqual(many.slice(-16));
  expect(readMoveLink(`key=${ncryptsec}&revoked=${AGENT}x${AGENT}`)?.revoked).toEqual([AGENT]);
  expect(readMoveLink(`key=${ncryptsec}&revoked=%F0%9F%98%80`)?.revoked).toEqual([]);
});
