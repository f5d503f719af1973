import type { Presence } from '@heliograph/client';
import { TranscriptFold } from '@heliograph/transcript';
import type { Snapshot } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { answerableQuestions, isBeingRead, runningTurn } from './live.ts';

const asking = () =>
  new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) })
    .prompt('go')
    .ask({ toolCallId: '1', title: 'ls', kind: 'execute' }, [{ optionId: 'a', name: 'Yes', kind: 'allow_once' }]);

function transcriptOf(story: StoryAgent) {
  const fold = new TranscriptFold();
  for (const event of story.events) fold.insert(event);
  return fold.transcript(story.channelId);
}

test('DT11: nothing works and nothing can be answered before a snapshot names its stream', () => {
  const story = asking();
  const transcript = transcriptOf(story);
  const live = story.presence();
  expect(answerableQuestions(live, transcript)).toHaveLength(1);
  expect(runningTurn(live, transcript)?.status).toBe('open');
  const others: readonly (Presence | undefined)[] = [
    undefined,
    { ...live, harness: 'waiting' },
    { ...live, harness: 'silent' },
    { ...live, liveStreams: [] },
    { ...live, liveStreams: ['another'] },
  ];
  for (const presence of others) {
    expect(answerableQuestions(presence, transcript)).toEqual([]);
    expect(runningTurn(presence, transcript)).toBeUndefined();
  }
});

test('DT11: a request without a nonce, or decided, is not answerable', () => {
  const story = new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) });
  story.prompt('go').ask({ toolCallId: '1', title: 'ls' }, [{ optionId: 'a', name: 'Yes', kind: 'allow_once' }], false);
  expect(answerableQuestions(story.presence(), transcriptOf(story))).toEqual([]);
  const decided = asking().decide('a');
  expect(answerableQuestions(decided.presence(), transcriptOf(decided))).toEqual([]);
});

test('DT107: an open turn whose newest lines are on their way is being read, not running, unless the harness says so', () => {
  const story = new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) });
  story.prompt('go').say('on it');
  const here = story.events.length;
  story.say('and done').end('end_turn');
  const fold = new TranscriptFold();
  for (const event of story.events.slice(0, here)) fold.insert(event);
  const stream = story.events.at(-1)?.stream ?? '';
  const open = fold.transcript(story.channelId).turns.findLast((turn) => turn.source !== 'none');
  const channel = { channelId: story.channelId, turns: [], queue: [], pending: [] };
  const snapshot = (activeTurn?: string, now = '2026-12-01T00:00:00Z') =>
    ({ now, channels: [{ ...channel, ...(activeTurn === undefined ? {} : { activeTurn }) }] }) as unknown as Snapshot;
  const states = (told: Snapshot | undefined) => {
    const transcript = fold.transcript(story.channelId);
    const [presence, ref] = [story.presence(), told];
    return [isBeingRead(presence, transcript, ref), runningTurn(presence, transcript, ref) !== undefined];
  };
  expect(states(snapshot())).toEqual([false, true]);
  fold.log.announce(stream, story.events.at(-1)?.seq ?? 0);
  expect(states(snapshot())).toEqual([true, false]);
  expect(states(snapshot(open?.id))).toEqual([false, true]);
  expect(states(snapshot(undefined, '2026-11-29T00:00:00Z'))).toEqual([false, true]);
  expect(states(undefined)).toEqual([false, true]);
  for (const event of story.events.slice(here)) fold.insert(event);
  expect(states(snapshot())).toEqual([false, false]);
});
