import { encodeNpub } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import {
  agent,
  control,
  owner,
  ScriptedRelay,
  secondOwner,
  telemetry,
  template,
  vouch,
} from './testing/scripted-relay.ts';

const NOW = 1_700_000_000;

describe('what is kept', () => {
  it('RL20: answers OK with the reason that fits', () => {
    const client = new ScriptedRelay().connectOwner();
    const note = owner.sign(template({}));
    expect(client.publish(note)).toEqual([['OK', note.id, true, '']]);
    expect(client.publish(note)).toEqual([['OK', note.id, true, expect.stringMatching(/^duplicate: /)]]);
    const profile = owner.sign(template({ kind: 0 }));
    const older = owner.sign(template({ kind: 0, created_at: NOW - 1 }));
    client.publish(profile);
    expect(client.publish(older)).toEqual([['OK', older.id, true, expect.stringMatching(/^duplicate: .*newer/)]]);
    client.publish(owner.sign(template({ kind: 5, tags: [['e', note.id]] })));
    expect(client.publish(note)).toEqual([['OK', note.id, false, expect.stringMatching(/^blocked: /)]]);
  });

  it('RL20: refuses forged ids and signatures', () => {
    const client = new ScriptedRelay().connectOwner();
    const { id, pubkey, created_at, kind, tags, content, sig } = owner.sign(template({ content: 'mine' }));
    const forged = { id, pubkey, created_at, kind, tags, content: 'not mine', sig };
    expect(client.publish(forged)).toEqual([['OK', id, false, expect.stringMatching(/^invalid: .*id/)]]);
    const other = owner.sign(template({ content: 'other' })).sig;
    expect(client.publish({ id, pubkey, created_at, kind, tags, content, sig: other })).toEqual([
      ['OK', id, false, expect.stringMatching(/^invalid: .*signature/)],
    ]);
  });

  it('RL20: an admitted connection may pass on what others signed', () => {
    const client = new ScriptedRelay().connectOwner();
    const foreign = secondOwner.sign(template({}));
    expect(client.publish(foreign)).toEqual([['OK', foreign.id, true, '']]);
  });

  it('RL30: answers and delivers only after the commit; a REQ in between misses nothing and gets nothing twice', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    const reader = relay.connectOwner();
    const note = owner.sign(template({}));
    relay.holdWrites = true;
    expect(client.publish(note)).toEqual([]);
    expect(reader.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
    relay.release();
    expect(client.take()).toEqual([['OK', note.id, true, '']]);
    expect(reader.take()).toEqual([['EVENT', 'a', expect.objectContaining({ id: note.id })]]);
  });

  it('RL30: says error when the storage fails, and delivers nothing', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    client.say('REQ', 'a', {});
    relay.holdWrites = true;
    const note = owner.sign(template({}));
    client.publish(note);
    for (const request of relay.held) relay.handle({ type: 'stored', request, outcome: 'failed' });
    expect(client.take()).toEqual([['OK', note.id, false, expect.stringMatching(/^error: /)]]);
  });

  it.each([
    ['15 min ahead', NOW + 900, true],
    ['more', NOW + 901, false],
    ['ten years behind', NOW - 315_360_000, true],
    ['more than that', NOW - 315_360_001, false],
  ])('RL21: created_at %s', (_, created_at, taken) => {
    const note = owner.sign(template({ created_at }));
    const reason = taken ? '' : expect.stringMatching(/^invalid: created_at is \d+ s .* clock/);
    expect(new ScriptedRelay().connectOwner().publish(note)).toEqual([['OK', note.id, taken, reason]]);
  });

  it('RL24: bounds tags and content', () => {
    const limits = { maxEventTags: 2, maxContentLength: 3 };
    const client = new ScriptedRelay({ limits }).connectOwner();
    const fits = owner.sign(template({ tags: [['a'], ['b']], content: '😀😀😀' }));
    expect(client.publish(fits)).toEqual([['OK', fits.id, true, '']]);
    for (const fields of [{ tags: [['a'], ['b'], ['c']] }, { content: 'four' }]) {
      const note = owner.sign(template(fields));
      expect(client.publish(note)).toEqual([['OK', note.id, false, expect.stringMatching(/^invalid: .*[23]/)]]);
    }
  });

  it('RL25: bounds events per key, says how long to wait, and other keys do not notice', () => {
    const relay = new ScriptedRelay({ limits: { eventsPerSec: 0.5, eventBurst: 2 } });
    const client = relay.connectOwner();
    const sameKey = relay.connectOwner();
    const other = relay.connectOwner(secondOwner);
    const say = (from: typeof client, content: string) => from.publish(owner.sign(template({ content })))[0]?.slice(2);
    expect([say(client, '1'), say(sameKey, '2')]).toEqual([
      [true, ''],
      [true, ''],
    ]);
    expect(say(client, '3')).toEqual([false, expect.stringMatching(/^rate-limited: .*retry in 2 s$/)]);
    expect(say(other, '3')).toEqual([true, '']);
    relay.nowMs += 2_000;
    expect(say(client, '4')).toEqual([true, '']);
  });
});

