import type { ObserverEvent, TurnCompleted, TurnLiveness } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { linesOf } from './support/written-lines.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const payloads = (events: readonly ObserverEvent[], kind: string) =>
  events.filter((event) => event.kind === kind).map(({ payload }) => payload);

describe('turns', () => {
  test('HA1: a prompt goes to the agent and its answer comes back, every line of both directions exactly as it was', async () => {
    const tee = stage.file('tee');
    const received = stage.file('received');
    const harness = await stage.harness({ agentEnv: { AGENT_TEE: tee, AGENT_LOG: received } });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'one two three');
    const { payload, event } = await viewer.until('the end of the turn', () =>
      viewer.find<TurnCompleted>('turn_completed'),
    );
    expect(payload).toMatchObject({ outcome: 'completed', stopReason: 'end_turn', usage: { totalTokens: 8 } });
    await viewer.until('all of both', () => [harness.run, harness.stream].every((stream) => viewer.isWhole(stream)));
    // Both streams together in the order of their timestamps are the order on the wire.
    const events = viewer.events().toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    expect(payloads(events, 'acp_read')).toEqual(linesOf(tee));
    expect(payloads(events, 'acp_write')).toEqual(linesOf(received));
    const turn = viewer.events(harness.stream).filter(({ turnId }) => turnId === event.turnId && turnId !== null);
    expect(turn.map(({ kind }) => kind).filter((kind) => kind !== 'control_result')).toEqual([
      'turn_started',
      'acp_write',
      'acp_read',
      'acp_read',
      'acp_read',
      'acp_read',
      'turn_completed',
    ]);
    for (const { startedAt, sessionId } of turn.filter(({ kind }) => kind.startsWith('acp_'))) {
      expect(startedAt).toBe(turn[0]?.startedAt);
      expect(sessionId).toBe('S1');
    }
    expect(viewer.warnings).toEqual([]);
  });

  test('HA1: the handshake asks for nothing we can not serve and stands on the harness stream', async () => {
    const harness = await stage.harness();
    const viewer = await stage.watch();
    const { event, payload } = await viewer.until('the session', () =>
      viewer.find<{ requestStream: string; requestSeq: number; sessionId: string }>('session_resolved'),
    );
    await viewer.until('all of the run', () => viewer.isWhole(harness.run));
    expect(event).toMatchObject({ stream: harness.stream, channelId: harness.channelId, sessionId: 'S1' });
    const request = viewer.events(payload.requestStream).find(({ seq }) => seq === payload.requestSeq);
    expect(JSON.parse(request?.payload ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 2,
      method: 'session/new',
      params: { cwd: stage.folder, mcpServers: [] },
    });
    const initialize = JSON.parse(payloads(viewer.events(harness.run), 'acp_write')[0] ?? '') as object;
    expect(initialize).toMatchObject({
      method: 'initialize',
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: 'heliograph' },
      },
    });
    expect(viewer.find('harness_started')?.payload).toMatchObject({ wire: 1, run: harness.run, keyMadeBy: 'owner' });
  });

  test('HA25: a prompt during a turn waits, visibly, and starts when the turn ends', async () => {
    const harness = await stage.harness({ script: 'waits-for-cancel.mjs' });
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    viewer.prompt(harness.channelId, 'first');
    const started = await viewer.until('the turn', () => viewer.find('turn_started'));
    const second = viewer.prompt(harness.channelId, 'second');
    const queued = await viewer.until('the queue', () => viewer.find<{ promptRequestId: string }>('prompt_queued'));
    expect(queued.payload).toMatchObject({ promptRequestId: second, position: 1 });
    await viewer.until('the answer', () => viewer.progress.find((p) => p.result?.status === 'queued'));
    const turnId = started.event.turnId as string;
    await viewer.ask({ type: 'cancel_turn', channelId: harness.channelId, turnId });
    await viewer.until('the second turn', () =>
      viewer.find<{ promptRequestId: string }>('turn_started', (p) => p.promptRequestId === second),
    );
    expect(viewer.find('prompt_dequeued')?.payload).toMatchObject({ promptRequestId: second, reason: 'started' });
    const kinds = viewer.events(harness.stream).map(({ kind }) => kind);
    expect(kinds.indexOf('turn_completed')).toBeLessThan(kinds.lastIndexOf('turn_started'));
  });

  test('HA26: an open turn tells that it lives, and how long the agent has been silent', async () => {
    const harness = await stage.harness({ script: 'waits-for-cancel.mjs', turnLivenessMs: 60 });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const { payload } = await viewer.until('a quiet minute', () =>
      viewer.find<TurnLiveness>('turn_liveness', (p) => (p.lastAgentByteAgeMs ?? 0) > 100),
    );
    expect(payload.head).toMatchObject({ stream: harness.stream });
  });

  test('HA5: what the agent says before, beside and after is kept where it belongs', async () => {
    const harness = await stage.harness({ script: 'speaks-early.mjs' });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    await viewer.until('the last word', () =>
      viewer.events().find(({ payload }) => payload.includes('one more thing')),
    );
    viewer.resync();
    await viewer.until('the whole channel', () => viewer.isWhole(harness.stream));
    const own = viewer.events(harness.stream);
    const early = own.find(({ payload }) => payload.includes('available_commands_update'));
    const resolved = own.find(({ kind }) => kind === 'session_resolved');
    expect(early?.seq).toBeLessThan(resolved?.seq ?? 0);
    expect(own.find(({ kind }) => kind === 'session_config_captured')?.payload).toContain('"currentModeId":"ask"');
    // A session nobody asked for opened a channel of its own.
    const saying = (text: string) => () => viewer.events().find(({ payload }) => payload.includes(text));
    const foreign = await viewer.until('the other session', saying('from a session of my own'));
    expect(foreign).toMatchObject({ sessionId: 'S2', turnId: null });
    expect([harness.stream, harness.run]).not.toContain(foreign.stream);
    const auth = await viewer.until('what has no session', saying('_auth/status_update'));
    expect(auth.stream).toBe(harness.run);
    const late = own.find(({ payload }) => payload.includes('one more thing'));
    expect(late).toMatchObject({ turnId: null, sessionId: 'S1' });
  });

  test('HA35: what the agent asks and we do not serve is refused with -32601, marked as ours', async () => {
    const harness = await stage.harness({ script: 'speaks-early.mjs' });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    await viewer.until('the refusal to arrive', () =>
      viewer.events().find(({ payload }) => payload.includes('fs says -32601')),
    );
    const refusal = viewer.events(harness.stream).find(({ kind, via }) => kind === 'acp_write' && via === 'harness');
    expect(refusal?.payload).toContain('Method not found: fs/read_text_file');
  });

  test('HA46: a burst of 20,000 lines arrives complete, in order, in one chain', async () => {
    const harness = await stage.harness({ script: 'floods.mjs' });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, '20000');
    // In steps: on a busy machine it may take long, as long as it goes on.
    for (let count = 2_000; count <= 20_000; count += 2_000)
      await viewer.until(`${count} events`, () => viewer.size > count);
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    const pieces = () => viewer.events(harness.stream).filter(({ payload }) => payload.includes('"piece '));
    await viewer.until('every piece', () => pieces().length === 20_000);
    const numbers = pieces().map(({ payload }) => Number(/piece (\d+) /.exec(payload)?.[1]));
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index));
    expect(viewer.warnings).toEqual([]);
  });

  test('HA47: a prompt of a kind the agent does not take is refused before it reaches it', async () => {
    const harness = await stage.harness();
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const content = [{ type: 'image', data: '', mimeType: 'image/png' }];
    const refused = await viewer.ask({ type: 'prompt', channelId: harness.channelId, content });
    expect(refused.result).toMatchObject({ status: 'rejected', reason: 'this agent takes no image in prompts' });
    const elsewhere = await viewer.ask({ type: 'prompt', channelId: 'elsewhere', content: [{ type: 'text' }] });
    expect(elsewhere.result).toMatchObject({ status: 'rejected' });
    expect(viewer.find('turn_started')).toBeUndefined();
  });
});
