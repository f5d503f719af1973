import { expect, it } from 'vitest';
import { listeningUrls } from './listening-urls.ts';

it('RL12: on loopback every name of loopback is this relay', () => {
  const synonyms = ['ws://127.0.0.1:7447', 'ws://localhost:7447', 'ws://[::1]:7447'];
  expect(listeningUrls('127.0.0.1', 7447, undefined, ['192.0.2.7'])).toEqual(synonyms);
  expect(listeningUrls('LOCALHOST', 7447, undefined, ['192.0.2.7']).sort()).toEqual([...synonyms].sort());
  expect(listeningUrls('::1', 7447, undefined, [])[0]).toBe('ws://[::1]:7447');
});

it('RL12: on all addresses each of them is, and one that can be connected to is announced', () => {
  expect(listeningUrls('0.0.0.0', 80, undefined, ['127.0.0.1', '192.0.2.7', 'fe80::1'])).toEqual([
    'ws://127.0.0.1:80',
    'ws://localhost:80',
    'ws://[::1]:80',
    'ws://192.0.2.7:80',
    'ws://[fe80::1]:80',
  ]);
});

it('RL12: on one address only that is, and a public URL comes first', () => {
  expect(listeningUrls('192.0.2.7', 7447, 'wss://relay.example/x', ['192.0.2.8'])).toEqual([
    'wss://relay.example/x',
    'ws://192.0.2.7:7447',
  ]);
  expect(listeningUrls('192.0.2.7', 7447, 'ws://192.0.2.7:7447')).toEqual(['ws://192.0.2.7:7447']);
});