describe('what is not kept', () => {
  it('RL4: gives an ephemeral event to who listens and to nobody later', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    const listener = relay.connectOwner(secondOwner);
    listener.say('REQ', 'a', { kinds: [20_001, 29_999] });
    for (const kind of [20_001, 29_999]) {
      const event = owner.sign(template({ kind }));
      expect(client.publish(event)).toEqual([['OK', event.id, true, '']]);
      expect(listener.take()).toEqual([['EVENT', 'a', expect.objectContaining({ id: event.id })]]);
      expect(listener.say('REQ', 'b', { ids: [event.id] })).toEqual([['EOSE', 'b']]);
    }
    expect(relay.effects.filter((effect) => effect.type === 'store')).toEqual([]);
  });

  it('RL17: answers OK false mute: when nobody listens (NIP-01)', () => {
    const client = new ScriptedRelay().connectOwner();
    const event = owner.sign(template({ kind: 20_001 }));
    expect(client.publish(event)).toEqual([['OK', event.id, false, expect.stringMatching(/^mute: /)]]);
  });

  it.each([NOW - 301, NOW + 301])('RL21: refuses an ephemeral event more than 300 s off: %i', (created_at) => {
    const relay = new ScriptedRelay();
    const event = agent.sign(telemetry({ created_at }));
    expect(relay.connectAgent().publish(event)).toEqual([
      ['OK', event.id, false, expect.stringMatching(/^invalid: .*301 s.*300 s.*clock/)],
    ]);
  });
});

