import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Turn } from '@heliograph/transcript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRunning } from '../../apps/harness/test/support/processes.ts';
import { AgentLife } from './agent-life.ts';
import { type AgentProfile, agents } from './agents.ts';
import { chosen } from './chosen-agents.ts';
import { GREETING, LONG_COMMAND_FILE } from './script.ts';
import { itemsOf, spoken } from './turn-words.ts';

// The owner's cancel meets each agent in every state a session can be in.

describe.each(chosen)('%s', (name) => {
  const { abilities }: AgentProfile = agents[name];
  let life: AgentLife;

  beforeAll(async () => {
    life = await AgentLife.begin(name, { hold: '"initialize"' });
  });
  afterAll(() => life?.end());

  /** That turn ended once, and what it is asked next the agent answers as if nothing had been. */
  async function endedOnceAndGoesOn(turn: Turn): Promise<void> {
    const completed = life.owner.events('turn_completed').filter(({ turnId }) => turnId === turn.id);
    expect(completed).toHaveLength(1);
    const next = await life.owner.play('text');
    expect(next).toMatchObject({ outcome: 'completed', stopReason: 'end_turn' });
    expect(spoken(next, 'agent')).toBe(life.said('text'));
  }

  test.each(['initialize', 'session/new'])(
    'AG9: a prompt sent while the agent is at %s waits, and is taken back',
    async (method) => {
      life.mirrored.hold(`"${method}"`);
      await life.watcher.until(`request of ${method}`, () =>
        life.rawLines().find(({ direction, label }) => direction === 'write' && label === method),
      );
      const queued = await life.owner.send('text');
      expect(queued).toMatchObject({ status: 'queued', reason: 'the agent is starting' });
      expect(await life.owner.cancel()).toMatchObject({ status: 'no_active_turn' });
      expect(await life.owner.unqueue(queued.requestId ?? '')).toMatchObject({ status: 'removed' });
      expect(life.owner.session().queue).toEqual([]);
      expect(life.owner.events('turn_started')).toEqual([]);
    },
  );

  test('AG10: a cancel in the silence before the first word ends the turn, and the agent hangs up on the model', async () => {
    life.mirrored.hold(undefined);
    // The first turn of a session takes some agents seconds: it is not the one to measure their patience by.
    await life.owner.play('text');
    const turnId = await life.owner.prompt('silent');
    await expect.poll(() => life.lastRequest('silent')).toBeDefined();
    expect(await life.owner.cancel(turnId)).toMatchObject({ status: 'cancelled', turnId });
    const turn = await life.owner.ended(turnId);
    expect(turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
    expect(spoken(turn, 'agent')).toBe('');
    if (abilities.hangsUp === true) await expect.poll(() => life.lastRequest('silent')?.aborted).toBe(true);
    await endedOnceAndGoesOn(turn);
  });

  test('AG10: a cancel while a permission waits answers it, and nothing is done', async () => {
    const turnId = await life.owner.prompt('edit');
    const permission = await life.owner.asked(turnId);
    expect(await life.owner.cancel(turnId)).toMatchObject({ status: 'cancelled', turnId });
    const turn = await life.owner.ended(turnId);
    expect(turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
    expect(itemsOf(turn, 'permission')).toMatchObject([
      { id: permission.id, state: 'decided', decision: { reason: 'cancelled', decidedBy: { who: 'owner' } } },
    ]);
    expect(await life.owner.decide(permission, 'allow_once')).toMatchObject({ status: 'already_decided' });
    const edit = itemsOf(turn, 'tool').find(({ toolCallId }) => toolCallId === permission.toolCallId);
    expect(edit?.status).toBe(abilities.cancelled.waiting);
    expect(readFileSync(join(life.stage.cwd, GREETING.file), 'utf8')).toBe(GREETING.before);
    await endedOnceAndGoesOn(turn);
  });

  test('AG11: a cancel while a command runs ends the turn and the command', async () => {
    const file = join(life.stage.cwd, LONG_COMMAND_FILE);
    // Of an earlier try, whose command may run still.
    rmSync(file, { force: true });
    const turnId = await life.owner.prompt('long');
    await life.owner.decide(await life.owner.asked(turnId), 'allow_once');
    const written = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
    await expect.poll(written).toMatch(/^\d+\n/);
    const command = Number(written());
    expect(isRunning(command)).toBe(true);
    expect(await life.owner.cancel(turnId)).toMatchObject({ status: 'cancelled', turnId });
    const turn = await life.owner.ended(turnId);
    expect(turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
    expect(itemsOf(turn, 'tool').map(({ status }) => status)).toEqual([abilities.cancelled.running]);
    await expect.poll(() => isRunning(command)).toBe(false);
    await endedOnceAndGoesOn(turn);
  });

  test('AG6: the raw lines equal what the tee saw, both ways', async () => {
    await life.mirrorsTee();
    expect(life.watcher.warnings).toEqual([]);
  });
});
