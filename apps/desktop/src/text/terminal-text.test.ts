import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toTerminalLines } from './terminal-text.ts';

const plain = (output: string) =>
  toTerminalLines(output)
    .map((line) => line.map((span) => span.text).join(''))
    .join('\n');

test('DT2: SGR colours become named looks and carry over lines', () => {
  expect(toTerminalLines('\u001b[31;1mbad\nstill\u001b[0m fine')).toEqual([
    [{ text: 'bad', look: 'sgr-red sgr-bold' }],
    [
      { text: 'still', look: 'sgr-red sgr-bold' },
      { text: ' fine', look: '' },
    ],
  ]);
  expect(toTerminalLines('\u001b[38;5;2mgreen\u001b[38;2;9;9;9mshade\u001b[92mbright')[0]?.map((s) => s.look)).toEqual([
    'sgr-green',
    '',
    'sgr-green',
  ]);
});

test('DT2: a carriage return starts the line over, CRLF ends it', () => {
  expect(plain('10 %\r50 %\r100 %\r\ndone\r')).toBe('100 %\ndone');
});

test('DT2: cursor moves, titles, links and broken escapes leave only their text', () => {
  expect(
    plain('a\u001b[2J\u001b[1;1Hb\u001b]0;owned\u0007c\u001b]8;;http://x.test\u001b\\d\u001b]8;;\u001b\\e\u001bcf'),
  ).toBe('abcdef');
  expect(plain('x\u001b]never ended')).toBe('x');
});

test('DT2: no escape character comes through, whatever the input', () => {
  const byte = fc.constantFrom('\u001b', '[', ']', '3', '1', ';', 'm', '\u0007', '\r', '\n', 'a', '\u009b', '\\', ' ');
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 40 }), (parts) => {
      expect(plain(parts.join(''))).not.toMatch(/(?!\n)\p{Cc}/u);
    }),
  );
});
