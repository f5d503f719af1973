import { nobleCrypto } from '@heliograph/crypto/noble';
import { describe, expect, it } from 'vitest';
import { viewerStage } from './testing/viewer-stage.ts';

describe('controls of a viewer', () => {
  it('VI10, VI30: repeats a control in new events with one requestId until it is answered, and shows each step', async () => {
    const { agent, relay, clock, viewer, of } = viewerStage(nobleCrypto);
    await clock.settle();
    const requestId = viewer.control(agent.publicKey, { type: 'cancel_turn', channelId: 'c', turnId: 't' });
    await clock.advance(1_000);
    const waits = { phase: 'sending', reason: 'the harness has not said how things are yet' };
    expect(of('control').at(-1)?.progress).toMatchObject(waits);
    agent.listen((control) => {
      if (control.type === 'hello') void agent.answerHello(control);
    });
    await clock.advance(20_000);
    const sent = agent.controls.filter((c) => c.requestId === requestId);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map((c) => c.issuedAt)).size).toBe(1);
    expect(new Set(sent.map((c) => c.run))).toEqual(new Set(['run-1']));
    expect(of('control').at(-1)?.progress.phase).toBe('sent');
    const result = (status: string) =>
      agent.say('s', 'c', ['control_result', { type: 'cancel_turn', requestId, status }]);
    await result('sent');
    await clock.settle();
    expect(of('control').at(-1)?.progress.phase).toBe('received');
    const before = agent.controls.length;
    await clock.advance(60_000);
    expect(agent.controls.slice(before).filter((c) => c.requestId === requestId)).toEqual([]);
    await result('cancelled');
    await result('wrong_run');
    await clock.settle();
    expect(of('control').at(-1)?.progress).toMatchObject({ phase: 'done', result: { status: 'cancelled' } });
    expect(relay.peers).toHaveLength(1);
  });

  it('VI11: does not send a control that no frame can carry', async () => {
    const { agent, clock, viewer, of } = viewerStage(nobleCrypto);
    await clock.settle();
    const content = [{ type: 'text', text: 'x'.repeat(50_000) }];
    viewer.control(agent.publicKey, { type: 'prompt', channelId: 'c', content });
    expect(of('control').at(-1)?.progress).toMatchObject({ phase: 'failed', result: { status: 'too_large' } });
  });

  it('VI13: gives up a control after ten minutes and says so', async () => {
    const { agent, clock, viewer, of } = viewerStage(nobleCrypto);
    await clock.settle();
    viewer.control(agent.publicKey, { type: 'prompt', channelId: 'c', content: [{ type: 'text' }] });
    await clock.advance(700_000);
    expect(of('control').at(-1)?.progress).toMatchObject({
      phase: 'failed',
      reason: expect.stringContaining('ten minutes'),
    });
  });

  it('VI28: each control says on which device it was given', async () => {
    const { agent, clock, viewer } = viewerStage(nobleCrypto);
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(3_000);
    viewer.control(agent.publicKey, { type: 'restart_agent' });
    await clock.settle();
    expect(agent.controls.find(({ type }) => type === 'restart_agent')).toMatchObject({ viewer: 'viewer-1' });
  });
});
