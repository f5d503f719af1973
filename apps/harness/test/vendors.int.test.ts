import type { Harness } from '@heliograph/app-harness';
import { type Transcript, TranscriptFold } from '@heliograph/transcript';
import { type PermissionPending, payloadOf } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import type { Watcher } from './support/watcher.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** What a person at the viewer sees, and the one at the keys does. */
class Desk {
  readonly harness: Harness;
  readonly viewer: Watcher;

  constructor(harness: Harness, viewer: Watcher) {
    this.harness = harness;
    this.viewer = viewer;
  }

  get shown(): Transcript {
    const fold = new TranscriptFold();
    for (const stream of [this.harness.run, this.harness.stream])
      for (const event of this.viewer.rawEvents(stream)) fold.insert(event);
    return fold.transcript(this.harness.channelId);
  }

  get rows(): string[] {
    return this.shown.turns.flatMap(({ items }) =>
      items.map((item) => {
        if ('parts' in item) return `${item.kind}: ${item.parts.map((p) => ('text' in p ? p.text : '')).join('')}`;
        return item.kind === 'tool' ? `tool ${item.title}: ${item.status}` : item.kind;
      }),
    );
  }

  async prompt(text: string, until: 'turn_started' | 'turn_completed' = 'turn_completed'): Promise<void> {
    const { viewer, harness } = this;
    const count = () => viewer.events(harness.stream).filter(({ kind }) => kind === until).length;
    const before = count();
    viewer.prompt(harness.channelId, text);
    await viewer.until(until, () => count() > before);
  }

  /** Answers `yes` to what is asked for the n-th time. */
  async allow(n: number): Promise<void> {
    const { viewer, harness } = this;
    const asked = await viewer.until(
      `question ${n}`,
      () => viewer.events(harness.stream).filter(({ kind }) => kind === 'permission_pending')[n - 1],
    );
    const { requestNonce = '', requestSha256 = '' } = payloadOf<PermissionPending>(asked) ?? {};
    const decision = { type: 'permission_decision', channelId: harness.channelId, optionId: 'yes' } as const;
    const { result } = await viewer.ask({ ...decision, requestNonce, requestSha256 });
    expect(result?.status).toBe('applied');
  }

  /** How many prompts the agent had at once, at most. */
  get mostPrompts(): number {
    const open = new Set<unknown>();
    let most = 0;
    for (const { kind, payload } of this.viewer.rawEvents(this.harness.stream)) {
      if (kind !== 'acp_write' && kind !== 'acp_read') continue;
      const { id, method } = JSON.parse(payload);
      if (method === 'session/prompt') open.add(id);
      else if (method === undefined && kind === 'acp_read') open.delete(id);
      most = Math.max(most, open.size);
    }
    return most;
  }

  /** The lines of the agent that hold these words, as they were written. */
  lines(words: string): string[] {
    const read = this.viewer.events(this.harness.stream).filter(({ kind }) => kind === 'acp_read');
    return read.map(({ payload }) => payload).filter((line) => line.includes(words));
  }
}

