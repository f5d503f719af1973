// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { StoryAgent } from '../../dev/story-agent.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { SaveSession } from './SaveSession.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const GITHUB = `ghp_${'aB3'.repeat(12)}`;
const AWS = 'AKIAABCDEFGHIJKLMNOP';

test('DT130, DT132: each secret is listed without being shown, can be kept, and the file says how many were replaced', async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:x';
  });
  const agent = new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.now() })
    .prompt(`use ${GITHUB} and ${AWS}`)
    .say('Fine.')
    .end('end_turn');
  const { desktop } = openStory(
    {
      session: { phase: 'opening' },
      events: agent.viewerEvents(),
      selected: { agent: agent.publicKey, channelId: agent.channelId },
    },
    (fire) => fire(),
  );
  const [record] = desktop.store.getState().agents;
  if (record === undefined) throw new TypeError('the story has an agent');
  const open = async (closed: () => void) => {
    render(
      <DesktopProvider value={desktop}>
        <SaveSession
          agent={record}
          session={{ agent: agent.publicKey, channelId: agent.channelId }}
          format="markdown"
          onClose={closed}
        />
      </DesktopProvider>,
    );
    await expect.poll(() => screen.getByTestId('save-found').textContent).toBe('2 secrets, replaced where ticked.');
  };
  const save = () => act(async () => void fireEvent.click(screen.getByTestId('save-go')));

  await open(cleanup);
  const rows = screen.getAllByTestId('save-secret');
  expect(rows.map(({ dataset }) => dataset.kind)).toEqual(['github-token', 'aws-key-id']);
  expect(document.body.textContent).not.toContain(GITHUB);
  expect(rows[0]?.textContent).toContain('ghp_aB…B3 (40)');
  fireEvent.click(within(rows[1] as HTMLElement).getByRole('checkbox'));
  expect(rows[1]?.textContent).toContain('stays in the file');
  await save();
  await expect.poll(() => files).toHaveLength(1);
  const markdown = (await files[0]?.text()) ?? '';
  expect(markdown).toContain('[redacted:github-token]');
  expect([markdown.includes(GITHUB), markdown.includes(AWS)]).toEqual([false, true]);
  expect(markdown).toContain('of known shapes 1 secret is replaced, and by itself this file proves nothing');

  await open(cleanup);
  fireEvent.click(screen.getByTestId('save-as-jsonl'));
  await save();
  await expect.poll(() => files).toHaveLength(2);
  const lines = ((await files[1]?.text()) ?? '').trimEnd().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    type: 'heliograph-session',
    replaced: { 'github-token': 1, 'aws-key-id': 1 },
  });
  expect(lines).toHaveLength(agent.events.length + 1);
  expect(lines.slice(1).map((line) => JSON.parse(line).kind)).toEqual(agent.events.map(({ kind }) => kind));
  expect(lines.join('\n')).not.toMatch(new RegExp(`${GITHUB}|${AWS}`));
});
