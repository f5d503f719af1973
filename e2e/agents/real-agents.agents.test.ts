import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ToolItem } from '@heliograph/transcript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { abilitiesTable } from './abilities-table.ts';
import { AgentLife } from './agent-life.ts';
import { type AgentProfile, agents } from './agents.ts';
import { chosen } from './chosen-agents.ts';
import { installedAt } from './install.ts';
import { GREETING, SHELL_LINES, scriptText } from './script.ts';
import { itemsOf, spoken } from './turn-words.ts';

test('AG7: exact versions are installed, and no network can be reached', async () => {
  for (const name of chosen) {
    const { package: npmPackage, version } = agents[name];
    const manifest = readFileSync(join(installedAt(name), 'node_modules', npmPackage, 'package.json'), 'utf8');
    expect(JSON.parse(manifest).version).toBe(version);
  }
  const [error] = await once(connect(443, '192.0.2.1'), 'error').catch((cause: unknown) => [cause]);
  expect(error).toMatchObject({ code: 'ENETUNREACH' });
});

test('AG23: docs/AGENTS.md says what is asserted here', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/AGENTS.md'), 'utf8');
  expect(document).toContain(abilitiesTable());
});

describe.each(chosen)('%s', (name) => {
  const { abilities, tools }: AgentProfile = agents[name];
  let life: AgentLife;

  beforeAll(async () => {
    life = await AgentLife.begin(name);
  });
  afterAll(() => life?.end());

  test('AG1: streamed text stands in the transcript as the model said it', async () => {
    const turn = await life.owner.play('text');
    expect(turn).toMatchObject({ source: 'owner', outcome: 'completed', stopReason: 'end_turn' });
    expect(spoken(turn, 'agent')).toBe(life.said('text'));
    expect(life.rawLines().filter(({ label }) => label === 'agent_message_chunk').length).toBeGreaterThan(10);
  });

  test(`AG2: ${able('shows thoughts word for word', abilities.thinks)}`, async () => {
    const turn = await life.owner.play('think');
    const thought = scriptText('think', 'think', life.stage);
    expect(letters(spoken(turn, 'thought'))).toBe(letters(thought));
    expect(spoken(turn, 'thought') === thought).toBe(abilities.thinks === true);
    expect(spoken(turn, 'agent')).toBe(life.said('think'));
  });

  test(`AG2: ${able('shows plans', abilities.plans)}`, async () => {
    const turn = await life.owner.play('plan');
    const plans = itemsOf(turn, 'plan');
    if (abilities.plans === true) {
      expect(plans.map(({ entries }) => entries.map(({ status }) => status))).toEqual([Array(3).fill('completed')]);
    } else expect(plans).toEqual([]);
    if (!tools.plan) expect(life.lastRequest()?.tools.join()).not.toMatch(/todo|update_plan/i);
    expect(spoken(turn, 'agent')).toBe(life.said('plan'));
  });

  test('AG3: an edit waits for a permission answered from the viewer', async () => {
    const file = join(life.stage.cwd, GREETING.file);
    const turn = await life.owner.play('edit', () => expect(readFileSync(file, 'utf8')).toBe(GREETING.before));
    expect(readFileSync(file, 'utf8')).toBe(GREETING.after);
    const [permission, ...others] = itemsOf(turn, 'permission');
    expect(others).toEqual([]);
    expect(permission).toMatchObject({
      state: 'decided',
      decision: { reason: 'applied', decidedBy: { who: 'owner' } },
    });
    const edit = itemsOf(turn, 'tool').find(({ toolCallId }) => toolCallId === permission?.toolCallId);
    expect(edit).toMatchObject({ status: 'completed', toolKind: 'edit' });
    expect(edit?.content).toContainEqual(expect.objectContaining({ type: 'diff', path: file }));
    expect(spoken(turn, 'agent')).toBe(life.said('edit'));
  });

  test(`AG4: runs a shell command once it is allowed; shows ${abilities.shellOutput} of its output`, async () => {
    const turn = await life.owner.play('shell');
    const asked = itemsOf(turn, 'permission');
    expect(asked).toMatchObject([{ state: 'decided', decision: { decidedBy: { who: 'owner' } } }]);
    const told = JSON.stringify(life.lastRequest()?.body);
    for (const line of SHELL_LINES) expect(told).toContain(line);
    const shell = itemsOf(turn, 'tool').at(-1);
    const isTold = abilities.shellEnd === 'always' || shell?.status !== 'unfinished';
    expect(shell).toMatchObject({ status: isTold ? 'completed' : 'unfinished', toolKind: 'execute' });
    expect(spoken(turn, 'agent')).toBe(life.said('shell'));
    // The agent never wrote the end of its command; that the lines are all here AG6 proves.
    if (!isTold) return;
    const shown = SHELL_LINES.filter((line) => shownOutput(shell).includes(line));
    expect(shown).toEqual(SHELL_LINES.slice(SHELL_LINES.length - shown.length));
    if (abilities.shellOutput === 'tail') expect(shown.length).toBeGreaterThan(0);
    else expect(shown.length).toBe(abilities.shellOutput === 'all' ? SHELL_LINES.length : 0);
  });

  test('AG5, AG29: a cancel from the viewer ends a streaming turn; two prompts that waited for its end follow, one after the other', async () => {
    const turnId = await life.owner.prompt('endless');
    await life.owner.hasSaid(turnId, 'word 10 ');
    for (const name of ['text', 'think'] as const)
      expect(await life.owner.send(name)).toMatchObject({ status: 'queued' });
    const result = await life.owner.cancel(turnId);
    expect(result.status).toBe('cancelled');
    const turn = await life.owner.ended(turnId);
    expect(turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
    expect(life.said('endless').startsWith(spoken(turn, 'agent'))).toBe(true);
    await expect.poll(() => life.stage.model.requests.find(({ script }) => script === 'endless')?.aborted).toBe(true);
    const owners = () => life.owner.turns().filter(({ source }) => source === 'owner');
    const after = () => owners().slice(owners().findIndex(({ id }) => id === turnId) + 1);
    await life.watcher.until(
      'both of them',
      () => after().filter(({ status }) => status === 'ended').length === 2 || undefined,
    );
    expect(after().map((next) => [next.outcome, spoken(next, 'agent')])).toEqual(
      (['text', 'think'] as const).map((name) => ['completed', life.said(name)]),
    );
    expect(life.mostPrompts()).toBe(1);
  });

  test('AG6: the raw lines equal what the tee saw, both ways', async () => {
    await life.mirrorsTee();
    for (const direction of ['read', 'write'] as const)
      expect(life.mirrored.teeBytes(direction).length).toBeGreaterThan(1000);
    expect(life.watcher.warnings).toEqual([]);
  });

  test('AG8: ending the harness ends every process of the agent', async () => {
    expect(life.processes()).not.toEqual([]);
    expect(await life.mirrored.program.stop()).toBe(0);
    // One that was killed takes a moment to be gone.
    await expect.poll(() => life.processes()).toEqual([]);
  });
});

const letters = (text: string): string => text.replaceAll(/\P{L}/gu, '');

/** All of a tool call's output that a viewer can show, wherever the agent put it. */
const shownOutput = (tool: ToolItem | undefined): string => JSON.stringify([tool?.content, tool?.terminal]);

/** What a test proves of an ability: that the agent has it, or that it lacks it and why. */
const able = (deed: string, ability: true | string) => (ability === true ? deed : `not: ${deed} (${ability})`);