const VENDORS: Record<string, (desk: Desk) => Promise<void>> = {
  claude: async (desk) => {
    const { viewer, harness } = desk;
    const { channelId } = harness;
    await desk.prompt('go', 'turn_started');
    type Asked = { requestNonce: string; requestSha256: string };
    const { payload } = await viewer.until('the question', () => viewer.find<Asked>('permission_pending'));
    const { requestNonce = '', requestSha256 = '' } = payload;
    viewer.prompt(channelId, 'work');
    await viewer.until('the one that waits', () => viewer.find('prompt_queued'));
    const decision = { requestNonce, requestSha256, optionId: 'allow-once' } as const;
    await viewer.ask({ type: 'permission_decision', channelId, ...decision });
    // It would have taken the second one in, and answered the first of both as it likes: it never saw two.
    await viewer.until('the second turn', () => desk.lines('began work with 1 open')[0]);
    const tools = () =>
      desk.shown.turns.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'tool' ? [item] : [])));
    await viewer.until('the background task', () => tools()[0]?.status === 'completed');
    expect(tools().map(({ title, status, parentToolCallId }) => [title, status, parentToolCallId])).toEqual([
      ['Look around', 'completed', undefined],
      ['Edit hello.txt', 'completed', 'toolu_1'],
    ]);
    const mode = await viewer.ask({ type: 'set_mode', channelId, modeId: 'acceptEdits' });
    expect(mode.result).toMatchObject({ status: 'applied', value: 'acceptEdits' });
    const model = await viewer.ask({ type: 'switch_model', channelId, modelId: 'haiku' });
    expect(model.result).toMatchObject({ status: 'switched', value: 'haiku' });
    const { session } = desk.shown;
    expect(session.modelId).toBe('haiku');
    expect(session.usage).toMatchObject({ used: 1_203, size: 1_000_000, cost: { amount: 0.03 } });
    expect(session.commands.map(({ name }) => name)).toEqual(['compact']);
    const steer = { type: 'prompt', channelId, mode: 'steer', content: [{ type: 'text', text: 'on' }] } as const;
    expect((await viewer.ask(steer)).result?.status).toBe('steered');
    const turnId = desk.shown.turns.at(-1)?.id as string;
    await viewer.ask({ type: 'cancel_turn', channelId, turnId });
    await viewer.until('both ends', () => desk.shown.turns.filter(({ status }) => status === 'ended').length === 2);
    expect(desk.shown.turns.map(({ outcome }) => outcome)).toEqual(['completed', 'cancelled']);
    expect(viewer.usage[0]?.turn).toMatchObject({ inputTokens: 4_800, outputTokens: 10 });
  },
  codex: async (desk) => {
    const { viewer, harness } = desk;
    const { channelId } = harness;
    await desk.prompt('run', 'turn_started');
    await viewer.until('the command', () => desk.lines('line 1').length > 0);
    const steer = { type: 'prompt', channelId, mode: 'steer', content: [{ type: 'text', text: 'on' }] } as const;
    expect((await viewer.ask(steer)).result?.status).toBe('queued');
    const mode = await viewer.ask({ type: 'set_mode', channelId, modeId: 'plan' });
    expect(mode.result?.status).toBe('unsupported');
    const { event } = viewer.find('turn_started') ?? {};
    viewer.send({ type: 'cancel_turn', channelId, turnId: event?.turnId as string });
    await viewer.until('both ends', () => desk.shown.turns.filter(({ status }) => status === 'ended').length === 2);
    await viewer.until('the answer', () => desk.rows.includes('agent: heard on'));
    expect(desk.rows.filter((row) => row.startsWith('tool'))).toEqual(['tool sleep 100: cancelled']);
    const tools = desk.shown.turns.flatMap(({ items }) => items.filter((item) => item.kind === 'tool'));
    expect(tools).toMatchObject([{ late: true, terminal: { output: 'line 1\nline 2\n' } }]);
    const owners = desk.shown.turns.filter(({ source }) => source === 'owner');
    expect(owners.map(({ outcome }) => outcome)).toEqual(['cancelled', 'completed']);
  },
  gemini: async (desk) => {
    await desk.prompt('go');
    const { channelId } = desk.harness;
    const mode = await desk.viewer.ask({ type: 'set_mode', channelId, modeId: 'autoEdit' });
    expect(mode.result).toMatchObject({ status: 'applied', value: 'autoEdit' });
    await desk.viewer.until('the mode', () => desk.shown.session.modeId === 'autoEdit');
    expect(desk.rows).toEqual(['user: go', 'agent: all done', 'notice']);
  },
  qwen: async (desk) => {
    await desk.prompt('go');
    const [line = ''] = desk.lines('availableSkillDetails');
    expect(Buffer.byteLength(line)).toBe(563_250);
    expect(line).toContain('é \\"quoted\\" \\\\ 😀');
    expect(desk.viewer.rawEvents(desk.harness.stream).filter(({ kind }) => kind === 'acp_part').length).toBeGreaterThan(
      5,
    );
    expect(desk.shown.session.commands.map(({ name }) => name)).toEqual(['init']);
    expect(desk.rows).toEqual(['user: go', 'agent: drained: -32601']);
  },
  cline: async (desk) => {
    const { viewer, harness } = desk;
    await desk.prompt('go', 'turn_started');
    type Asked = { requestNonce: string; requestSha256: string };
    const { payload } = await viewer.until('the question', () => viewer.find<Asked>('permission_pending'));
    const { requestNonce = '', requestSha256 = '' } = payload;
    const { channelId } = harness;
    await viewer.until('the tool', () => desk.rows.includes('tool edit a.txt: pending'));
    await viewer.ask({ type: 'permission_decision', channelId, requestNonce, requestSha256, optionId: 'yes' });
    await viewer.until('the end', () => viewer.find('turn_completed'));
    expect(desk.rows.toSorted()).toEqual(['permission', 'tool edit a.txt: completed', 'user: go']);
  },
  goose: async (desk) => {
    await desk.prompt('go');
    const report = await desk.viewer.until('the usage', () => desk.viewer.usage[0]);
    expect(report.turn).toMatchObject({ inputTokens: 70, outputTokens: 7 });
    expect(desk.shown.session.usage).toMatchObject({ used: 5, size: 9 });
    expect(desk.rows).toEqual(['user: go', 'agent: told']);
  },
};

async function open(name: string): Promise<Desk> {
  const harness = await stage.harness({ script: `as-${name}.mjs` });
  const viewer = await stage.watch();
  viewer.resync();
  const isWhole = () => viewer.isWhole(harness.run) && viewer.isWhole(harness.stream);
  await viewer.until('all from the start on', isWhole);
  return new Desk(harness, viewer);
}

test.each(Object.entries(VENDORS))('HA202: as %s does', async (name, plays) => plays(await open(name)));

test.each(['qwen', 'cline'])(
  'AG29: two prompts wait for the end of the turn that runs, as %s needs it',
  async (name) => {
    const desk = await open(name);
    const { viewer, harness } = desk;
    await desk.prompt('ask', 'turn_started');
    for (const text of ['ask', 'ask']) viewer.prompt(harness.channelId, text);
    await viewer.until('both to wait', () => desk.shown.session.queue.length === 2);
    for (const n of [1, 2, 3]) await desk.allow(n);
    const ended = () => desk.shown.turns.filter(({ status }) => status === 'ended');
    await viewer.until('three ends', () => ended().length === 3);
    expect(ended().map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(desk.mostPrompts).toBe(1);
  },
);

test('HA247: a turn that the agent gives up has failed, whatever its answer says; one that it goes on with has not, nor the next', async () => {
  const desk = await open('codex');
  for (const words of ['outage', 'recovers', 'hello']) await desk.prompt(words);
  const { turns } = desk.shown;
  expect(turns.map(({ outcome, stopReason }) => [outcome, stopReason])).toEqual([
    ['failed', 'end_turn'],
    ['completed', 'end_turn'],
    ['completed', 'end_turn'],
  ]);
  const errors = turns.map(({ items }) => items.filter(({ kind }) => kind === 'error').length);
  expect(errors).toEqual([1, 0, 0]);
});
