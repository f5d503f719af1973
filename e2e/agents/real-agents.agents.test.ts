import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type MessageItem, mergeRawLines, type ToolItem, type Turn } from '@heliograph/transcript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Product } from '../support/product.ts';
import { type AgentProfile, agentNames, agents } from './agents.ts';
import { installedAt } from './install.ts';
import { type MirroredAgent, mirrorAgent } from './mirrored-agent.ts';
import { OwnerSession } from './owner-session.ts';
import { GREETING, type ScriptName, SHELL_LINES, scriptText } from './script.ts';
import { type AgentStage, stageAgent } from './stage.ts';
import { type Watcher, watch } from './watcher.ts';

const wanted = (process.env.HELIOGRAPH_TEST_AGENTS ?? '').split(' ').filter(Boolean);
const chosen = agentNames.filter((name) => wanted.length === 0 || wanted.includes(name));

test('AG7: exact versions are installed, and no network can be reached', async () => {
  for (const name of chosen) {
    const { package: npmPackage, version } = agents[name];
    const manifest = readFileSync(join(installedAt(name), 'node_modules', npmPackage, 'package.json'), 'utf8');
    expect(JSON.parse(manifest).version).toBe(version);
  }
  const [error] = await once(connect(443, '192.0.2.1'), 'error').catch((cause: unknown) => [cause]);
  expect(error).toMatchObject({ code: 'ENETUNREACH' });
});

