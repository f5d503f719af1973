import type { Presence } from '@heliograph/client';
import { TranscriptFold } from '@heliograph/transcript';
import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { answerableQuestions, runningTurn } from './live.ts';

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
