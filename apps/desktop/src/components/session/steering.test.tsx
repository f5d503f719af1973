// @vitest-environment happy-dom
import type { ControlProgress, ViewerEvent } from '@heliograph/client';
import type { Snapshot } from '@heliograph/wire';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { findAgent } from '../../store/desktop-store.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { settingsOf, snapshotChannel } from '../../store/session-settings.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { Composer } from './Composer.tsx';
import { OutgoingPrompts } from './OutgoingPrompts.tsx';
import { SessionHeader } from './SessionHeader.tsx';

afterEach(cleanup);

/** The story's session with its header, as the page draws it. */
function open(name: string, isRunning = false, snapshotOf?: (ref: SessionRef) => object) {
  const story = (STORIES[name] as (nowMs: number) => Story)(Date.now());
  const { desktop, posted, tell: hear } = openStory(story, (fire) => fire());
  const ref = story.selected as SessionRef;
  const agent = () => findAgent(desktop.store.getState(), ref.agent) as NonNullable<ReturnType<typeof findAgent>>;
  if (snapshotOf !== undefined)
    hear([{ type: 'snapshot', agent: ref.agent, snapshot: snapshotOf(ref) as unknown as Snapshot }]);
  const nothing = () => undefined;
  render(
    <DesktopProvider value={desktop}>
      <SessionHeader
        agent={agent()}
        session={ref}
        isRailOpen={false}
        isRunning={isRunning}
        isFinding={false}
        onFind={nothing}
        isReplaying={false}
        onReplay={nothing}
        onToggleRail={nothing}
        onBack={nothing}
      />
      <OutgoingPrompts session={ref} />
    </DesktopProvider>,
  );
  const tell = (event: ViewerEvent) => act(() => hear([event]));
  return {
    desktop,
    posted,
    ref,
    agent,
    sent: () => posted.flatMap((message) => (message.type === 'control' ? [message.draft] : [])),
    tell,
    progress(change: Partial<ControlProgress>) {
      const requestId = desktop.store.getState().controls.at(-1)?.requestId ?? '';
      tell({
        type: 'control',
        progress: { requestId, agent: ref.agent, type: 'x', phase: 'sent', ...change } as ControlProgress,
      });
    },
  };
}

const choose = (testId: string, value: string) => fireEvent.change(screen.getByTestId(testId), { target: { value } });
const shown = (testId: string) => (screen.getByTestId(testId) as HTMLSelectElement).value;

test('DT76: a picker shows what the agent confirmed; another choice is an order whose progress stands beside it', () => {
  const { ref, sent, progress } = open('running');
  expect(shown('setting-model')).toBe('opus-5');
  choose('setting-model', 'haiku-5');
  expect(sent()).toEqual([{ type: 'switch_model', channelId: ref.channelId, modelId: 'haiku-5' }]);
  expect(shown('setting-model')).toBe('opus-5');
  progress({ phase: 'received' });
  expect(screen.getByTestId('order-model').textContent).toBe('asked the agent');
  progress({ phase: 'failed', result: { type: 'switch_model', status: 'failure', reason: 'not now' } });
  expect(screen.getByTestId('order-model').textContent).toBe('not now');
  fireEvent.click(screen.getByTestId('session-menu'));
  choose('setting-option:effort', 'low');
  fireEvent.click(screen.getByTestId('setting-option:fast'));
  expect(sent().slice(1)).toEqual([
    { type: 'set_config_option', channelId: ref.channelId, configId: 'effort', value: 'low' },
    { type: 'set_config_option', channelId: ref.channelId, configId: 'fast', value: true },
  ]);
});

test('DT76: who joined late is shown what the snapshot tells', () => {
  const config = { modes: { currentModeId: 'plan', availableModes: [{ id: 'plan', name: 'Plan' }] } };
  const { agent, ref, tell } = open('new');
  const channel = { channelId: ref.channelId, config } as Snapshot['channels'][number];
  tell({ type: 'snapshot', agent: ref.agent, snapshot: { channels: [channel] } as unknown as Snapshot });
  const bare = { models: [], modes: [], configOptions: [] } as unknown as Parameters<typeof settingsOf>[0];
  const { mode, model } = settingsOf(bare, snapshotChannel(agent(), ref.channelId));
  expect([mode?.value, model]).toEqual(['plan', undefined]);
});

test('DT96: of what an agent offers by the thousand the first are drawn', () => {
  const many = Array.from({ length: 3_000 }, (_, at) => ({ id: `${at}`, name: `${at}` }));
  const configOptions = many.map(({ id }) => ({ id, name: id, type: 'select', category: undefined, options: many }));
  const told = { models: many, modes: [], configOptions } as unknown as Parameters<typeof settingsOf>[0];
  const { model, others } = settingsOf(told, undefined);
  expect([model?.choices.length, others.length, others[0]?.choices.length]).toEqual([500, 32, 500]);
});

