import { describe, expect, it } from 'vitest';
import { RecentIds } from './peers.ts';
import { agent, owner, ScriptedRelay, secondOwner, telemetry, template } from './testing/scripted-relay.ts';

const frame = (n: number) => owner.sign(template({ kind: 20_001, content: `${n}` }));
const note = (content: string) => owner.sign(template({ content }));
const got = (...events: { id: string }[]) => events.map(({ id }) => ['EVENT', 'a', expect.objectContaining({ id })]);

describe('a relay that shares its subscribers with others', () => {
  it('RL100: gives them what it takes, ephemeral or stored, once it may be delivered; and nothing where there are no others', () => {
    const relay = new ScriptedRelay({ peers: 'heard' });
    const client = relay.connectOwner();
    const [ephemeral, note, forged] = [frame(1), owner.sign(template({})), { ...frame(2), content: 'x' }];
    relay.holdWrites = true;
    for (const event of [ephemeral, note, forged]) client.publish(event);
    expect(relay.shared.map(({ id }) => id)).toEqual([ephemeral.id]);
    relay.release();
    client.publish(note);
    expect(relay.shared.map(({ id }) => id)).toEqual([ephemeral.id, note.id]);
    const alone = new ScriptedRelay();
    alone.connectOwner().publish(owner.sign(template({})));
    expect(alone.shared).toEqual([]);
  });

  it('RL100: delivers what they give to who may see it, once, and does not pass it on', () => {
    const relay = new ScriptedRelay({ peers: 'heard' });
    const [mine, other] = [relay.connectOwner(), relay.connectOwner(secondOwner)];
    for (const client of [mine, other]) client.say('REQ', 'a', { kinds: [20_001, 24_200] });
    const [plain, sealed] = [frame(1), agent.sign(telemetry())];
    for (const event of [plain, sealed, plain, sealed]) relay.handle({ type: 'shared', event });
    expect(mine.take()).toEqual(got(plain, sealed));
    expect(other.take()).toEqual(got(plain));
    expect(relay.shared).toEqual([]);
    const own = frame(2);
    mine.publish(own);
    mine.take();
    relay.handle({ type: 'shared', event: own });
    expect(mine.take()).toEqual([]);
  });

  it.each(['cut', 'quiet'] as const)(
    'RL131: what others stored while they could not tell is given to who listened then, and not to who had it in an answer (here it was %s)',
    (peers) => {
      const relay = new ScriptedRelay({ peers });
      const [before, after, apart] = [relay.connectOwner(), relay.connectOwner(), relay.connectOwner()];
      const [early, late, own] = [note('early'), note('late'), note('own')];
      before.say('REQ', 'a', { kinds: [1] });
      const storedAtMs = relay.nowMs;
      relay.tick(120);
      // Both are in the shared storage; `late` was stored a moment before it was read.
      relay.holdAnswers = true;
      after.say('REQ', 'a', { kinds: [1] });
      const query = relay.effects.findLast((effect) => effect.type === 'query');
      if (query?.type !== 'query') throw new TypeError('the engine asked nothing');
      const events = [late, early].map(({ id, json }) => ({ id, json, createdAtSec: 1, isFresh: id === late.id }));
      relay.handle({ type: 'answered', request: query, answer: { ask: 'events', events } });
      relay.holdAnswers = false;
      const lateMs = relay.nowMs;
      relay.tick(3_600);
      relay.handle({ type: 'peers', peers: 'heard' });
      relay.tick(5);
      apart.say('REQ', 'a', { kinds: [1], limit: 0 });
      before.publish(own);
      for (const client of [before, after, apart]) client.take();
      for (const [event, atMs] of [
        [early, storedAtMs],
        [late, lateMs],
        [late, lateMs],
        [own, lateMs],
      ] as const) {
        relay.handle({ type: 'shared', event, storedAtMs: atMs });
      }
      expect(before.take()).toEqual(got(early, late));
      expect(after.take()).toEqual([]);
      expect(apart.take()).toEqual([]);
    },
  );

  it('RL131: of answers a bounded number of events is remembered beyond the minute in which they come at the latest', () => {
    const relay = new ScriptedRelay({ peers: 'quiet' });
    const client = relay.connectOwner();
    const [first, second] = [note('first'), note('second')];
    const answer = (id: string, event: { id: string; json: string }, others: number): void => {
      relay.holdAnswers = true;
      client.say('REQ', id, { kinds: [1] });
      const query = relay.effects.findLast((effect) => effect.type === 'query');
      if (query?.type !== 'query') throw new TypeError('the engine asked nothing');
      const ids = [event, ...Array.from({ length: others }, (_, n) => ({ id: `${n}`, json: '{}' }))];
      const events = ids.map(({ id, json }) => ({ id, json, createdAtSec: 1, isFresh: true }));
      relay.handle({ type: 'answered', request: query, answer: { ask: 'events', events } });
      relay.holdAnswers = false;
    };
    answer('older', first, 500);
    answer('newer', second, 500);
    client.take();
    relay.tick(3_600);
    for (const event of [first, second]) relay.handle({ type: 'shared', event, storedAtMs: relay.nowMs - 3_600_000 });
    const heard = client.take().flatMap((message) => (message[0] === 'EVENT' ? [[message[1], message[2].id]] : []));
    // Of 1,002 the older subscription's were forgotten; the newer never had the other's event, and gets it.
    expect(heard).toEqual([
      ['older', first.id],
      ['newer', first.id],
      ['older', second.id],
    ]);
  });

  it('RL101: a forged event is delivered to nobody and does not keep the true one out; what nobody would get is not verified', () => {
    const relay = new ScriptedRelay({ peers: 'heard' });
    const client = relay.connectOwner();
    relay.handle({ type: 'shared', event: frame(1) });
    expect(relay.effects.filter(({ type }) => type === 'verify')).toHaveLength(1);
    client.say('REQ', 'a', { kinds: [20_001] });
    const event = frame(2);
    const other = frame(3);
    const { id, pubkey, created_at, kind, tags, content } = event;
    relay.handle({ type: 'shared', event: { id, pubkey, created_at, kind, tags, content, sig: other.sig } });
    expect(client.take()).toEqual([['EOSE', 'a']].slice(1));
    expect(relay.effects).toContainEqual(
      expect.objectContaining({ report: { type: 'shared-refused', message: expect.any(String) } }),
    );
    relay.handle({ type: 'shared', event });
    expect(client.take()).toEqual(got(event));
  });

  it('RL101: what the operator banned is not delivered, whichever relay took it', () => {
    const relay = new ScriptedRelay({ peers: 'heard' });
    const client = relay.connectOwner();
    client.say('REQ', 'a', {});
    const [banned, byBanned] = [frame(1), agent.sign(template({ kind: 20_001 }))];
    const access = {
      allowed: new Set<string>(),
      denied: new Set([agent.publicKey]),
      bannedEvents: new Set([banned.id]),
    };
    relay.handle({ type: 'access', access });
    for (const event of [banned, byBanned]) relay.handle({ type: 'shared', event });
    expect(client.take()).toEqual([]);
  });

  it('RL102: mute: only where no other relay may have listeners; error: where they can not be reached', () => {
    const relay = new ScriptedRelay({ peers: 'cut' });
    const client = relay.connectOwner();
    const [cut, heard, quiet] = [frame(1), frame(2), frame(3)];
    expect(client.publish(cut)).toEqual([['OK', cut.id, false, expect.stringMatching(/^error: .*can't be reached/)]]);
    relay.handle({ type: 'peers', peers: 'heard' });
    expect(client.publish(heard)).toEqual([['OK', heard.id, true, '']]);
    relay.handle({ type: 'peers', peers: 'quiet' });
    expect(client.publish(quiet)).toEqual([['OK', quiet.id, false, expect.stringMatching(/^mute: /)]]);
    // One that has just started may have heard nothing of us yet.
    expect(relay.shared.map(({ id }) => id)).toEqual([heard.id, quiet.id]);
    relay.handle({ type: 'peers', peers: 'cut' });
    client.say('REQ', 'a', {});
    const here = frame(4);
    expect(client.publish(here)).toEqual([...got(here), ['OK', here.id, true, '']]);
  });

  it('RL100: what is remembered of events is bounded', () => {
    const recent = new RecentIds(10);
    for (let n = 0; n < 100; n++) recent.add(`${n}`);
    const known = Array.from({ length: 100 }, (_, n) => recent.has(`${n}`)).lastIndexOf(false);
    expect(known).toBeGreaterThanOrEqual(89);
    expect(known).toBeLessThan(96);
  });
});
