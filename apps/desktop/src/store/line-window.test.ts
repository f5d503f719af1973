import type { RawLine } from '@heliograph/transcript';
import { expect, test } from 'vitest';
import { LineWindow } from './line-window.ts';

const line = (seq: number) => ({ stream: 's', seq, lastSeq: seq, text: `${seq}` }) as RawLine;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => line(from + at));
const told = (from: number, to: number, count = to, edition = 0) =>
  ({ type: 'lines', id: 1, count, edition, from, lines: lines(from, to) }) as const;

test('DT171: the page knows at once how many lines there are, holds those looked at, and asks once for what is missing', () => {
  const window = new LineWindow();
  window.take(told(9_940, 10_000));
  expect([window.length, window.at(9_999)?.seq, window.at(9_939)]).toEqual([10_000, 9_999, undefined]);
  expect(window.missing(9_950, 9_980)).toBeUndefined();
  const asked = window.missing(9_920, 9_945);
  expect(asked).toEqual({ from: 9_886, count: 60 });
  expect(window.missing(9_920, 9_945)).toBeUndefined();
  window.take(told(9_886, 9_946, 10_000));
  expect(window.at(9_920)?.seq).toBe(9_920);
  expect(window.missing(5, 20)).toEqual({ from: 0, count: 60 });
});

test('DT171: what is far away goes, and comes back when it is looked at; lines that moved are asked for anew', () => {
  const window = new LineWindow();
  window.take(told(0, 600, 10_000));
  window.take(told(600, 1_200, 10_000));
  expect([window.at(0), window.at(199), window.at(200)?.seq]).toEqual([undefined, undefined, 200]);
  expect(window.missing(0, 20)).toEqual({ from: 0, count: 60 });
  window.take(told(10_040, 10_100, 10_100, 1));
  expect([window.at(1_000), window.length]).toEqual([undefined, 10_100]);
  expect(window.missing(1_000, 1_020)).toEqual({ from: 961, count: 60 });
});

test('DT171: a screen that shows more lines than are read at once asks for the rest once those are here', () => {
  const window = new LineWindow();
  window.take(told(0, 10, 1_000));
  expect(window.missing(5, 450)).toEqual({ from: 10, count: 200 });
  window.take(told(10, 210, 1_000));
  expect(window.missing(5, 450)).toEqual({ from: 210, count: 200 });
  window.take(told(210, 410, 1_000));
  expect(window.missing(5, 450)).toEqual({ from: 410, count: 60 });
});
