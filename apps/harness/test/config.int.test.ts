import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** An agent in an open turn. */
async function working(how: string, stubborn = false) {
  const agentEnv = { AGENT_OPTIONS: how, ...(stubborn ? { AGENT_STUBBORN: '1' } : {}) };
  const harness = await stage.harness({ script: 'has-options.mjs', agentEnv });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'work');
  await viewer.until('the work', () => viewer.events().find(({ payload }) => payload.includes('"working"')));
  const writes = (method: string) =>
    viewer
      .events(harness.stream)
      .filter(({ kind, payload }) => kind === 'acp_write' && payload.includes(`"${method}"`))
      .map(({ payload }) => (JSON.parse(payload) as { params: object }).params);
  return { viewer, channelId: harness.channelId, writes };
}

describe('model, mode and options', () => {
  test('HA85: by config option, live, with the value the agent confirmed', async () => {
    const { viewer, channelId, writes } = await working('config');
    const model = await viewer.ask({ type: 'switch_model', channelId, modelId: 'large' });
    expect(model.result).toMatchObject({ status: 'switched', value: 'large' });
    expect(viewer.progress.filter((p) => p.type === 'switch_model').map((p) => p.result?.status)).toContain('sent');
    const mode = await viewer.ask({ type: 'set_mode', channelId, modeId: 'code' });
    expect(mode.result).toMatchObject({ status: 'applied', value: 'code' });
    const option = await viewer.ask({ type: 'set_config_option', channelId, configId: 'thinking', value: true });
    expect(option.result).toMatchObject({ status: 'applied', value: true });
    expect(writes('session/set_config_option')).toEqual([
      { sessionId: 'S1', configId: 'model', value: 'large' },
      { sessionId: 'S1', configId: 'mode', value: 'code' },
      { sessionId: 'S1', configId: 'thinking', type: 'boolean', value: true },
    ]);
    expect(viewer.find('turn_completed')).toBeUndefined();
    const none = await viewer.ask({ type: 'switch_model', channelId, modelId: 'huge' });
    expect(none).toMatchObject({ phase: 'failed', result: { status: 'unsupported_model' } });
    const wrong = await viewer.ask({ type: 'set_config_option', channelId, configId: 'thinking', value: 'yes' });
    expect(wrong.result?.status).toBe('unsupported');
  });

  test('HA85: by the older requests where there is no option', async () => {
    const { viewer, channelId, writes } = await working('older');
    const model = await viewer.ask({ type: 'switch_model', channelId, modelId: 'large' });
    expect(model.result).toMatchObject({ status: 'switched', value: 'large' });
    const mode = await viewer.ask({ type: 'set_mode', channelId, modeId: 'code' });
    expect(mode.result).toMatchObject({ status: 'applied', value: 'code' });
    expect(writes('session/set_model')).toEqual([{ sessionId: 'S1', modelId: 'large' }]);
    expect(writes('session/set_mode')).toEqual([{ sessionId: 'S1', modeId: 'code' }]);
  });

  test('HA213: an agent that keeps its value is told as that', async () => {
    const keeps = await working('config', true);
    const kept = await keeps.viewer.ask({ type: 'switch_model', channelId: keeps.channelId, modelId: 'large' });
    expect(kept.result).toMatchObject({ status: 'failure', value: 'small' });
  });

  test('HA213: a value that the agent tells of only after its answer is waited for', async () => {
    const agentEnv = { AGENT_OPTIONS: 'config', AGENT_LATE: '1' };
    const harness = await stage.harness({ script: 'has-options.mjs', agentEnv });
    const viewer = await stage.watch();
    const { channelId } = harness;
    viewer.prompt(channelId, 'work');
    await viewer.until('the work', () => viewer.events().find(({ payload }) => payload.includes('"working"')));
    const late = await viewer.ask({ type: 'switch_model', channelId, modelId: 'large' });
    expect(late.result).toMatchObject({ status: 'switched', value: 'large' });
    const lines = viewer.events(harness.stream).map(({ kind, payload }) => `${kind} ${payload}`);
    const answered = lines.findIndex(
      (line) => line.startsWith('acp_read') && line.includes('"result":{"configOptions"'),
    );
    const told = lines.findIndex((line) => line.includes('config_option_update'));
    const result = lines.findIndex((line) => line.startsWith('control_result') && line.includes('"switched"'));
    expect([answered, told, result]).toEqual([answered, told, result].toSorted((a, b) => a - b));
    expect(answered).toBeGreaterThan(0);
  });

  test('HA85: an agent that refuses says why', async () => {
    const { viewer, channelId } = await working('older', true);
    const refused = await viewer.ask({ type: 'switch_model', channelId, modelId: 'large' });
    expect(refused.result).toMatchObject({ status: 'failure', reason: 'not now' });
  });

  test('HA85: an agent that offers nothing is asked nothing', async () => {
    const { viewer, channelId, writes } = await working('none');
    const model = await viewer.ask({ type: 'switch_model', channelId, modelId: 'large' });
    expect(model.result).toMatchObject({ status: 'unsupported_model', reason: 'the agent offers no choice of models' });
    const mode = await viewer.ask({ type: 'set_mode', channelId, modeId: 'code' });
    expect(mode.result?.status).toBe('unsupported');
    expect(writes('session/set_model')).toEqual([]);
  });
});
