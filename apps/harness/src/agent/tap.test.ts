import { utf8Encode } from '@heliograph/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { EventBody, Place } from '../mirror/observer-bus.ts';
import { Router } from './router.ts';
import { type ReadLine, Tap } from './tap.ts';

function open(maxLineBytes = 1_000) {
  const events: (EventBody & { place: Place })[] = [];
  const sent: string[] = [];
  const flushes: ((error: Error | undefined) => void)[] = [];
  const lines: ReadLine[] = [];
  const tap = new Tap({
    router: new Router((sessionId) => `channel of ${sessionId}`),
    maxLineBytes,
    clock: new ManualClock(),
    isBehind: () => false,
    hold() {},
    place: ({ channelId, sessionId }) => ({ stream: channelId ?? 'run', sessionId, turnId: null }),
    emit: (place, body) => {
      events.push({ ...body, place });
      return { stream: place.stream, firstSeq: events.length, lastSeq: events.length, timestamp: 'now', whole: true };
    },
    send: (bytes, flushed) => {
      sent.push(new TextDecoder().decode(bytes));
      flushes.push(flushed);
    },
    isReplayed: () => false,
    onLine: (line) => lines.push(line),
  });
  return { tap, events, sent, flushes, lines };
}
const kinds = (events: readonly EventBody[]) => events.map(({ kind }) => kind);

describe('the tap', () => {
  test('HA1: a line is recorded as its exact text before anyone acts on it', () => {
    const { tap, events, lines } = open();
    const line = '{"method":"session/update","params":{"sessionId":"S","n":1.0,"n":9007199254740993}}\r';
    tap.read(utf8Encode(`${line}\n`));
    expect(events).toMatchObject([
      { kind: 'acp_read', payload: line, place: { stream: 'channel of S', sessionId: 'S' } },
    ]);
    expect(lines).toMatchObject([{ recorded: line, message: { type: 'notification' } }]);
  });

  test('HA34: what is no message is recorded and nobody acts on it', () => {
    const { tap, events, lines, sent } = open();
    tap.read(utf8Encode('noise\n{"a":1}}\n42\n[1]\n{"x":1}\n \t \n'));
    tap.read(Uint8Array.of(0xff, 0x0a));
    expect(kinds(events)).toEqual([
      'acp_parse_error',
      'acp_parse_error',
      'acp_read',
      'acp_read',
      'acp_read',
      'acp_parse_error',
    ]);
    expect(events.at(-1)?.payload).toContain('"bytes":"/w=="');
    expect(lines).toEqual([]);
    expect(sent).toEqual([]);
  });

  test('HA1: any cut of the same bytes records the same', () => {
    const bytes = utf8Encode(
      '{"method":"é😀"}\n\uFEFF{"method":"b"}\r\nnoise\n{"method":"c","params":{"sessionId":"S"}}',
    );
    const whole = open();
    whole.tap.read(bytes);
    void whole.tap.readEnd();
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const { tap, events } = open();
        let at = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
          tap.read(bytes.subarray(at, cut));
          at = cut;
        }
        void tap.readEnd();
        expect(events).toEqual(whole.events);
      }),
    );
    expect(whole.events.at(-1)).toMatchObject({ unterminated: true });
  });

  test('HA45: a line over the limit is recorded by its ends and hash, in its session when that is known', () => {
    const { tap, events } = open(100);
    tap.read(utf8Encode('{"method":"session/update","params":{"sessionId":"S"}}\n'));
    tap.read(
      utf8Encode(`{"method":"session/update","params":{"sessionId":"S","x":"${'y'.repeat(5_000)}"}}\n{"method":"z"}\n`),
    );
    expect(kinds(events)).toEqual(['acp_read', 'acp_elided', 'acp_read']);
    expect(events[1]).toMatchObject({ place: { stream: 'channel of S' } });
    expect(JSON.parse(events[1]?.payload ?? '')).toMatchObject({ of: 'acp_read', bytes: 5_061 });
  });

  test('HA6: writes go out whole, and are recorded once they are out, with who made them', async () => {
    const { tap, events, sent, flushes } = open();
    const written = tap.write([
      { text: '{"id":7,"result":{}}', via: 'policy' },
      { text: '{"method":"session/cancel","params":{"sessionId":"S"}}', via: 'owner' },
    ]);
    expect(sent).toEqual(['{"id":7,"result":{}}\n{"method":"session/cancel","params":{"sessionId":"S"}}\n']);
    expect(events).toEqual([]);
    flushes[0]?.(undefined);
    expect(await written).toHaveLength(2);
    expect(events).toMatchObject([
      { kind: 'acp_write', payload: '{"id":7,"result":{}}', via: 'policy' },
      { kind: 'acp_write', via: 'owner' },
    ]);
  });

  test('HA6: a write that fails is recorded as that, without its secrets', async () => {
    const { tap, events, flushes } = open();
    const written = tap.write([{ text: '{"id":1,"method":"x","params":{"env":[{"value":"S3CRET"}]}}', via: 'owner' }]);
    flushes[0]?.(new Error('broken pipe'));
    expect(await written).toBeInstanceOf(Error);
    expect(kinds(events)).toEqual(['acp_write_failed']);
    expect(events[0]?.payload).toContain('broken pipe');
    expect(events[0]?.payload).not.toContain('S3CRET');
  });

  test('HA6: an answer proves that its request got out: the request is recorded before it', async () => {
    const { tap, events, flushes } = open();
    const written = tap.write([{ text: '{"id":1,"method":"initialize"}', via: 'harness' }]);
    tap.read(utf8Encode('{"id":1,"result":{}}\n'));
    expect(kinds(events)).toEqual(['acp_write', 'acp_read']);
    flushes[0]?.(undefined);
    expect(await written).toMatchObject([{ firstSeq: 1 }]);
    expect(events).toHaveLength(2);
  });

  test('HA7: secrets never reach the recorded line', () => {
    const { tap, events, lines } = open();
    tap.read(utf8Encode('{"id":1,"method":"terminal/create","params":{"env":[{"name":"K","value":"S3CRET"}]}}\n'));
    expect(events[0]).toMatchObject({ redacted: ['/params/env/0/value'] });
    expect(events[0]?.payload).not.toContain('S3CRET');
    expect(lines[0]).toMatchObject({ redacted: true });
    // The client end still gets what the agent said.
    expect(lines[0]?.text).toContain('S3CRET');
  });
});
