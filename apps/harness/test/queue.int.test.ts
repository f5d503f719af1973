import type { PromptQueued } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const text = (words: string) => [{ type: 'text', text: words } as { type: string }];

/** An agent in a turn that ends when it is steered to "stop" or cancelled. */
async function working(how: string) {
  const harness = await stage.harness({ script: 'steers.mjs', agentEnv: { AGENT_STEERING: how } });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'work');
  await viewer.until('the work', () => viewer.events().find(({ payload }) => payload.includes('"working"')));
  const { channelId } = harness;
  const turnId = viewer.find('turn_started')?.event.turnId as string;
  const cancel = () => viewer.ask({ type: 'cancel_turn', channelId, turnId });
  const said = (words: string) =>
    viewer.until(words, () => viewer.events().find(({ payload }) => payload.includes(words)));
  return { viewer, channelId, said, cancel };
}

describe('prompts that wait', () => {
  test('HA83: every viewer sees what waits; the owner takes one back, changes another, and the changed one runs', async () => {
    const { viewer, channelId, said, cancel } = await working('none');
    const other = await stage.watch();
    const first = viewer.prompt(channelId, 'one');
    const second = viewer.prompt(channelId, 'two');
    const seen = await other.until('the second', () =>
      other.find<PromptQueued>('prompt_queued', (p) => p.promptRequestId === second),
    );
    expect(seen.payload).toMatchObject({ position: 2, content: text('two') });
    const removed = await viewer.ask({ type: 'unqueue', channelId, promptRequestId: first });
    expect(removed.result?.status).toBe('removed');
    const taken = await viewer.until('the first taken back', () =>
      viewer.find<PromptQueued>('prompt_dequeued', (p) => p.promptRequestId === first),
    );
    expect(taken.payload).toMatchObject({ promptRequestId: first, reason: 'removed' });
    const replaced = await other.ask({
      type: 'replace_queued',
      channelId,
      promptRequestId: second,
      content: text('deux'),
    });
    expect(replaced.result?.status).toBe('replaced');
    await viewer.until('the change', () =>
      viewer.find<PromptQueued>('prompt_queued', (p) => p.position === 1 && p.reason === 'replaced'),
    );
    const again = await viewer.ask({ type: 'unqueue', channelId, promptRequestId: first });
    expect(again).toMatchObject({ phase: 'failed', result: { status: 'unknown' } });
    await cancel();
    await said('prompted deux');
    expect(viewer.events().some(({ payload }) => payload.includes('prompted'))).toBe(true);
    expect(viewer.events().some(({ payload }) => payload.includes('prompted one'))).toBe(false);
    const late = await viewer.ask({ type: 'replace_queued', channelId, promptRequestId: second, content: text('x') });
    expect(late.result?.status).toBe('unknown');
  });

  test.each([
    ['codex', '_session/steering'],
    ['goose', '_goose/unstable/session/steer'],
  ])('HA84: a prompt with mode steer goes into the open turn of an agent that takes it (%s)', async (how, method) => {
    const { viewer, channelId, said } = await working(how);
    const steered = await viewer.ask({ type: 'prompt', channelId, content: text('stop'), mode: 'steer' });
    expect(steered.result).toMatchObject({ status: 'steered' });
    await said('heard stop');
    await viewer.until('the end', () => viewer.find('turn_completed'));
    const written = viewer
      .events()
      .find(({ kind, payload }) => kind === 'acp_write' && payload.includes(`"${method}"`));
    expect(written?.via).toBe('owner');
    expect(viewer.events().filter(({ kind }) => kind === 'turn_started')).toHaveLength(1);
  });

  test.each(['none', 'refuses'])('HA84: where the agent does not take it (%s) it waits like any other', async (how) => {
    const { viewer, channelId, said, cancel } = await working(how);
    const queued = await viewer.ask({ type: 'prompt', channelId, content: text('later'), mode: 'steer' });
    expect(queued.result?.status).toBe('queued');
    await cancel();
    await said('prompted later');
  });
});
