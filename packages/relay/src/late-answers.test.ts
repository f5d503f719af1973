import { describe, expect, it } from 'vitest';
import type { StoredEvent } from './store/event-store.ts';
import { MemoryStore } from './store/memory-store.ts';
import { agent, owner, ScriptedRelay, secondOwner, telemetry, template, vouch } from './testing/scripted-relay.ts';

const NOW = 1_700_000_000;
const note = (content: string, fields = {}) => owner.sign(template({ content, ...fields }));
const got = (...events: { id: string }[]) => events.map(({ id }) => ['EVENT', 'a', expect.objectContaining({ id })]);

/** A relay whose store answers when it is told to, and its owner's connection. */
function lateRelay(options: ConstructorParameters<typeof ScriptedRelay>[0] = {}) {
  const relay = new ScriptedRelay(options);
  const client = relay.connectOwner();
  const other = relay.connectOwner();
  relay.holdAnswers = true;
  return { relay, client, other };
}

describe('a store that answers late', () => {
  it('RL90: what comes while it is asked waits behind its answer, and nothing is lost or doubled', () => {
    const { relay, client, other } = lateRelay();
    const old = note('old', { created_at: NOW - 10 });
    other.publish(old);
    expect(client.say('REQ', 'a', {})).toEqual([]);
    const frame = owner.sign(template({ kind: 20_001 }));
    const [first, second] = [note('first'), note('second')];
    for (const event of [first, frame, second]) expect(other.publish(event)).toEqual([['OK', event.id, true, '']]);
    expect(client.take()).toEqual([]);
    relay.answer();
    expect(client.take()).toEqual([...got(old), ['EOSE', 'a'], ...got(first, frame, second)]);
    const live = note('live');
    other.publish(live);
    expect(client.take()).toEqual(got(live));
  });

  it('RL90: an event that is in the answer and was held is given once, with the answer', () => {
    const { relay, client, other } = lateRelay();
    const event = note('both');
    client.say('REQ', 'a', {});
    other.publish(event);
    const { unanswered } = relay;
    unanswered.length = 0;
    const [query] = relay.effects.flatMap((effect) => (effect.type === 'query' ? [effect] : []));
    if (query === undefined) throw new TypeError('the engine asked nothing');
    const events: StoredEvent[] = [{ id: event.id, createdAtSec: event.created_at, json: event.json }];
    relay.handle({ type: 'answered', request: query, answer: { ask: 'events', events } });
    expect(client.take()).toEqual([...got(event), ['EOSE', 'a']]);
  });

  it('RL90: an event stored as the answer was read is not given again when it comes live, and is once that is long ago', () => {
    const { relay, client } = lateRelay();
    const [fresh, seldom] = [note('fresh'), note('seldom')];
    client.say('REQ', 'a', {});
    const [query] = relay.effects.flatMap((effect) => (effect.type === 'query' ? [effect] : []));
    if (query === undefined) throw new TypeError('the engine asked nothing');
    const events = [fresh, seldom].map(({ id, created_at, json }) => ({
      id,
      createdAtSec: created_at,
      json,
      isFresh: true,
    }));
    relay.handle({ type: 'answered', request: query, answer: { ask: 'events', events } });
    expect(client.take()).toHaveLength(3);
    relay.connectOwner().publish(fresh);
    expect(client.take()).toEqual([]);
    relay.tick(60);
    relay.connectOwner().publish(seldom);
    expect(client.take()).toEqual(got(seldom));
  });

  it('RL90: the answer to what was closed, replaced, or asked by a connection that is gone or no longer admitted is dropped', () => {
    const { relay, client, other } = lateRelay();
    other.publish(note('stored'));
    client.say('REQ', 'a', { kinds: [1] });
    client.say('CLOSE', 'a');
    client.say('REQ', 'b', { kinds: [7] });
    client.say('REQ', 'b', { kinds: [1], limit: 1 });
    other.say('REQ', 'c', {});
    other.close();
    const ending = relay.connectAgent(vouch(`created_at<${NOW + 5}`));
    ending.say('REQ', 'd', {});
    relay.tick(5);
    expect(ending.take()).toEqual([['CLOSED', 'd', expect.stringMatching(/^restricted: /)]]);
    relay.answer();
    expect(client.take()).toEqual([
      ['EVENT', 'b', expect.anything()],
      ['EOSE', 'b'],
    ]);
    expect([...other.take(), ...ending.take()]).toEqual([]);
    expect(relay.engine.counts.subscriptions).toBe(1);
  });

  it('RL90: what is held is bounded: above it the subscription is CLOSED, and others are not', () => {
    const { relay, client, other } = lateRelay({ limits: { maxHeldEvents: 2 } });
    client.say('REQ', 'a', { kinds: [1] });
    client.say('REQ', 'b', { kinds: [7] });
    for (const content of ['1', '2', '3', '4']) other.publish(note(content));
    expect(client.take()).toEqual([['CLOSED', 'a', expect.stringMatching(/^error: .*ask again/)]]);
    relay.answer();
    expect(client.take()).toEqual([['EOSE', 'b']]);
  });

  it('RL90: what is held counts as heard, and is what the reader may see', () => {
    const { relay, client } = lateRelay();
    const sender = relay.connectAgent();
    const others = relay.connectOwner(secondOwner);
    client.say('REQ', 'a', { kinds: [24_200] });
    others.say('REQ', 'a', { kinds: [24_200] });
    const frame = agent.sign(telemetry());
    expect(sender.publish(frame)).toEqual([['OK', frame.id, true, '']]);
    relay.answer();
    expect(client.take()).toEqual([['EOSE', 'a'], ...got(frame)]);
    expect(others.take()).toEqual([['EOSE', 'a']]);
  });

  it('RL90: COUNT and NEG-OPEN are answered late too; a reconciliation that was closed meanwhile stays closed', () => {
    const { relay, client, other } = lateRelay();
    other.publish(note('one'));
    client.say('COUNT', 'c', {});
    client.sayText('["NEG-OPEN","kept",{},"6100000200"]');
    expect(client.sayText('["NEG-MSG","kept","6100000200"]')).toEqual([
      ['NEG-ERR', 'kept', expect.stringMatching(/^invalid: wait/)],
    ]);
    client.sayText('["NEG-OPEN","kept",{},"6100000200"]');
    client.sayText('["NEG-OPEN","closed",{},"6100000200"]');
    client.sayText('["NEG-CLOSE","closed"]');
    relay.answer();
    expect(client.take()).toEqual([
      ['COUNT', 'c', { count: 1 }],
      ['NEG-MSG', 'kept', expect.any(String)],
    ]);
  });

  it('RL90: a failure that comes late closes what it was for, and is told of nothing that was closed meanwhile', () => {
    const store = new MemoryStore();
    const { relay, client } = lateRelay({ store });
    store.query = () => {
      throw new Error('connection reset');
    };
    client.say('REQ', 'a', {});
    client.say('REQ', 'b', {});
    client.say('CLOSE', 'b');
    relay.answer();
    expect(client.take()).toEqual([['CLOSED', 'a', expect.stringMatching(/^error: /)]]);
  });
});
