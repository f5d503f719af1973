import { describe, expect, test } from 'vitest';
import type { NostrEvent } from './event.ts';
import { compileFilter, type Filter, matchFilter, parseFilter, tagFilters } from './filter.ts';

const hex = (digit: string): string => digit.repeat(64);
const event: NostrEvent = {
  id: hex('1'),
  pubkey: hex('a'),
  created_at: 100,
  kind: 7,
  tags: [['p', hex('b'), 'wss://x'], ['t', 'one'], ['t', 'two'], ['d'], ['E', 'x']],
  content: '',
  sig: '0'.repeat(128),
};

describe('parseFilter', () => {
  test('NO9: takes NIP-01’s members, tag filters of one letter, and search', () => {
    const filter = {
      ids: [hex('1')],
      authors: [],
      kinds: [0, 65_535],
      '#e': [hex('2')],
      '#p': [hex('3')],
      '#t': ['', 'x'],
      '#E': ['anything'],
      since: 0,
      until: Number.MAX_SAFE_INTEGER,
      limit: 0,
      search: 'words',
    };
    expect(parseFilter(filter)).toEqual({ ok: true, value: filter });
    expect(parseFilter({})).toEqual({ ok: true, value: {} });
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['an array', []],
    ['a string', 'x'],
    ['ids not a list', { ids: hex('1') }],
    ['an id prefix', { ids: ['11'] }],
    ['an upper-case author', { authors: [hex('A')] }],
    ['a short #p', { '#p': ['b'] }],
    ['a #e that is no id', { '#e': [hex('g')] }],
    ['a kind over 65535', { kinds: [65_536] }],
    ['a kind as text', { kinds: ['1'] }],
    ['a negative kind', { kinds: [-1] }],
    ['since negative', { since: -1 }],
    ['since a fraction', { since: 1.5 }],
    ['until null', { until: null }],
    ['limit as text', { limit: '5' }],
    ['a tag value that is no text', { '#t': [1] }],
    ['a tag filter that is no list', { '#t': 'x' }],
    ['a lone surrogate', { '#t': ['\ud800'] }],
    ['search not text', { search: 1 }],
  ])('NO9: %s is malformed', (_, value) => {
    expect(parseFilter(value)).toMatchObject({ ok: false, error: { code: 'malformed' } });
  });

  test.each<[string, unknown]>([
    ['a member of no NIP', { foo: 1 }],
    ['a tag filter of two letters', { '#tt': ['x'] }],
    ['a tag filter of no letter', { '#': ['x'] }],
    ['a tag filter of a digit', { '#1': ['x'] }],
    ['an "and" filter', { '&t': ['x'] }],
    ['__proto__', JSON.parse('{"__proto__":{"ids":[]}}')],
    ['constructor', { constructor: 1 }],
  ])('NO9: %s is unsupported', (_, value) => {
    expect(parseFilter(value)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  });
});

describe.each([
  ['matchFilter', matchFilter],
  ['compileFilter', (filter: Filter, candidate: NostrEvent) => compileFilter(filter)(candidate)],
])('%s', (_, match) => {
  test.each<[string, Filter]>([
    ['nothing asked', {}],
    ['the id', { ids: [hex('0'), hex('1')] }],
    ['the author', { authors: [hex('a')] }],
    ['the kind', { kinds: [7] }],
    ['since its own second', { since: 100 }],
    ['until its own second', { until: 100 }],
    ['a tag', { '#p': [hex('b')] }],
    ['the second of two tags of a name', { '#t': ['two'] }],
    ['tags of two names', { '#p': [hex('b')], '#t': ['one', 'none'] }],
    ['an upper-case tag', { '#E': ['x'] }],
    ['a limit of nothing, which is about stored events', { limit: 0 }],
  ])('NO10: passes %s', (_name, filter) => {
    expect(match(filter, event)).toBe(true);
  });

  test.each<[string, Filter]>([
    ['another id', { ids: [hex('2')] }],
    ['an empty list', { ids: [] }],
    ['an empty tag list', { '#t': [] }],
    ['another author', { authors: [hex('b')] }],
    ['another kind', { kinds: [1] }],
    ['since later', { since: 101 }],
    ['until earlier', { until: 99 }],
    ['a tag value in another place', { '#p': ['wss://x'] }],
    ['a tag without value', { '#d': ['', 'undefined'] }],
    ['a tag of the other case', { '#e': [hex('b')] }],
    ['one of two tags missing', { '#t': ['one'], '#p': [hex('c')] }],
  ])('NO10: stops %s', (_name, filter) => {
    expect(match(filter, event)).toBe(false);
  });
});

test('NO10: tagFilters lists names without their #', () => {
  expect(tagFilters({ kinds: [1], '#p': ['x'], '#t': [] })).toEqual([
    ['p', ['x']],
    ['t', []],
  ]);
});
