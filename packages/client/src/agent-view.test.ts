import { nobleCrypto } from '@heliograph/crypto/noble';
import { splitPayload } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import { viewerStage } from './testing/viewer-stage.ts';

describe('one agent as a viewer sees it', () => {
  it('VI7: greets after it has subscribed, until it is answered; nothing is live before the snapshot', async () => {
    const { agent, relay, clock, presence, of } = viewerStage(nobleCrypto);
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
    const { agent, clock, presence } = viewerStage(nobleCrypto);
    agent.listen();
    await clock.settle();
    await agent.say('run-1', null, ['snapshot', agent.snapshot(['00000000-0000-4000-8000-999999999999'])]);
    await clock.settle();
    expect(presence()).toMatchObject({ harness: 'waiting', liveStreams: [] });
  });

  it('VI12: warns of a second harness with the same key: it speaks between two times of the first', async () => {
    const { agent, clock, of } = viewerStage(nobleCrypto);
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
    const { agent, clock, viewer, of, presence } = viewerStage(nobleCrypto);
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
    const { agent, clock, viewer, presence, of } = viewerStage(nobleCrypto);
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
    const { agent, clock, shown } = viewerStage(nobleCrypto);
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
    const { agent, clock, of } = viewerStage(nobleCrypto);
    agent.clockOffsetMs = 300_000;
    agent.listen((control) => void agent.answerHello(control));
    await clock.advance(3_000);
    expect(of('warning')).toMatchObject([{ code: 'clock', message: expect.stringContaining('5 min ahead') }]);
  });

  it('VI17: understands a snapshot that comes in parts', async () => {
    const { agent, clock, presence } = viewerStage(nobleCrypto);
    agent.listen((control) => {
      if (control.type !== 'hello') return;
      const snapshot = JSON.stringify(agent.snapshot([control.requestId ?? '']));
      const parts = splitPayload('snapshot', snapshot, 1, 400) as string[];
      void agent.say('run-1', null, ...parts.map((part) => ['acp_part', JSON.parse(part)] as [string, unknown]));
    });
    await clock.advance(3_000);
    expect(presence()).toMatchObject({ harness: 'live', run: 'run-1' });
  });

  it('VI19: a harness that was live and that nobody can reach any more is not called live', async () => {
    const { agent, relay, clock, viewer, presence } = viewerStage(nobleCrypto);
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
      const { agent, clock, viewer, of, shown } = viewerStage(nobleCrypto);
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
      const { agent, clock, of } = viewerStage(nobleCrypto);
      agent.versions = versions as object;
      agent.listen((control) => void agent.answerHello(control));
      await clock.settle();
      await clock.advance(3_000);
      expect(of('presence').at(-1)?.presence.harness).toBe('live');
      expect(of('warning')).toEqual([]);
    },
  );
});
