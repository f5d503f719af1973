import { nobleCrypto } from '@heliograph/crypto/noble';
import { localSigner, type VerifiedEvent } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import { OwnerNames } from './owner-names.ts';
import { OWNER, viewerStage } from './testing/viewer-stage.ts';

const KIND = 30_078;

/** Names with one relay that keeps what it is told. */
function kept(secret: Uint8Array) {
  const events: VerifiedEvent[] = [];
  const names = new OwnerNames({
    signer: localSigner(secret, nobleCrypto),
    nowSec: () => 1_700_000_000,
    publish: async (_, event) => events.push(event) > 0,
    changed: () => undefined,
  });
  return { names, events };
}
const done = () => new Promise((resolve) => setTimeout(resolve));

describe('what an owner calls their agents, on all devices', () => {
  it('DT203: a name given on one device is that of every other, before what lists and profiles say', async () => {
    const phone = viewerStage(nobleCrypto);
    await phone.clock.settle();
    phone.viewer.nameAgent(phone.agent.publicKey, 'Builder');
    await phone.clock.settle();
    expect(phone.presence()?.name).toBe('Builder');
    expect(phone.relay.stored.filter(({ kind }) => kind === KIND)).toHaveLength(1);
    expect(JSON.stringify(phone.relay.stored)).not.toContain('Builder');

    const desk = viewerStage(nobleCrypto);
    desk.relay.stored.push(...phone.relay.stored);
    await desk.clock.advance(3_000);
    expect(desk.presence()?.name).toBe('Builder');
    expect(desk.of('names').at(-1)?.names).toEqual({ [desk.agent.publicKey]: 'Builder' });
    // It has nothing to add: nothing is written.
    expect(desk.relay.stored).toHaveLength(1);

    await desk.clock.advance(60_000);
    desk.viewer.nameAgent(desk.agent.publicKey, 'Painter');
    await desk.clock.settle();
    const newest = desk.relay.stored.filter(({ kind }) => kind === KIND).at(-1);
    if (newest === undefined) throw new TypeError('it was kept');
    phone.relay.deliver(newest);
    await phone.clock.settle();
    expect(phone.presence()?.name).toBe('Painter');
  });

  it('DT203: what was named while no relay had been read is merged with what it keeps, and told to it', async () => {
    const other = 'ee'.repeat(32);
    const elsewhere = kept(OWNER);
    elsewhere.names.noteRead('ws://r');
    elsewhere.names.set(other, 'Other');
    await done();
    const [known] = elsewhere.events;
    if (known === undefined) throw new TypeError('there is a name');
    const { agent, relay, clock, viewer, of } = viewerStage(nobleCrypto);
    relay.stored.push(known);
    viewer.nameAgent(agent.publicKey, 'Mine');
    await clock.settle();
    expect(of('names').at(-1)?.names).toEqual({ [other]: 'Other', [agent.publicKey]: 'Mine' });
    const told = relay.stored.filter(({ kind }) => kind === KIND);
    expect(told).toHaveLength(2);
    expect(told[1]?.created_at).toBeGreaterThan(known.created_at);
  });

  it('DT203: events of others, of other programs, and what can’t be opened name nothing', async () => {
    const stranger = kept(new Uint8Array(32).fill(6));
    stranger.names.noteRead('ws://r');
    stranger.names.set('ee'.repeat(32), 'Forged');
    await done();
    const [forged] = stranger.events;
    if (forged === undefined) throw new TypeError('there is a name');
    const owner = localSigner(OWNER, nobleCrypto);
    const odd = ['heliograph-agents', 'another-program'].map((tag) =>
      owner.sign({ kind: KIND, created_at: 5, content: 'no ciphertext', tags: [['d', tag]] }),
    );
    const mine = kept(OWNER);
    mine.names.noteRead('ws://r');
    for (const event of [forged, ...odd]) mine.names.receive(event);
    await done();
    expect([mine.names.all(), mine.events]).toEqual([{}, []]);
  });

  it('DT203: two devices that know different names come to one event, and write no more', async () => {
    const [phone, desk] = [kept(OWNER), kept(OWNER)];
    phone.names.noteRead('ws://r');
    desk.names.noteRead('ws://r');
    phone.names.set('aa'.repeat(32), 'A');
    desk.names.set('bb'.repeat(32), 'B');
    const heard = new Set<string>();
    for (let round = 0; round < 10; round++) {
      await done();
      const news = [...phone.events, ...desk.events].filter(({ id }) => !heard.has(id));
      for (const event of news) {
        heard.add(event.id);
        for (const { names } of [phone, desk]) {
          names.noteSent('ws://r', event.id);
          names.receive(event);
        }
      }
    }
    expect(phone.names.all()).toEqual({ ['aa'.repeat(32)]: 'A', ['bb'.repeat(32)]: 'B' });
    expect(desk.names.all()).toEqual(phone.names.all());
    expect(phone.events.length + desk.events.length).toBeLessThan(10);
  });
});
