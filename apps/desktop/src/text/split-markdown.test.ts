import { expect, test } from 'vitest';
import { splitMarkdown } from './split-markdown.ts';

test('DT6: a long message is cut at blank lines outside code and joins to itself', () => {
  const code = `\`\`\`\n${'x\n\n'.repeat(20_000)}\`\`\`\n`;
  const text = `${'word '.repeat(7_000)}\n\n${code}\n${'tail\n\n'.repeat(6_000)}`;
  const pieces = splitMarkdown(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect((piece.match(/^```/gm) ?? []).length % 2).toBe(0);
  expect(splitMarkdown('short')).toEqual(['short']);
});
