import { expect, test } from 'vitest';
import { type Attachment, MAX_PROMPT_BYTES, promptBytes, refuseKind, toPromptBlocks } from './prompt-blocks.ts';

const note: Attachment = { id: 1, name: 'a note.md', mimeType: 'text/markdown', kind: 'text', data: '# hi' };
const picture: Attachment = { id: 2, name: 'p.png', mimeType: 'image/png', kind: 'image', data: 'AAAA' };

test('DT80: a mentioned path goes along as a link, resolved in the folder; what is no path does not', () => {
  const text = 'Compare @src/a b.ts with @/etc/hosts, mail me@example.org about @nobody and @src/a.';
  expect(toPromptBlocks(text, [], '/work/my app', [])).toEqual([
    { type: 'text', text },
    { type: 'resource_link', uri: 'file:///work/my%20app/src/a', name: 'a' },
    { type: 'resource_link', uri: 'file:///etc/hosts', name: 'hosts' },
  ]);
  expect(toPromptBlocks('@./x.ts', [], undefined, [])).toHaveLength(1);
});

test('DT81: files go as the agent takes them', () => {
  expect(toPromptBlocks('', [picture, note], undefined, ['image', 'embeddedContext'])).toEqual([
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    {
      type: 'resource',
      resource: { uri: 'attachment:///a%20note.md', mimeType: 'text/markdown', text: '# hi' },
    },
  ]);
  expect(toPromptBlocks('read', [note], undefined, [])).toEqual([
    { type: 'text', text: 'read' },
    { type: 'text', text: 'a note.md:\n# hi' },
  ]);
  expect(refuseKind('image', ['audio'])).toContain('no pictures');
  expect(refuseKind('image', undefined)).toBeUndefined();
  expect(promptBytes(toPromptBlocks('é'.repeat(MAX_PROMPT_BYTES / 2), [], undefined, []))).toBeGreaterThan(
    MAX_PROMPT_BYTES,
  );
});
