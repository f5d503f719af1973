import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionItem, Turn } from '@heliograph/transcript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Refusal } from './abilities.ts';
import { AgentLife } from './agent-life.ts';
import { type AgentProfile, agents } from './agents.ts';
import { chosen } from './chosen-agents.ts';
import { switchesModel } from './model-switch.ts';
import { GREETING } from './script.ts';
import { itemsOf, spoken } from './turn-words.ts';

// What an owner decides: about permissions, models, modes.

const TIMEOUT_MS = 8_000;

describe.each(chosen)('%s', (name) => {
  const { abilities }: AgentProfile = agents[name];
  let life: AgentLife;

  beforeAll(async () => {
    life = await AgentLife.begin(name, { args: ['--permission-timeout', `${TIMEOUT_MS / 1000}s`] });
    await life.owner.play('text');
  });
  afterAll(() => life?.end());

  const greeting = () => readFileSync(join(life.stage.cwd, GREETING.file), 'utf8');
  const kinds = (permission: PermissionItem) => permission.options.map(({ kind }) => kind);

  /** The turn went on as the table says after `asked` was not granted; the file is as it was. */
  async function isRefused(turnId: string, asked: PermissionItem, refusal: Refusal): Promise<Turn> {
    const turn = await life.owner.ended(turnId);
    const { stopReason, modelIsTold, tool } = refusal;
    expect(turn).toMatchObject({ outcome: stopReason === 'cancelled' ? 'cancelled' : 'completed', stopReason });
    const call = itemsOf(turn, 'tool').find(({ toolCallId }) => toolCallId === asked.toolCallId);
    const wasTold = spoken(turn, 'agent').endsWith('That was the edit.');
    expect({ tool: call?.status, modelIsTold: wasTold }).toEqual({ tool, modelIsTold });
    expect(greeting()).toBe(GREETING.before);
    return turn;
  }

  test(`AG12: a rejected edit is not made; the turn ends as ${abilities.rejected.stopReason}`, async () => {
    const turnId = await life.owner.prompt('edit');
    const asked = await life.owner.asked(turnId);
    expect(kinds(asked)).toEqual(abilities.offers.edit);
    expect(await life.owner.decide(asked, 'reject_once')).toMatchObject({ status: 'applied' });
    const turn = await isRefused(turnId, asked, abilities.rejected);
    const option = asked.options.find(({ kind }) => kind === 'reject_once');
    expect(itemsOf(turn, 'permission')).toMatchObject([
      {
        state: 'decided',
        decision: { reason: 'applied', optionId: option?.optionId, decidedBy: { who: 'owner' } },
      },
    ]);
    expect((await life.owner.play('text')).outcome).toBe('completed');
  });

  test('AG13: a permission nobody answers in the time that is set is answered cancelled', async () => {
    const turnId = await life.owner.prompt('edit');
    const asked = await life.owner.asked(turnId);
    const leftMs = Date.parse(asked.expiresAt ?? '') - Date.parse(asked.at);
    expect(Math.abs(leftMs - TIMEOUT_MS)).toBeLessThan(TIMEOUT_MS / 2);
    const turn = await isRefused(turnId, asked, abilities.unanswered);
    expect(itemsOf(turn, 'permission')).toMatchObject([
      { decision: { reason: 'timed_out', decidedBy: { who: 'policy', rule: 'permission-timeout' } } },
    ]);
    expect(await life.owner.decide(asked, 'allow_once')).toMatchObject({ status: 'already_decided' });
    expect((await life.owner.play('text')).outcome).toBe('completed');
  });

  test(`AG15: the model is switched to ${abilities.model.to} and back, and each is asked`, () => switchesModel(life));

  const { mode, effort } = abilities;
  test(`AG16: ${typeof mode === 'string' ? `not: has modes (${mode})` : `the mode is set to ${mode.to} and back`}`, async () => {
    const set = (modeId: string) => life.owner.control({ type: 'set_mode', modeId });
    const before = life.owner.session().modeId;
    if (typeof mode === 'string') {
      expect(life.owner.session().modes).toEqual([]);
      expect(await set('plan')).toMatchObject({ status: 'unsupported' });
      return;
    }
    for (const to of [mode.to, before ?? '']) {
      expect(await set(to)).toMatchObject({ status: 'applied', value: to });
      await life.watcher.until('mode on screen', () => life.owner.session().modeId === to || undefined);
    }
    expect(await set('no-such-mode')).toMatchObject({ status: 'unsupported' });
    expect((await life.owner.play('text')).outcome).toBe('completed');
  });

  test(`AG16: ${typeof effort === 'string' ? `not: has an effort (${effort})` : `the effort is set to ${effort.to}`}`, async () => {
    const set = (configId: string, value: string) => life.owner.control({ type: 'set_config_option', configId, value });
    const { configOptions } = life.owner.session();
    const option = configOptions.find(({ category }) => category === 'thought_level');
    if (typeof effort === 'string') {
      expect(option).toBeUndefined();
      expect(await set('effort', 'high')).toMatchObject({ status: 'unsupported' });
      return;
    }
    expect(option?.id).toBe(effort.configId);
    expect(option?.value).not.toBe(effort.to);
    expect(await set(effort.configId, effort.to)).toMatchObject({ status: 'applied', value: effort.to });
    await life.watcher.until(
      'effort on screen',
      () =>
        life.owner.session().configOptions.find(({ id }) => id === effort.configId)?.value === effort.to || undefined,
    );
  });

  test(`AG14: always allowed, ${abilities.always === 'edit' ? 'an edit' : 'a command'} is not asked about again`, async () => {
    const of = abilities.always;
    const mode = life.owner.session().modeId;
    const turnId = await life.owner.prompt(of);
    const asked = await life.owner.asked(turnId);
    expect(kinds(asked)).toEqual(abilities.offers[of]);
    expect(await life.owner.decide(asked, 'allow_always')).toMatchObject({ status: 'invalid_option' });
    expect(await life.owner.decide(asked, 'allow_always', { confirm: true })).toMatchObject({ status: 'applied' });
    const turn = await life.owner.ended(turnId);
    expect(turn.outcome).toBe('completed');
    if (of === 'edit') expect(greeting()).toBe(GREETING.after);
    const again = await life.owner.play(of === 'edit' ? 'restore' : of, () => expect.unreachable('asked again'));
    expect(again.outcome).toBe('completed');
    if (of === 'edit') expect(greeting()).toBe(GREETING.before);
    // A change of mode that comes with it no agent tells.
    expect(life.owner.session().modeId).toBe(mode);
  });

  test('AG6: the raw lines equal what the tee saw, both ways', async () => {
    await life.mirrorsTee();
    expect(life.watcher.warnings).toEqual([]);
  });
});
