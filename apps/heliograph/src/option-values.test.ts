import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import {
  parseDuration,
  parseEnd,
  parseKey,
  parseName,
  parsePort,
  parseRelayUrl,
  parseTime,
  parseUntil,
  repeatable,
} from './option-values.ts';

const npub = 'npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6';
const hex = '3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d';

test('CL1: a port is a number from 0 to 65535', () => {
  expect(parsePort('0')).toBe(0);
  expect(parsePort('65535')).toBe(65_535);
  for (const bad of ['65536', '-1', '1.5', 'http', '', ' 1'])
    expect(() => parsePort(bad)).toThrow(InvalidArgumentError);
});

test('CL1: a relay is a ws or wss address', () => {
  expect(parseRelayUrl('WS://Host:7447/')).toBe('ws://host:7447');
  for (const bad of ['http://h', 'h:7447', 'ws://', 'ws://u:p@h', ''])
    expect(() => parseRelayUrl(bad)).toThrow(/like ws:/);
});

test('CL1: a public key is npub or hex', () => {
  expect(parseKey(npub)).toBe(hex);
  expect(parseKey(hex)).toBe(hex);
  expect(() => parseKey('alice')).toThrow(/npub1… or 64 hex/);
});

test('CL1, CL3: a repeatable flag adds up; one value may hold several', () => {
  const parse = repeatable(parseRelayUrl);
  expect(parse('ws://b, ws://c', parse('ws://a', undefined))).toEqual(['ws://a', 'ws://b', 'ws://c']);
});

test('CL1: a name is one line of 1 to 64 characters', () => {
  expect(parseName(' Build box ')).toBe('Build box');
  for (const bad of ['', ' ', 'a\nb', 'x'.repeat(65)]) expect(() => parseName(bad)).toThrow(InvalidArgumentError);
});

test('CL1: a time is a number of seconds, minutes or hours, or off', () => {
  expect(parseDuration('45s')).toBe(45_000);
  expect(parseDuration('15m')).toBe(900_000);
  expect(parseDuration('2h')).toBe(7_200_000);
  expect(parseDuration('off')).toBe(0);
  for (const bad of ['', '15', '0m', '-1s', '1.5h', '15 m', '2d', '999999h'])
    expect(() => parseDuration(bad)).toThrow(/like 45s, 15m or 2h/);
});

test('CL1: a date is a day or a time with its zone, in the future', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  expect(parseUntil('2027-12-31', nowMs)).toBe(Date.UTC(2027, 11, 31) / 1000);
  expect(parseUntil('2026-06-01T12:00:00+02:00', nowMs)).toBe(Date.UTC(2026, 5, 1, 10) / 1000);
  for (const bad of ['tomorrow', '31.12.2027', '2027-13-01', '2027-12-31T18:00'])
    expect(() => parseUntil(bad, nowMs)).toThrow(/like 2027/);
  expect(() => parseUntil('2025-12-31', nowMs)).toThrow(/future/);
});

test('AR132: a time is a day or a moment of the calendar in UTC; an end without its rest means all of it', () => {
  expect(['2026-11-30', '2026-11-30T09:00', '2026-11-30T09:00:07.5Z'].map(parseTime)).toEqual([
    '2026-11-30T00:00:00.000Z',
    '2026-11-30T09:00:00.000Z',
    '2026-11-30T09:00:07.500Z',
  ]);
  expect(['2024-02-29', '2026-11-30T09:00Z', '2026-11-30T09:00:07', '2026-11-30T09:00:07.5'].map(parseEnd)).toEqual([
    '2024-02-29T23:59:59.999Z',
    '2026-11-30T09:00:59.999Z',
    '2026-11-30T09:00:07.999Z',
    '2026-11-30T09:00:07.500Z',
  ]);
  for (const text of [
    'last week',
    'yesterday',
    '7d',
    '',
    '2026-13-45',
    '2026-11-31',
    '2025-02-29',
    '2026-11-30T25:00',
  ]) {
    for (const parse of [parseTime, parseEnd])
      expect(() => parse(text), text).toThrow(/Expected a day or a time in UTC/);
  }
});
