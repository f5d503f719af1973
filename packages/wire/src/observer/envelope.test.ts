import { nobleCrypto } from '@heliograph/crypto/noble';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeEnvelope,
  type Envelope,
  encodeForEnvelope,
  FIRST_PREV,
  maxEventBytes,
  packEnvelope,
} from './envelope.ts';
import { encodeObserverEvent, type ObserverEvent } from './event.ts';

type Body = ObserverEvent & { stream: string };

function observerEvent(seq: number, payload: string, more: Partial<Body> = {}): Body {
  const timestamp = `2026-11-30T09:20:03.${String(seq).padStart(6, '0')}Z`;
  return {
    seq,
    timestamp,
    kind: 'acp_read',
    agentIndex: 0,
    channelId: 'c1',
    sessionId: null,
    turnId: null,
    stream: 's1',
    ...more,
    payload,
  };
}

/** Packs everything and returns the envelopes. */
function packAll(events: readonly Body[], budgetBytes: number): Envelope[] {
  const envelopes: Envelope[] = [];
  let queue = events.map(encodeForEnvelope) as readonly ReturnType<typeof encodeForEnvelope>[];
  let prev = FIRST_PREV;
  while (queue.length > 0) {
    const { envelope, rest } = packEnvelope(queue, budgetBytes, prev, nobleCrypto);
    envelopes.push(envelope);
    prev = envelope.hash;
    queue = rest;
  }
  return envelopes;
}

function decode(text: string) {
  const decoded = decodeEnvelope(text, nobleCrypto);
  if (!decoded.ok) throw new Error(decoded.error.message);
  return decoded.value;
}

/** JSON text as agents write it: odd spacing, duplicate keys, escapes, unusual numbers. */
const lineText = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '{"a":1,"a":2}',
    ' {"x": 1.0 } \r',
    '"\u2028\u{1F680}"',
    '[1e2]',
    '{"payload":{"events":[]}}',
    '{"é":"\\"}"}',
  ),
);
const odd: fc.Arbitrary<Partial<Body>> = fc.record(
  {
    kind: fc.constantFrom('acp_read', 'acp_write', 'turn_started', 'made "up"'),
    sessionId: fc.option(fc.string()),
    turnId: fc.option(fc.string()),
    startedAt: fc.string(),
    via: fc.constantFrom('owner', 'policy', 'harness'),
    forwarded: fc.constant(false as const),
    replayed: fc.constant(true as const),
    unterminated: fc.constant(true as const),
    redacted: fc.array(fc.string()),
  },
  { requiredKeys: [] },
);

describe('envelopes', () => {
  it('EN1: carry every event back exactly, whatever its payload looks like, within the budget, chained', () => {
    const bodies = fc.array(fc.tuple(lineText, odd), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(bodies, fc.integer({ min: 1_200, max: 6_000 }), (list, budget) => {
        const events = list
          .map(([payload, more], at) => observerEvent(at + 1, payload, more))
          .filter((e) => encodeForEnvelope(e).bytes <= maxEventBytes(budget));
        fc.pre(events.length > 0);
        const envelopes = packAll(events, budget);
        let prev = FIRST_PREV;
        for (const envelope of envelopes) {
          expect(Buffer.byteLength(envelope.text)).toBe(envelope.bytes);
          expect(envelope.bytes).toBeLessThanOrEqual(budget);
          const decoded = decode(envelope.text);
          expect(decoded).toMatchObject({ prev, hash: envelope.hash, stream: 's1', malformed: 0 });
          prev = envelope.hash;
        }
        expect(envelopes.flatMap((envelope) => decode(envelope.text).events)).toEqual(events);
      }),
    );
  });

  it('EN2: wrap several events as a batch that mirrors the last, and one alone not at all', () => {
    const one = packAll([observerEvent(1, '{"a":1}')], 4_000)[0] as Envelope;
    expect(JSON.parse(one.text)).toMatchObject({ seq: 1, kind: 'acp_read', prev: FIRST_PREV, payload: { a: 1 } });
    expect(one.text.endsWith('"payload":{"a":1}}')).toBe(true);
    const two = packAll(
      [observerEvent(1, '1'), observerEvent(2, '2', { sessionId: 'x', via: 'owner' })],
      4_000,
    )[0] as Envelope;
    const outer = JSON.parse(two.text);
    expect(outer).toMatchObject({ seq: 2, kind: 'batch', sessionId: 'x', channelId: 'c1', stream: 's1' });
    expect(outer.payload.events.map((e: { seq: number }) => e.seq)).toEqual([1, 2]);
    expect(outer.via).toBeUndefined();
    expect(outer.payload.events[0].prev).toBeUndefined();
  });

  it('EN3: carry stream_closed alone', () => {
    const events = [observerEvent(1, '1'), observerEvent(2, '{}', { kind: 'stream_closed' }), observerEvent(3, '3')];
    expect(packAll(events, 4_000).map((e) => [e.firstSeq, e.lastSeq])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('EN4: refuse an event that no frame can carry, and an empty queue', () => {
    const big = encodeForEnvelope(observerEvent(1, JSON.stringify('x'.repeat(5_000))));
    expect(() => packEnvelope([big], 4_000, FIRST_PREV, nobleCrypto)).toThrow(RangeError);
    expect(() => packEnvelope([], 4_000, FIRST_PREV, nobleCrypto)).toThrow(RangeError);
  });

  it('EN5: are read leniently from other implementations: no stream, nanoseconds, payload anywhere, mixed batches', () => {
    const foreign = (seq: number) =>
      `{"seq":${seq},"payload":{"x":1 },"timestamp":"2026-08-01T10:00:00.123456789+00:00","kind":"acp_read","newField":[]}`;
    const text = `{"seq":9,"timestamp":"t","kind":"batch","agentIndex":null,"channelId":null,"sessionId":null,"turnId":null,"payload":{"events":[${foreign(3)},{"broken":true},7,${foreign(9)}]}}`;
    const decoded = decode(text);
    expect(decoded).toMatchObject({ malformed: 2, stream: undefined, prev: undefined });
    expect(decoded.events).toMatchObject([{ seq: 3, payload: '{"x":1 }', channelId: null }, { seq: 9 }]);
  });

  it('EN6: with a batch that is none are kept as an ordinary event', () => {
    const text = encodeObserverEvent(observerEvent(1, '{"events":"none"}', { kind: 'batch' }));
    expect(decode(text).events).toMatchObject([{ kind: 'batch' }]);
  });

  it('EN7: with members twice are refused: parsers differ on which one counts', () => {
    const text = encodeObserverEvent(observerEvent(1, '1')).replace('"seq":1', '"seq":1,"seq":2');
    expect(decodeEnvelope(text, nobleCrypto)).toMatchObject({ error: { code: 'malformed' } });
  });

  it('EN8: never make the reader throw', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void decodeEnvelope(text, nobleCrypto)));
    expect(decodeEnvelope('{"seq":1', nobleCrypto)).toMatchObject({ error: { code: 'not-json' } });
    expect(decodeEnvelope('[]', nobleCrypto)).toMatchObject({ error: { code: 'malformed' } });
  });
});
