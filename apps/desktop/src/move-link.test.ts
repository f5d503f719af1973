import { expect, test } from 'vitest';
import { moveLink, readMoveLink } from './move-link.ts';

const ncryptsec = `ncryptsec1${'q'.repeat(20)}`;

test('DT63: a link leads to the first relay’s page, also below a path, and reads back as it was made', () => {
  const link = moveLink({ ncryptsec, relays: ['wss://relay.example/a', 'ws://box:7447/?x=1&y'] });
  expect(link.split('#')[0]).toBe('https://relay.example/a/');
  expect(readMoveLink(link.split('#')[1] ?? '')).toEqual({ ncryptsec, relays: ['ws://box:7447/?x=1&y'] });
  expect(moveLink({ ncryptsec, relays: ['ws://h:1'] })).toBe(`http://h:1/#key=${ncryptsec}`);
});

test('DT63: what is no encrypted key is none, whatever stands around it, and odd relays are left out', () => {
  for (const text of ['', 'token', 'key=nsec1abc', `key=${ncryptsec}!`, 'key=', `relay=ws://h`]) {
    expect(readMoveLink(text)).toBeUndefined();
  }
  expect(readMoveLink(`key=${ncryptsec}&relay=javascript:alert(1)&relay=http://h&relay=wss://`)?.relays).toEqual([]);
});