describe.each(chosen)('%s', (name) => {
  const profile: AgentProfile = agents[name];
  const { abilities } = profile;
  const product = new Product();
  let stage: AgentStage;
  let mirrored: MirroredAgent;
  let watcher: Watcher;
  let owner: OwnerSession;

  beforeAll(async () => {
    stage = await stageAgent(name, product.home('stage'));
    mirrored = await mirrorAgent(stage, product);
    watcher = await watch(mirrored);
    owner = new OwnerSession(watcher, mirrored.channelId);
  });
  afterAll(async () => {
    watcher?.close();
    await product.close();
    await stage?.model.close();
  });

  const said = (script: ScriptName) => scriptText(script, 'say', stage);
  /** What the raw rail shows and downloads. */
  const rawLines = () => [...mergeRawLines(watcher.fold.log, watcher.fold.log.streams())];
  const lastRequest = () => stage.model.requests.filter(({ script }) => script !== undefined).at(-1);

  test('AG1: streamed text stands in the transcript as the model said it', async () => {
    const turn = await owner.play('text');
    expect(turn).toMatchObject({ source: 'owner', outcome: 'completed', stopReason: 'end_turn' });
    expect(spoken(turn, 'agent')).toBe(said('text'));
    expect(rawLines().filter(({ label }) => label === 'agent_message_chunk').length).toBeGreaterThan(10);
  });

  test(`AG2: ${able('shows thoughts word for word', abilities.thinks)}`, async () => {
    const turn = await owner.play('think');
    const thought = scriptText('think', 'think', stage);
    expect(letters(spoken(turn, 'thought'))).toBe(letters(thought));
    expect(spoken(turn, 'thought') === thought).toBe(abilities.thinks === true);
    expect(spoken(turn, 'agent')).toBe(said('think'));
  });

  test(`AG2: ${able('shows plans', abilities.plans)}`, async () => {
    const turn = await owner.play('plan');
    const plans = turn.items.filter((item) => item.kind === 'plan');
    if (abilities.plans === true) {
      expect(plans.map(({ entries }) => entries.map(({ status }) => status))).toEqual([Array(3).fill('completed')]);
    } else expect(plans).toEqual([]);
    if (!profile.tools.plan) expect(lastRequest()?.tools.join()).not.toMatch(/todo|update_plan/i);
    expect(spoken(turn, 'agent')).toBe(said('plan'));
  });

  test('AG3: an edit waits for a permission answered from the viewer', async () => {
    const file = join(stage.cwd, GREETING.file);
    const turn = await owner.play('edit', () => expect(readFileSync(file, 'utf8')).toBe(GREETING.before));
    expect(readFileSync(file, 'utf8')).toBe(GREETING.after);
    const [permission, ...others] = turn.items.filter((item) => item.kind === 'permission');
    expect(others).toEqual([]);
    expect(permission).toMatchObject({
      state: 'decided',
      decision: { reason: 'applied', decidedBy: { who: 'owner' } },
    });
    const edit = tools(turn).find(({ toolCallId }) => toolCallId === permission?.toolCallId);
    expect(edit).toMatchObject({ status: 'completed', toolKind: 'edit' });
    expect(edit?.content).toContainEqual(expect.objectContaining({ type: 'diff', path: file }));
    expect(spoken(turn, 'agent')).toBe(said('edit'));
  });

  test(`AG4: runs a shell command once it is allowed; shows ${abilities.shellOutput} of its output`, async () => {
    const turn = await owner.play('shell');
    const asked = turn.items.filter((item) => item.kind === 'permission');
    expect(asked).toMatchObject([{ state: 'decided', decision: { decidedBy: { who: 'owner' } } }]);
    const told = JSON.stringify(lastRequest()?.body);
    for (const line of SHELL_LINES) expect(told).toContain(line);
    const shell = tools(turn).at(-1);
    const isTold = abilities.shellEnd === 'always' || shell?.status !== 'unfinished';
    expect(shell).toMatchObject({ status: isTold ? 'completed' : 'unfinished', toolKind: 'execute' });
    expect(spoken(turn, 'agent')).toBe(said('shell'));
    // The agent never wrote the end of its command; that the lines are all here AG6 proves.
    if (!isTold) return;
    const shown = SHELL_LINES.filter((line) => shownOutput(shell).includes(line));
    expect(shown).toEqual(SHELL_LINES.slice(SHELL_LINES.length - shown.length));
    if (abilities.shellOutput === 'tail') expect(shown.length).toBeGreaterThan(0);
    else expect(shown.length).toBe(abilities.shellOutput === 'all' ? SHELL_LINES.length : 0);
  });

  test('AG5: a cancel from the viewer ends a streaming turn', async () => {
    const turnId = await owner.prompt('endless');
    await watcher.until('ten words', () => {
      const turn = owner.turn(turnId);
      return turn && spoken(turn, 'agent').includes('word 10 ') ? turn : undefined;
    });
    const result = await owner.cancel(turnId);
    expect(result.status).toBe('cancelled');
    const turn = await watcher.until('end of the turn', () => {
      const now = owner.turn(turnId);
      return now?.status === 'ended' ? now : undefined;
    });
    expect(turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
    expect(said('endless').startsWith(spoken(turn, 'agent'))).toBe(true);
    await expect.poll(() => stage.model.requests.find(({ script }) => script === 'endless')?.aborted).toBe(true);
  });

  test('AG6: the raw lines equal what the tee saw, both ways', async () => {
    for (const direction of ['read', 'write'] as const) {
      const hashes = () => {
        const lines = rawLines().filter((line) => line.direction === direction);
        return { viewer: sha256(lines.map(({ text }) => `${text}\n`)), tee: sha256([mirrored.teeBytes(direction)]) };
      };
      await expect.poll(hashes, { timeout: 20_000 }).toSatisfy(({ viewer, tee }) => viewer === tee);
      expect(mirrored.teeBytes(direction).length).toBeGreaterThan(1000);
    }
    expect(watcher.warnings).toEqual([]);
  });

  test('AG8: ending the harness ends every process of the agent', async () => {
    expect(processesOf(stage.env.HOME ?? '')).not.toEqual([]);
    expect(await mirrored.program.stop()).toBe(0);
    expect(processesOf(stage.env.HOME ?? '')).toEqual([]);
  });
});

/** Everything of one kind that was said in a turn, joined. */
function spoken(turn: Turn, kind: MessageItem['kind']): string {
  const messages = turn.items.filter((item): item is MessageItem => item.kind === kind);
  return messages.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : ''))).join('');
}

const letters = (text: string): string => text.replaceAll(/\P{L}/gu, '');

const tools = (turn: Turn): ToolItem[] => turn.items.filter((item) => item.kind === 'tool');

/** All of a tool call's output that a viewer can show, wherever the agent put it. */
const shownOutput = (tool: ToolItem | undefined): string => JSON.stringify([tool?.content, tool?.terminal]);

/** Ids of the processes that run with this home: the agent and whatever it started. */
function processesOf(home: string): string[] {
  const hasHome = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`);
    } catch {
      return false; // It ended while it was looked at.
    }
  };
  return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && hasHome(entry));
}

/** What a test proves of an ability: that the agent has it, or that it lacks it and why. */
const able = (deed: string, ability: true | string) => (ability === true ? deed : `not: ${deed} (${ability})`);

const sha256 = (pieces: readonly (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};