describe('observer frames', () => {
  const tag = (name: string, value: string) => [name, value];
  const p = tag('p', owner.publicKey);
  const agentTag = tag('agent', agent.publicKey);
  const frame = tag('frame', 'telemetry');

  it('RL16: telemetry reaches the owner who vouches, control reaches the agent', () => {
    const relay = new ScriptedRelay();
    const sender = relay.connectAgent();
    const viewer = relay.connectOwner();
    sender.say('REQ', 'control', { kinds: [24_200], '#p': [agent.publicKey] });
    viewer.say('REQ', 'live', { kinds: [24_200], '#p': [owner.publicKey], limit: 0 });
    const up = agent.sign(telemetry({ created_at: NOW - 300 }));
    expect(sender.publish(up)).toEqual([['OK', up.id, true, '']]);
    expect(viewer.take()).toEqual([['EVENT', 'live', expect.objectContaining({ id: up.id })]]);
    const down = owner.sign(control({ created_at: NOW + 300 }));
    expect(viewer.publish(down)).toEqual([['OK', down.id, true, '']]);
    expect(sender.take()).toEqual([['EVENT', 'control', expect.objectContaining({ id: down.id })]]);
  });

  it.each([
    ['no p', [agentTag, frame]],
    ['two p', [p, p, agentTag, frame]],
    ['no agent', [p, frame]],
    ['two agents', [p, agentTag, agentTag, frame]],
    ['no frame', [p, agentTag]],
    ['two frames', [p, agentTag, frame, tag('frame', 'control')]],
    ['upper-case hex', [tag('p', owner.publicKey.toUpperCase()), agentTag, frame]],
    ['another agent', [p, tag('agent', owner.publicKey), frame]],
    ['control by the agent', [p, agentTag, tag('frame', 'control')]],
  ])('RL16: refuses tags: %s', (_, tags) => {
    const event = agent.sign(telemetry({ tags }));
    expect(new ScriptedRelay().connectAgent().publish(event)).toEqual([
      ['OK', event.id, false, expect.stringMatching(/^invalid: /)],
    ]);
  });

  it.each([
    [131, false],
    [132, true],
    [87_472, true],
    [87_473, false],
  ])('RL16: takes content of 132 to 87,472 characters: %i', (length, taken) => {
    const relay = new ScriptedRelay();
    relay.connectOwner().say('REQ', 'a', {});
    const event = agent.sign(telemetry({ content: 'A'.repeat(length) }));
    const reason = taken ? '' : expect.stringMatching(/^invalid: /);
    expect(relay.connectAgent().publish(event)).toEqual([['OK', event.id, taken, reason]]);
  });

  it('RL16: a frame value of the future is answered OK and given to nobody', () => {
    const relay = new ScriptedRelay();
    const viewer = relay.connectOwner();
    viewer.say('REQ', 'a', {});
    const event = agent.sign(telemetry({ tags: [p, agentTag, tag('frame', 'hologram')] }));
    expect(relay.connectAgent().publish(event)).toEqual([['OK', event.id, true, '']]);
    expect(viewer.take()).toEqual([]);
  });

  it('RL16: is signed by the key that authenticated', () => {
    const relay = new ScriptedRelay();
    const event = agent.sign(telemetry());
    const answer = relay.connectOwner().publish(event);
    expect(answer).toEqual([['OK', event.id, false, expect.stringMatching(/^restricted: /)]]);
    expect(answer[0]?.[3]).toContain(encodeNpub(agent.publicKey));
    expect(answer[0]?.[3]).toContain(encodeNpub(owner.publicKey));
  });

  it('RL16: telemetry goes to the owner of this session and no other', () => {
    const event = agent.sign(telemetry({ tags: [tag('p', secondOwner.publicKey), agentTag, frame] }));
    expect(new ScriptedRelay().connectAgent().publish(event)).toEqual([
      ['OK', event.id, false, expect.stringMatching(/^restricted: .*vouched/)],
    ]);
  });

  it("RL16: an owner is nobody's agent", () => {
    const tags = [p, tag('agent', secondOwner.publicKey), frame];
    const event = secondOwner.sign(telemetry({ tags }));
    expect(new ScriptedRelay().connectOwner(secondOwner).publish(event)).toEqual([
      ['OK', event.id, false, expect.stringMatching(/^restricted: /)],
    ]);
  });

  it('RL16: control comes from an owner', () => {
    const tags = [tag('p', owner.publicKey), tag('agent', owner.publicKey), tag('frame', 'control')];
    const event = agent.sign(control({ tags }));
    expect(new ScriptedRelay().connectAgent().publish(event)).toEqual([
      ['OK', event.id, false, expect.stringMatching(/^restricted: /)],
    ]);
  });

  it.each([
    ['kind=24200', true],
    ['kind=1', false],
    ['kind=1&kind=24200', false],
  ])('RL16: an attestation for %s: telemetry %s', (conditions, taken) => {
    const relay = new ScriptedRelay();
    relay.connectOwner().say('REQ', 'a', {});
    const client = relay.connectAgent(vouch(conditions));
    const event = agent.sign(telemetry());
    const reason = taken ? '' : expect.stringMatching(/^restricted: .*24200/);
    expect(client.publish(event)).toEqual([['OK', event.id, taken, reason]]);
    const note = agent.sign(template({}));
    expect(client.publish(note)).toEqual([['OK', note.id, true, '']]);
  });
});
