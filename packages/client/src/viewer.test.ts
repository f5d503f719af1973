import { nobleCrypto } from '@heliograph/crypto/noble';
import { type Control, localSigner } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import { TinyAgent } from './testing/tiny-agent.ts';
import { OWNER, START_MS, viewerStage } from './testing/viewer-stage.ts';

describe('the viewer', () => {
  it('VI1: shows frames of agents it was told of, with the exact payload', async () => {
    const { agent, clock, of, shown } = viewerStage(nobleCrypto);
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }], ['acp_read', { a: 1 }]);
    await clock.settle();
    expect(shown()).toEqual(['true:s:1', 'true:s:2']);
    expect(of('events')[0]?.events[1]?.payload).toBe('{"a":1}');
  });

  it('VI2: admits an agent whose profile carries my attestation, and shows what it said before', async () => {
    const { agent, relay, clock, shown, of } = viewerStage(nobleCrypto, () => []);
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await clock.settle();
    expect(shown()).toEqual([]);
    expect(of('stranger')).toEqual([{ type: 'stranger', publicKey: agent.publicKey, frames: 1 }]);
    relay.deliver(await agent.profile('named by itself'));
    await clock.settle();
    expect(shown()).toEqual(['true:s:1']);
    expect(of('presence').at(-1)?.presence.name).toBe('named by itself');
  });

  it('VI3: refuses an agent that somebody else vouched for, that was revoked, or whose time is over', async () => {
    const other = viewerStage(nobleCrypto, () => []);
    const stranger = new TinyAgent(3, new Uint8Array(32).fill(9), nobleCrypto, other.relay, other.clock);
    other.relay.stored.push(await stranger.profile('not yours'));
    const late = new TinyAgent(4, OWNER, nobleCrypto, other.relay, other.clock, `created_at<${START_MS / 1_000 - 1}`);
    other.relay.stored.push(await late.profile('expired'));
    await other.clock.settle();
    await late.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await other.clock.settle();
    expect(other.of('events')).toEqual([]);

    const revoked = viewerStage(nobleCrypto, (a) => [{ publicKey: a.publicKey, name: 'x', revoked: true }]);
    await revoked.clock.settle();
    revoked.relay.deliver(await revoked.agent.profile('still here'));
    await revoked.agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await revoked.clock.settle();
    expect(revoked.of('events')).toEqual([]);
    expect(revoked.of('stranger')).toEqual([]);
  });

  it('VI4: keeps agents apart: one that squats on the stream of another changes nothing there', async () => {
    const { agent, relay, clock, of } = viewerStage(nobleCrypto, (a) => [
      { publicKey: a.publicKey, name: 'one' },
      { publicKey: localSigner(new Uint8Array(32).fill(5), nobleCrypto).publicKey, name: 'two' },
    ]);
    const squatter = new TinyAgent(5, OWNER, nobleCrypto, relay, clock);
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await squatter.say('s', 'c', ['stream_opened', { channelId: 'c' }], ['acp_read', { forged: true }]);
    await agent.say('s', 'c', ['acp_read', { real: true }]);
    await clock.settle();
    const seqs = (who: TinyAgent) => of('events').flatMap((e) => (e.agent === who.publicKey ? e.events : []));
    expect(seqs(agent).map((e) => e.payload)).toEqual(['{"channelId":"c"}', '{"real":true}']);
    expect(of('warning')).toEqual([]);
  });

  it('VI5: refuses events of another channel in a stream, and tells of content that contradicts what it holds', async () => {
    const { agent, clock, of, shown } = viewerStage(nobleCrypto);
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await agent.say('s', 'other', ['acp_read', {}]);
    await clock.settle();
    expect(shown()).toEqual(['true:s:1']);
    expect(of('warning').map((w) => w.code)).toEqual(['stream-owner']);
  });

  it('VI6: takes a frame once, whichever way it comes, and never a forged one', async () => {
    const { agent, relay, clock, shown } = viewerStage(nobleCrypto);
    await clock.settle();
    const envelope = await agent.seal('s', 'c', ['stream_opened', { channelId: 'c' }]);
    const frame = await agent.frame(envelope);
    relay.deliver({ ...frame, content: `${frame.content.slice(0, -4)}AAA=` });
    relay.deliver(frame);
    relay.deliver(frame);
    await agent.deliver(envelope); // The same plaintext in a new event.
    await clock.settle();
    expect(shown()).toEqual(['true:s:1']);
  });

  it('VI9, AR111: asks for what is missing and stops when it is told that it is gone', async () => {
    const { agent, clock, shown, of, lost: told } = viewerStage(nobleCrypto);
    const lost = await agent.seal('s', 'c', ['stream_opened', { channelId: 'c' }]);
    const gone = await agent.seal('s', 'c', ['acp_read', {}], ['acp_read', {}]);
    const asked: Control[] = [];
    agent.listen((control) => {
      if (control.type !== 'replay') return void agent.answerHello(control);
      asked.push(control);
      const { requestId } = control;
      void agent
        .deliver(lost)
        .then(() =>
          agent.say('s', 'c', ['control_result', { type: 'replay', requestId, status: 'partial', missing: [[2, 3]] }]),
        );
    });
    await clock.settle();
    await agent.say('s', 'c', ['acp_read', { n: 4 }]);
    await clock.advance(20_000);
    expect(asked).toMatchObject([{ stream: 's', fromSeq: 1, toSeq: 3 }]);
    expect(gone.lastSeq).toBe(3);
    expect(shown()).toEqual(expect.arrayContaining(['true:s:1', 'true:s:4']));
    expect(of('warning').map((w) => w.code)).toEqual(['lost']);
    expect(told).toEqual([[agent.publicKey, 's', [{ first: 2, last: 3 }]]]);
  });

  it('DT198: tells which seqs are awaited, which the harness does not have, and forgets those that came', async () => {
    const { agent, clock, of } = viewerStage(nobleCrypto);
    const late = await agent.seal('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await agent.seal('s', 'c', ['acp_read', {}], ['acp_read', {}]);
    const answers: (() => Promise<unknown>)[] = [];
    agent.listen((control) => {
      if (control.type !== 'replay') return void agent.answerHello(control);
      const { requestId } = control;
      const result = { type: 'replay', requestId, status: 'partial', missing: [[2, 3]] };
      answers.push(() => agent.deliver(late).then(() => agent.say('s', 'c', ['control_result', result])));
    });
    await clock.settle();
    await agent.say('s', 'c', ['acp_read', { n: 4 }]);
    await clock.settle();
    const newest = () => of('repairs').at(-1)?.repairs;
    expect(newest()).toEqual({ awaited: [{ stream: 's', first: 1, last: 3 }], gone: [] });
    await clock.advance(20_000);
    expect(newest()?.awaited).toEqual([{ stream: 's', first: 1, last: 3 }]);
    for (const answer of answers) await answer();
    await clock.settle();
    expect(newest()).toEqual({ awaited: [], gone: [{ stream: 's', first: 2, last: 3 }] });
  });

  it('DT202: an agent that a relay refuses is told from one that is off, until it is heard again', async () => {
    const { agent, relay, clock, presence } = viewerStage(nobleCrypto);
    relay.answer = () => [false, 'mute: blocked: npub1x is banned from this relay'];
    await clock.settle();
    const refusal = { relay: 'ws://relay.test', words: 'npub1x is banned from this relay' };
    expect(presence()).toMatchObject({ harness: 'silent', refusal });
    relay.answer = () => [false, 'mute: no one is listening for this'];
    await clock.advance(61_000);
    expect(presence()).toMatchObject({ harness: 'silent', refusal: undefined });
    relay.answer = () => [false, 'mute: blocked: again'];
    await clock.advance(61_000);
    expect(presence()?.refusal?.words).toBe('again');
    relay.answer = () => undefined;
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(61_000);
    expect(presence()).toMatchObject({ harness: 'live', refusal: undefined });
  });

  it('DT198: what three answers did not bring is awaited no more', async () => {
    const { agent, clock, of } = viewerStage(nobleCrypto);
    await agent.seal('s', 'c', ['stream_opened', { channelId: 'c' }]);
    agent.listen((control) => {
      if (control.type !== 'replay') return void agent.answerHello(control);
      const { requestId } = control;
      void agent.say('run-1', null, ['control_result', { type: 'replay', requestId, status: 'replayed' }]);
    });
    await clock.settle();
    await agent.say('s', 'c', ['acp_read', { n: 2 }]);
    await clock.settle();
    expect(of('repairs').at(-1)?.repairs.awaited).toEqual([{ stream: 's', first: 1, last: 1 }]);
    await clock.advance(60_000);
    expect(of('repairs').at(-1)?.repairs).toEqual({ awaited: [], gone: [] });
  });

  it('VI20: a hostile agent costs its owner only its own frames: no shape of heads, snapshot or result ends the rest', async () => {
    const { agent, relay, clock, of } = viewerStage(nobleCrypto, (a) => [
      { publicKey: a.publicKey, name: 'one' },
      { publicKey: localSigner(new Uint8Array(32).fill(5), nobleCrypto).publicKey, name: 'two' },
    ]);
    const hostile = new TinyAgent(5, OWNER, nobleCrypto, relay, clock);
    const hellos: string[] = [];
    hostile.listen((control) => void hellos.push(control.requestId ?? ''));
    await clock.settle();
    const odd = [
      5,
      'x',
      null,
      [null],
      [5],
      [[]],
      [{ stream: 5, seq: 'x' }],
      [{ stream: 's', seq: -1 }],
      { length: 9 },
      [{}],
    ];
    for (const value of odd) {
      await hostile.say('run-1', null, ['heads', { streams: value }]);
      await hostile.say('run-1', null, ['turn_liveness', { head: value }]);
      await hostile.say('run-1', null, ['control_result', { type: 'replay', status: 'partial', missing: value }]);
      const members = { policy: value, pending: value, host: value, version: value };
      const snapshot = {
        requestIds: hellos,
        run: 'run-1',
        now: value,
        streams: value,
        channels: value,
        agent: value,
        ...members,
      };
      await hostile.say('run-1', null, ['snapshot', snapshot]);
      for (const payload of [value, 7, null])
        await hostile.say('run-1', null, ['snapshot', payload], ['heads', payload]);
      await clock.advance(3_000);
    }
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await clock.settle();
    expect(of('events').some((e) => e.agent === agent.publicKey)).toBe(true);
  });

  it('VI18: an endless list of lost seqs neither slows nor floods the owner', async () => {
    const { agent, clock, of } = viewerStage(nobleCrypto);
    agent.listen((control) => {
      if (control.type !== 'replay') return void agent.answerHello(control);
      const missing = Array.from({ length: 2_000 }, (_, at) => [at * 2 + 2, at * 2 + 2]);
      const result = { type: 'replay', requestId: control.requestId, status: 'partial', missing };
      void agent.say('s', 'c', ['control_result', result]);
    });
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await agent.say('run-1', null, ['heads', { streams: [{ stream: 's', seq: 2 ** 50, hash: '' }] }]);
    await clock.advance(60_000);
    expect(of('warning').length).toBeLessThan(12);
  });
});
