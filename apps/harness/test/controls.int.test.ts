import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlResult, localSigner, sealFrame } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HarnessProcess } from './support/harness-process.ts';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const REQUEST = '11111111-1111-4111-8111-111111111111';
const nowSec = () => Math.floor(Date.now() / 1_000);

describe('controls', () => {
  test('HA28: the same event, and the same requestId in new events, act once; the latest result comes again', async () => {
    const harness = await stage.harness();
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const line = await stage.ownerLine();
    const prompt = {
      type: 'prompt',
      requestId: REQUEST,
      issuedAt: new Date().toISOString(),
      run: harness.run,
      channelId: harness.channelId,
      content: [{ type: 'text', text: 'once' }],
    } as const;
    const results = () =>
      viewer.events().filter(({ kind, payload }) => kind === 'control_result' && payload.includes(REQUEST));
    const frame = await stage.frame(prompt);
    await line.publish(frame);
    await viewer.until('the answer', () => results().length === 1);
    await line.publish(frame);
    await line.publish(await stage.frame(prompt, nowSec() - 3));
    await viewer.until('the answer again', () => results().length === 2);
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(viewer.events().filter(({ kind }) => kind === 'turn_started')).toHaveLength(1);
    expect(new Set(results().map(({ payload }) => payload)).size).toBe(1);
  });

  test('HA28: a restarted harness answers with the old result, and does not do it again', async () => {
    const first = await stage.harness();
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const line = await stage.ownerLine();
    const prompt = {
      type: 'prompt',
      requestId: REQUEST,
      issuedAt: new Date().toISOString(),
      run: first.run,
      channelId: first.channelId,
      content: [{ type: 'text', text: 'once' }],
    } as const;
    await line.publish(await stage.frame(prompt));
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    await first.close();
    const second = await stage.harness();
    viewer.resync();
    await viewer.until('the new run', () => viewer.snapshot?.run === second.run);
    await line.publish(await stage.frame(prompt, nowSec() - 2));
    const answer = await viewer.until('the answer', () =>
      viewer.events(second.stream).find(({ kind, payload }) => kind === 'control_result' && payload.includes(REQUEST)),
    );
    expect(JSON.parse(answer.payload)).toMatchObject({ status: 'accepted' });
    expect(viewer.events(second.stream).some(({ kind }) => kind === 'turn_started')).toBe(false);
    await line.publish(await stage.frame({ ...prompt, requestId: REQUEST.replaceAll('1', '2') }));
    await viewer.until('the refusal', () =>
      viewer.find<ControlResult>('control_result', (p) => p.status === 'wrong_run'),
    );
  });

  test('HA28: a harness killed between writing a control down and doing it answers uncertain, and does not do it', async () => {
    // The fourth uuid is the turn's: run, channel and stream come before it, the ledger's line too.
    const dying = await HarnessProcess.start(stage, { dieAtUuid: 4 });
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const line = await stage.ownerLine();
    const prompt = {
      type: 'prompt',
      requestId: REQUEST,
      issuedAt: new Date().toISOString(),
      run: dying.run,
      channelId: dying.channelId,
      content: [{ type: 'text', text: 'once' }],
    } as const;
    await line.publish(await stage.frame(prompt));
    expect(await dying.exited).toBe('SIGKILL');
    const second = await stage.harness();
    viewer.resync();
    await viewer.until('the new run', () => viewer.snapshot?.run === second.run);
    await line.publish(await stage.frame(prompt, nowSec() - 2));
    const answer = await viewer.until('the answer', () =>
      viewer.events(second.stream).find(({ kind, payload }) => kind === 'control_result' && payload.includes(REQUEST)),
    );
    expect(JSON.parse(answer.payload)).toMatchObject({ type: 'prompt', status: 'uncertain' });
    expect(viewer.events().some(({ kind }) => kind === 'turn_started')).toBe(false);
  });

  test("HA27: nonsense by the owner's own key does nothing, and the harness goes on", async () => {
    const received = stage.file('received');
    const harness = await stage.harness({ agentEnv: { AGENT_LOG: received } });
    const viewer = await stage.watch();
    const line = await stage.ownerLine();
    const owner = localSigner(stage.ownerKey, stage.crypto);
    const route = { frame: 'control', agent: stage.agent, owner: stage.owner } as const;
    const known = { channelId: harness.channelId, run: harness.run, issuedAt: new Date().toISOString() };
    const values: unknown[] = [
      null,
      '',
      0,
      -1,
      1e308,
      [],
      {},
      [[]],
      'prompt',
      'x'.repeat(5_000),
      { type: 'prompt' },
      true,
    ];
    const types = [
      'prompt',
      'new_session',
      'set_policy',
      'permission_decision',
      'set_config_option',
      'hello',
      'replay',
    ];
    const texts = [
      ...values.map((value) => JSON.stringify(value)),
      '{',
      '[1,2',
      ...types.flatMap((type) =>
        values.map((value, at) =>
          JSON.stringify({
            ...known,
            type,
            requestId: randomUUID(),
            content: value,
            policy: value,
            have: value,
            [`k${at}`]: value,
          }),
        ),
      ),
    ];
    for (const text of texts) {
      const atSec = Math.floor(Date.now() / 1_000);
      const published = await line.publish(await sealFrame(text, route, atSec, owner));
      expect(published.ok).toBe(true);
    }
    viewer.prompt(harness.channelId, 'still here');
    await viewer.until('the answer', () => viewer.find('turn_completed'));
    const prompts = readFileSync(received, 'utf8')
      .split('\n')
      .filter((one) => one.includes('"session/prompt"'));
    expect(prompts).toHaveLength(1);
    expect(stage.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('HA39: a canary that the viewer received is in no file of the harness and in no log line', async () => {
    const canary = 'CANARY-4fd1b0';
    const harness = await stage.harness({
      script: 'asks-permission.mjs',
      agentEnv: { AGENT_CANARY: canary, AGENT_OPTIONS: `allow_once,${canary}` },
    });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, `say ${canary}`);
    const { payload } = await viewer.until('the request', () =>
      viewer.find<{ requestNonce: string; requestSha256: string }>('permission_pending'),
    );
    const { requestNonce = '', requestSha256 = '' } = payload;
    const optionId = `id-of-${canary}`;
    const decision = {
      type: 'permission_decision',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      optionId,
    } as const;
    await viewer.ask(decision);
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(viewer.events().some(({ payload: text }) => text.includes(canary))).toBe(true);
    await harness.close();
    const files = readdirSync(stage.stateDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(0);
    const bytes = Buffer.from(canary);
    const shapes = [
      canary,
      bytes.toString('hex'),
      bytes.toString('base64').slice(0, -4),
      bytes.toString('base64url').slice(0, -4),
    ];
    const texts = [...files.map((file) => readFileSync(file, 'latin1')), JSON.stringify(stage.logs)];
    for (const text of texts) for (const shape of shapes) expect(text).not.toContain(shape);
    for (const file of files) expect(statSync(file).mode & 0o077).toBe(0);
  });
});
