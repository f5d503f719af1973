import { nobleCrypto } from '@heliograph/crypto/noble';
import { type Control, localSigner, splitPayload } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import { FakeClock } from './testing/fake-clock.ts';
import { MemoryRelay } from './testing/memory-relay.ts';
import { TinyAgent } from './testing/tiny-agent.ts';
import { createViewer } from './viewer.ts';
import type { KnownAgent, ViewerEvent } from './viewer-event.ts';

const OWNER = new Uint8Array(32).fill(1);
const START_MS = 1_800_000_000_000;

function setup(list: (agent: TinyAgent) => KnownAgent[] = (a) => [{ publicKey: a.publicKey, name: 'one' }]) {
  const relay = new MemoryRelay();
  const clock = new FakeClock(START_MS);
  const agent = new TinyAgent(2, OWNER, nobleCrypto, relay, clock);
  const events: ViewerEvent[] = [];
  let ids = 0;
  const viewer = createViewer({
    signer: localSigner(OWNER, nobleCrypto),
    relays: ['ws://relay.test'],
    agents: list(agent),
    viewerId: 'viewer-1',
    version: '0.2.0',
    openSocket: relay.open,
    clock,
    crypto: nobleCrypto,
    random: () => 1,
    uuid: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`,
    onEvent: (event) => events.push(event),
  });
  const of = <T extends ViewerEvent['type']>(type: T) =>
    events.filter((e): e is Extract<ViewerEvent, { type: T }> => e.type === type);
  const shown = () =>
    of('events').flatMap((e) => e.events.map((o) => `${e.agent === agent.publicKey}:${o.stream}:${o.seq}`));
  const presence = () => of('presence').at(-1)?.presence;
  return { relay, clock, agent, viewer, events, of, shown, presence };
}

describe('the viewer', () => {
  it('VI1: shows frames of agents it was told of, with the exact payload', async () => {
    const { agent, clock, of, shown } = setup();
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }], ['acp_read', { a: 1 }]);
    await clock.settle();
    expect(shown()).toEqual(['true:s:1', 'true:s:2']);
    expect(of('events')[0]?.events[1]?.payload).toBe('{"a":1}');
  });

  it('VI2: admits an agent whose profile carries my attestation, and shows what it said before', async () => {
    const { agent, relay, clock, shown, of } = setup(() => []);
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
    const other = setup(() => []);
    const stranger = new TinyAgent(3, new Uint8Array(32).fill(9), nobleCrypto, other.relay, other.clock);
    other.relay.stored.push(await stranger.profile('not yours'));
    const late = new TinyAgent(4, OWNER, nobleCrypto, other.relay, other.clock, `created_at<${START_MS / 1_000 - 1}`);
    other.relay.stored.push(await late.profile('expired'));
    await other.clock.settle();
    await late.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await other.clock.settle();
    expect(other.of('events')).toEqual([]);

    const revoked = setup((a) => [{ publicKey: a.publicKey, name: 'x', revoked: true }]);
    await revoked.clock.settle();
    revoked.relay.deliver(await revoked.agent.profile('still here'));
    await revoked.agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await revoked.clock.settle();
    expect(revoked.of('events')).toEqual([]);
    expect(revoked.of('stranger')).toEqual([]);
  });

  it('VI4: keeps agents apart: one that squats on the stream of another changes nothing there', async () => {
    const { agent, relay, clock, of } = setup((a) => [
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
    const { agent, clock, of, shown } = setup();
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await agent.say('s', 'other', ['acp_read', {}]);
    await clock.settle();
    expect(shown()).toEqual(['true:s:1']);
    expect(of('warning').map((w) => w.code)).toEqual(['stream-owner']);
  });

  it('VI6: takes a frame once, whichever way it comes, and never a forged one', async () => {
    const { agent, relay, clock, shown } = setup();
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

  it('VI7: greets after it has subscribed, until it is answered; nothing is live before the snapshot', async () => {
    const { agent, relay, clock, presence, of } = setup();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await clock.settle();
    const said = relay.peers[0]?.said.map((text) => JSON.parse(text)[0]);
    expect(said?.slice(0, 2)).toEqual(['AUTH', 'REQ']);
    expect(said?.filter((type) => type === 'EVENT')).toHaveLength(1);
    expect(presence()).toMatchObject({ harness: 'silent', liveStreams: [] });
    agent.listen((control) => void agent.answerHello(control));
    await agent.say('s', 'c', ['acp_read', { woken: true }]);
    await clock.advance(3_000);
    expect(presence()).toMatchObject({
      harness: 'live',
      run: 'run-1',
      process: 'running',
      liveStreams: ['s', 'run-1'],
    });
    expect(of('snapshot')).toHaveLength(1);
    await agent.say('t', 'd', ['stream_opened', { channelId: 'd' }]);
    await clock.settle();
    expect(presence()?.liveStreams).toContain('t');
  });

  it('VI8: does not take an old snapshot, sent again, for news', async () => {
    const { agent, clock, presence } = setup();
    agent.listen();
    await clock.settle();
    await agent.say('run-1', null, ['snapshot', agent.snapshot(['00000000-0000-4000-8000-999999999999'])]);
    await clock.settle();
    expect(presence()).toMatchObject({ harness: 'waiting', liveStreams: [] });
  });

  it('VI9: asks for what is missing and stops when it is told that it is gone', async () => {
    const { agent, clock, shown, of } = setup();
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
  });

  it('VI10, VI30: repeats a control in new events with one requestId until it is answered, and shows each step', async () => {
    const { agent, relay, clock, viewer, of } = setup();
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
    const { agent, clock, viewer, of } = setup();
    await clock.settle();
    const content = [{ type: 'text', text: 'x'.repeat(50_000) }];
    viewer.control(agent.publicKey, { type: 'prompt', channelId: 'c', content });
    expect(of('control').at(-1)?.progress).toMatchObject({ phase: 'failed', result: { status: 'too_large' } });
  });

  it('VI12: warns of a second harness with the same key: it speaks between two times of the first', async () => {
    const { agent, clock, of } = setup();
    agent.listen((control) => void agent.answerHello(control));
    await clock.settle();
    await agent.say('run-2', null, ['heads', { streams: [] }]);
    await clock.settle();
    expect(of('warning')).toEqual([]);
    await agent.say('run-1', null, ['heads', { streams: [] }]);
    await clock.settle();
    expect(of('warning').map((w) => w.code)).toEqual(['second-run']);
  });

  it('VI12: does not take a restarted harness for a second one, whatever of its start was lost or came late', async () => {
    const { agent, clock, viewer, of, presence } = setup();
    const answers: (() => Promise<unknown>)[] = [];
    agent.listen((control) => void agent.answerHello(control));
    await clock.settle();
    // The old run's last words and its answer to a hello are on their way when it is killed.
    const words = await agent.seal('run-1', null, ['heads', { streams: [] }]);
    agent.listen((control) => {
      if (control.type !== 'hello') return;
      const snapshot = agent.snapshot([control.requestId ?? '']);
      void agent.seal('run-1', null, ['snapshot', snapshot]).then((late) => answers.push(() => agent.deliver(late)));
    });
    await clock.advance(3_000);
    viewer.resync();
    await clock.settle();
    expect(answers.length).toBeGreaterThan(0);
    agent.run = 'run-2';
    await agent.seal('run-2', null, ['stream_opened', { channelId: null }]);
    await agent.say('run-2', null, ['heads', { streams: [] }]);
    await agent.deliver(words);
    for (const answer of answers) await answer();
    await agent.say('run-2', null, ['heads', { streams: [] }]);
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(20_000);
    expect(presence()).toMatchObject({ harness: 'live', run: 'run-2' });
    expect(of('warning')).toEqual([]);
  });

  it('VI14: greets a harness that has started anew; until it answers nothing is live, and controls go to its run', async () => {
    const { agent, clock, viewer, presence, of } = setup();
    agent.listen((control) => void agent.answerHello(control));
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    await clock.advance(3_000);
    expect(presence()).toMatchObject({ harness: 'live', run: 'run-1' });
    agent.listen();
    agent.run = 'run-2';
    await agent.say('run-2', null, ['stream_opened', { channelId: null }], ['heads', { streams: [] }]);
    await clock.settle();
    expect(presence()).toMatchObject({ harness: 'waiting', liveStreams: [], run: undefined });
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(5_000);
    expect(presence()).toMatchObject({ harness: 'live', run: 'run-2' });
    viewer.control(agent.publicKey, { type: 'cancel_turn', channelId: 'c' });
    await clock.settle();
    expect(agent.controls.at(-1)).toMatchObject({ type: 'cancel_turn', run: 'run-2' });
    expect(of('warning')).toEqual([]);
  });

  it('VI16: asks a harness that has started anew for what it lacks of the stream that goes on', async () => {
    const { agent, clock, shown } = setup();
    agent.listen((control) => void agent.answerHello(control));
    await clock.settle();
    await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }]);
    const missed = await agent.seal('s', 'c', ['acp_read', { last: 'words' }]);
    await clock.advance(3_000);
    agent.listen((control) => {
      if (control.type !== 'replay') return void agent.answerHello(control);
      if (control.stream === 's' && control.fromSeq === 2 && control.toSeq === 2) void agent.deliver(missed);
    });
    agent.run = 'run-2';
    await agent.say('run-2', null, ['stream_opened', { channelId: null }]);
    const continues = { stream: 's', seq: 2, hash: missed.hash, clean: false };
    await agent.say('t', 'c', ['stream_opened', { channelId: 'c', continues }]);
    await clock.advance(20_000);
    expect(shown()).toContain('true:s:2');
  });

  it('VI15: warns of an agent whose clock is off', async () => {
    const { agent, clock, of } = setup();
    agent.clockOffsetMs = 300_000;
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(3_000);
    expect(of('warning')).toMatchObject([{ code: 'clock', message: expect.stringContaining('5 min ahead') }]);
  });

  it('VI20: a hostile agent costs its owner only its own frames: no shape of heads, snapshot or result ends the rest', async () => {
    const { agent, relay, clock, of } = setup((a) => [
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

  it('VI17: understands a snapshot that comes in parts', async () => {
    const { agent, clock, presence } = setup();
    agent.listen((control) => {
      if (control.type !== 'hello') return;
      const snapshot = JSON.stringify(agent.snapshot([control.requestId ?? '']));
      const parts = splitPayload('snapshot', snapshot, 1, 400) as string[];
      void agent.say('run-1', null, ...parts.map((part) => ['acp_part', JSON.parse(part)] as [string, unknown]));
    });
    await clock.advance(3_000);
    expect(presence()).toMatchObject({ harness: 'live', run: 'run-1' });
  });

  it('VI18: an endless list of lost seqs neither slows nor floods the owner', async () => {
    const { agent, clock, of } = setup();
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

  it('VI19: a harness that was live and that nobody can reach any more is not called live', async () => {
    const { agent, relay, clock, viewer, presence } = setup();
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(3_000);
    expect(presence()?.harness).toBe('live');
    relay.answer = () => undefined; // The harness died: the relay has nobody to hand controls to.
    viewer.resync(agent.publicKey);
    await clock.settle();
    expect(presence()).toMatchObject({ harness: 'silent', liveStreams: [] });
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(3_000);
    expect(presence()?.harness).toBe('live');
    agent.listen();
    await clock.advance(120_000);
    expect(presence()?.harness).toBe('silent');
  });

  it('VI13: gives up a control after ten minutes and says so', async () => {
    const { agent, clock, viewer, of } = setup();
    await clock.settle();
    viewer.control(agent.publicKey, { type: 'prompt', channelId: 'c', content: [{ type: 'text' }] });
    await clock.advance(700_000);
    expect(of('control').at(-1)?.progress).toMatchObject({
      phase: 'failed',
      reason: expect.stringContaining('ten minutes'),
    });
  });

  it.each([
    [
      { wire: 2 },
      'the harness speaks wire 2, this page wire 1: update this desktop and load the page again; what both',
    ],
    [{ version: '0.10.0' }, 'the harness is Heliograph 0.10.0, this page 0.2.0: update this desktop'],
    [{ version: '0.1.9' }, 'the harness is Heliograph 0.1.9, this page 0.2.0: update Heliograph on its machine'],
  ])(
    'VI26: says once which end to update where a harness is of %j, and shows what it understands',
    async (versions, words) => {
      const { agent, clock, viewer, of, shown } = setup();
      agent.versions = versions;
      agent.listen((control) => void agent.answerHello(control));
      await clock.settle();
      await clock.advance(3_000);
      viewer.resync();
      await clock.advance(3_000);
      await agent.say('s', 'c', ['stream_opened', { channelId: 'c' }], ['something_new', { a: 1 }]);
      await clock.settle();
      const said = of('warning').filter(({ code }) => code === 'version');
      expect(said.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
      expect(of('presence').at(-1)?.presence.harness).toBe('live');
      expect(shown()).toContain('true:s:2');
      expect(agent.controls[0]).toMatchObject({ type: 'hello', wire: 1, version: '0.2.0' });
    },
  );

  it.each([{}, { version: '0.2.0' }, { version: 7 }, { version: 'x'.repeat(9) }, { wire: 'x' }])(
    'VI26: says nothing where the versions fit or can’t be told (%j)',
    async (versions) => {
      const { agent, clock, of } = setup();
      agent.versions = versions as object;
      agent.listen((control) => void agent.answerHello(control));
      await clock.settle();
      await clock.advance(3_000);
      expect(of('presence').at(-1)?.presence.harness).toBe('live');
      expect(of('warning')).toEqual([]);
    },
  );

  it('VI28: each control says on which device it was given', async () => {
    const { agent, clock, viewer } = setup();
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(3_000);
    viewer.control(agent.publicKey, { type: 'restart_agent' });
    await clock.settle();
    expect(agent.controls.find(({ type }) => type === 'restart_agent')).toMatchObject({ viewer: 'viewer-1' });
  });
});
