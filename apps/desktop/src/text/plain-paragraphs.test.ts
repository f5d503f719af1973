import { expect, test } from 'vitest';
import { plainParagraphs } from './plain-paragraphs.ts';

test('DT177: a text of words alone is its paragraphs', () => {
  expect(plainParagraphs('I’ll look at it: first (part 1), then – maybe – 100% of the rest… ')).toEqual([
    'I’ll look at it: first (part 1), then – maybe – 100% of the rest…',
  ]);
  expect(plainParagraphs('Eins\nzwei\n\n„Drei“ 漢字')).toEqual(['Eins\nzwei', '„Drei“ 漢字']);
});

test('DT177: a text with any sign that could mean something is none', () => {
  for (const text of [
    '',
    '- one',
    '1. one',
    '23) one',
    '# one',
    '    code',
    'a *b*',
    'a _b_',
    'a `b`',
    'a ~~b~~',
    'a <b>',
    'a &amp; b',
    'a | b',
    'a [b]',
    'see www.example.org',
    'see https://example.org',
    'a@b.example',
    'one\n===',
    'one\n---',
    'one  \ntwo',
    'one\\\ntwo',
    'one\r\ntwo',
    'one\ttwo',
    'rm \u202etxt',
    'a\u00a0b',
  ])
    expect(plainParagraphs(text), JSON.stringify(text)).toBeUndefined();
});

test('DT177: spaces without end are looked at once', () => {
  const startMs = performance.now();
  const text = `a${' '.repeat(120_000)}b`;
  expect(plainParagraphs(`${text} `)).toEqual([text]);
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
