import { nobleCrypto } from '@heliograph/crypto/noble';
import {
  type EncodedEvent,
  encodeObserverEvent,
  joinParts,
  MAX_PARTS,
  maxEventBytes,
  type ObserverEvent,
  payloadOf,
  utf8Length,
} from '@heliograph/wire';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { ObserverBus } from './observer-bus.ts';

function open(budgetBytes = 8_192) {
  const clock = new ManualClock();
  const events: EncodedEvent[] = [];
  const bus = new ObserverBus({
    run: 'run',
    budgetBytes,
    clock,
    crypto: nobleCrypto,
    sink: (event) => events.push(event),
  });
  bus.open('run', null);
  bus.open('st', 'ch');
  events.length = 0;
  return { clock, events, bus, observed: () => events.map(({ event }) => event as ObserverEvent) };
}
const place = { stream: 'st', sessionId: 'S', turnId: 't', startedAt: '2026-11-30T09:20:00.000000Z' };

describe('the observer bus', () => {
  test('HA3: counts seqs per stream from 1 without holes and wears its channel', () => {
    const { bus, observed } = open();
    bus.emit(place, { kind: 'acp_read', payload: '{"a":1.0}' });
    bus.emit({ stream: 'run', sessionId: null, turnId: null }, { kind: 'heads', payload: '{}' });
    bus.emit(place, { kind: 'acp_write', payload: '{}', via: 'owner' });
    expect(observed().map(({ stream, seq, channelId }) => [stream, seq, channelId])).toEqual([
      ['st', 2, 'ch'],
      ['run', 2, null],
      ['st', 3, 'ch'],
    ]);
    expect(observed()[0]).toMatchObject({
      payload: '{"a":1.0}',
      sessionId: 'S',
      turnId: 't',
      startedAt: place.startedAt,
    });
    expect(observed()[2]).toMatchObject({ via: 'owner' });
  });

  test('HA3: a payload over the budget travels in consecutive parts that fit and join to the very text', () => {
    for (const unit of ['x', '"\\\n', 'é€😀', '\u0000']) {
      const { bus, observed, events } = open();
      const payload = JSON.stringify(unit.repeat(30_000));
      const emitted = bus.emit(place, { kind: 'acp_read', payload, unterminated: true });
      expect(emitted).toMatchObject({ firstSeq: 2, lastSeq: 1 + events.length, whole: true });
      for (const event of observed()) {
        expect(utf8Length(encodeObserverEvent(event))).toBeLessThanOrEqual(maxEventBytes(8_192));
        expect(event).toMatchObject({ kind: 'acp_part', unterminated: true });
      }
      const joined = joinParts(observed());
      expect(joined.ok && joined.value).toMatchObject({ kind: 'acp_read', payload, seq: 2 });
    }
  });

  test('HA3: what other parsers choke on travels as one part however small it is', () => {
    const { bus, observed } = open();
    bus.emit(place, { kind: 'acp_read', payload: '"\\ud800"', fragile: true });
    expect(observed()).toHaveLength(1);
    expect(joinParts(observed())).toMatchObject({ ok: true, value: { kind: 'acp_read', payload: '"\\ud800"' } });
  });

  test(`HA3: what would take more than ${MAX_PARTS} parts is recorded by its ends and hash`, () => {
    const { bus, observed } = open();
    // Each of these characters takes six when escaped: 33 MB of parts from 5.5 MB.
    const emitted = bus.emit(place, { kind: 'acp_read', payload: '\u0001'.repeat(5_600_000) });
    expect(emitted).toMatchObject({ firstSeq: 2, lastSeq: 2, whole: false });
    expect(observed()[0]?.kind).toBe('acp_elided');
    expect(payloadOf(observed()[0] as ObserverEvent)).toMatchObject({ of: 'acp_read', bytes: 5_600_000 });
  });

  test('HA100: whatever an agent puts into ids and secrets, every event fits a frame', () => {
    const { bus, observed } = open();
    const pointers = Array.from({ length: 20_000 }, (_, index) => `/params/env/${index}/value`);
    const long = { ...place, sessionId: 's'.repeat(100_000) };
    const worst = { ...place, sessionId: '\u0001'.repeat(256) };
    bus.emit(long, { kind: 'acp_read', payload: '{}', redacted: pointers });
    bus.emit(worst, { kind: 'acp_read', payload: '"x"', redacted: ['/\u0001'.repeat(500), '/b'] });
    bus.emit(worst, { kind: 'acp_read', payload: JSON.stringify('x'.repeat(20_000)), redacted: pointers });
    bus.emit(worst, { kind: 'acp_read', payload: '\u0001'.repeat(5_600_000), redacted: pointers });
    for (const event of observed())
      expect(utf8Length(encodeObserverEvent(event))).toBeLessThanOrEqual(maxEventBytes(8_192));
    expect(observed()[0]?.sessionId).toBeNull();
    expect(observed()[0]?.redacted?.slice(0, 2)).toEqual(pointers.slice(0, 2));
    expect(observed()[0]?.redacted?.at(-1)).toBe('/…');
    expect(observed()[1]?.redacted).toEqual(['/…']);
    expect(joinParts(observed().slice(2, -1)).ok).toBe(true);
    expect(observed().at(-1)?.kind).toBe('acp_elided');
  });

  test('HA2: a clock that went back over a minute is told in the harness stream', () => {
    const { bus, observed, clock } = open();
    bus.emit(place, { kind: 'acp_read', payload: '1' });
    clock.advance(-120_000);
    bus.emit(place, { kind: 'acp_read', payload: '2' });
    expect(observed().map(({ kind, stream }) => [kind, stream])).toEqual([
      ['acp_read', 'st'],
      ['clock_stepped', 'run'],
      ['acp_read', 'st'],
    ]);
    expect(observed()[1]?.payload).toBe('{"offsetMs":-120000}');
    const times = observed().map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
  });
});