test('DT77: a new session is opened in a channel of its own, and shown once it is there', () => {
  const { sent, progress, desktop, ref, posted } = open('running');
  fireEvent.click(screen.getByTestId('session-menu'));
  fireEvent.click(screen.getByTestId('new-session'));
  fireEvent.change(screen.getByTestId('session-cwd'), { target: { value: '/srv/other' } });
  fireEvent.click(screen.getByTestId('open-session-go'));
  const [draft] = sent();
  expect(draft).toMatchObject({ type: 'new_session', cwd: '/srv/other' });
  const channelId = draft?.type === 'new_session' ? draft.channelId : '';
  expect(channelId).not.toBe(ref.channelId);
  progress({ phase: 'failed', result: { type: 'new_session', status: 'failure', reason: 'no folder' } });
  expect(screen.getByTestId('open-session-state').textContent).toBe('no folder');
  fireEvent.click(screen.getByTestId('open-session-go'));
  progress({ phase: 'done', type: 'new_session', result: { type: 'new_session', status: 'applied' } });
  expect(desktop.store.getState().selected).toEqual({ agent: ref.agent, channelId });
  expect(screen.queryByTestId('open-session')).toBeNull();
  expect(posted.at(-1)).toEqual({ type: 'resync', agent: ref.agent });
});

test('DT77: restarting in an open turn takes a second press; policies are for here, everywhere, or to stay', () => {
  const { sent, ref } = open('running', true);
  fireEvent.click(screen.getByTestId('session-menu'));
  fireEvent.click(screen.getByTestId('restart-agent'));
  expect(sent()).toEqual([]);
  fireEvent.click(screen.getByTestId('restart-agent'));
  choose('policy-session', 'reject');
  fireEvent.click(screen.getByLabelText(/Keep the next choice/));
  choose('policy-agent', 'allow');
  expect(sent()).toEqual([
    { type: 'restart_agent' },
    { type: 'set_policy', policy: 'reject', channelId: ref.channelId },
    { type: 'set_policy', policy: 'allow', persist: true },
  ]);
  expect(screen.getByTestId<HTMLButtonElement>('close-session').disabled).toBe(true);
});

test.each([
  ['allow', undefined, 'Allows all by itself'],
  ['ask', 'reject', 'Rejects all by itself'],
  ['allow', 'ask', undefined],
  ['ask', undefined, undefined],
] as const)('DT196: of the agent’s policy %s and the session’s %s the header says %s', (whole, own, words) => {
  open('permission', false, ({ channelId }) => ({
    policy: whole,
    channels: [{ channelId, ...(own === undefined ? {} : { policy: own }) }],
  }));
  expect(screen.queryByTestId('policy-told')?.textContent).toBe(words);
});

test('DT78: a prompt that waits is changed and taken back', () => {
  const { sent, ref } = open('queue', true);
  const [first] = screen.getAllByTestId('queued-edit');
  fireEvent.click(first as HTMLElement);
  fireEvent.change(screen.getByTestId('queued-text'), { target: { value: 'Only once.' } });
  expect(sent()).toEqual([]);
  fireEvent.click(screen.getByTestId('queued-save'));
  fireEvent.click(screen.getByTestId('queued-remove'));
  expect(sent()).toEqual([
    {
      type: 'replace_queued',
      channelId: ref.channelId,
      promptRequestId: '11111111-1111-4111-8111-111111111111',
      content: [{ type: 'text', text: 'Only once.' }],
    },
    { type: 'unqueue', channelId: ref.channelId, promptRequestId: '22222222-2222-4222-8222-222222222222' },
  ]);
});

test('DT79: during a turn a prompt goes after it, into it, or in its place; each time it is said anew', () => {
  const { desktop, ref, agent, sent } = open('running', true);
  const running = agent().told.transcript(ref.channelId).turns.at(-1);
  render(
    <DesktopProvider value={desktop}>
      <Composer
        agent={ref.agent}
        agentName="Claude"
        channelId={ref.channelId}
        draftKey="k"
        blocked={undefined}
        running={running}
        waitsSince={undefined}
      >
        {null}
      </Composer>
    </DesktopProvider>,
  );
  const say = (text: string) => {
    fireEvent.change(screen.getByTestId('composer'), { target: { value: text } });
    fireEvent.click(screen.getByTestId('send'));
  };
  choose('when', 'interrupt');
  say('stop that');
  say('and then');
  expect(sent()).toMatchObject([{ mode: 'interrupt' }, { content: [{ text: 'and then' }] }]);
  expect(sent()[1]).not.toHaveProperty('mode');
});

test('DT80, DT81: a command is taken by Enter, a file goes along, one of a kind the agent does not take is refused by name', async () => {
  const { desktop, ref, sent } = open('running');
  const commands = [{ name: 'compact', description: 'Shorten the context' }];
  render(
    <DesktopProvider value={desktop}>
      <Composer
        agent={ref.agent}
        agentName="Claude"
        channelId={ref.channelId}
        draftKey="other"
        blocked={undefined}
        running={undefined}
        waitsSince={undefined}
        promptable={{ cwd: '/srv', accepts: [], commands, paths: () => [] }}
      >
        {null}
      </Composer>
    </DesktopProvider>,
  );
  const field = screen.getByTestId<HTMLTextAreaElement>('composer');
  fireEvent.change(field, { target: { value: '/co' } });
  expect(screen.getByTestId('suggestions').textContent).toContain('/compact');
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(field.value).toBe('/compact ');
  expect(sent()).toEqual([]);
  const files = [
    new File(['# hi'], 'note.md', { type: 'text/markdown' }),
    new File(['x'], 'p.png', { type: 'image/png' }),
  ];
  fireEvent.change(screen.getByTestId('attach-input'), { target: { files } });
  await screen.findByTestId('attachment');
  expect((await screen.findByTestId('attachment-problem')).textContent).toBe('p.png: this agent takes no pictures');
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(sent()).toMatchObject([{ content: [{ text: '/compact ' }, { type: 'text', text: 'note.md:\n# hi' }] }]);
  expect(screen.queryByTestId('attachment')).toBeNull();
});
