import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObserverEvent } from './event.ts';
import { joinParts, MAX_PARTS, parsePart, splitPayload } from './parts.ts';

function parts(of: string, text: string, first: number, maxBytes: number): ObserverEvent[] {
  const payloads = splitPayload(of, text, first, maxBytes);
  if (payloads === undefined) throw new Error('too many parts');
  return payloads.map((payload, index) => ({
    seq: first + index,
    timestamp: 't',
    kind: 'acp_part',
    agentIndex: 0,
    channelId: 'c',
    sessionId: null,
    turnId: null,
    stream: 's',
    payload,
  }));
}

describe('parts', () => {
  it('PA1: join to the exact text, each within its bound, cut between code points', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.json(),
      fc.constant('\u{1F680}"\\\n\u0000'.repeat(300)),
    );
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 300, max: 1_000 }),
        fc.integer({ min: 1, max: 1e9 }),
        (text, bound, first) => {
          const events = parts('acp_read', text, first, bound);
          for (const event of events) {
            expect(Buffer.byteLength(event.payload)).toBeLessThanOrEqual(bound);
            expect(parsePart(event)).toBeDefined();
          }
          expect(joinParts(events)).toMatchObject({ ok: true, value: { kind: 'acp_read', seq: first, payload: text } });
        },
      ),
    );
  });

  it('PA2: are refused when one is missing, out of order, of another text or altered', () => {
    const events = parts('acp_read', JSON.stringify('abc'.repeat(500)), 5, 400);
    const [a, b] = events as [ObserverEvent, ObserverEvent];
    expect(events.length).toBeGreaterThan(3);
    expect(joinParts(events.slice(1))).toMatchObject({ error: { code: 'incomplete' } });
    expect(joinParts(events.slice(0, -1))).toMatchObject({ error: { code: 'incomplete' } });
    expect(joinParts([b, a, ...events.slice(2)])).toMatchObject({ error: { code: 'incomplete' } });
    const altered = { ...a, payload: a.payload.replace('abc', 'abd') };
    expect(joinParts([altered, ...events.slice(1)])).toMatchObject({ error: { code: 'mismatch' } });
    expect(joinParts([{ ...a, kind: 'acp_read' }])).toMatchObject({ error: { code: 'not-parts' } });
    expect(joinParts([])).toMatchObject({ error: { code: 'incomplete' } });
  });

  it('PA5: of which one is a redacted copy join to the line with its marks, and say so', () => {
    const text = JSON.stringify({ key: `sk-ant-${'a1B2'.repeat(6)}`, more: 'abc'.repeat(500) });
    const [first, ...rest] = parts('acp_read', text, 5, 400) as [ObserverEvent, ...ObserverEvent[]];
    const payload = first.payload.replace(/sk-ant-\w+/, '[redacted:anthropic-key]');
    const shown = text.replace(/sk-ant-\w+/, '[redacted:anthropic-key]');
    const copy = { ...first, payload, redacted: ['/params/key', '/text'] };
    expect(joinParts([copy, ...rest])).toMatchObject({
      ok: true,
      value: { kind: 'acp_read', seq: 5, payload: shown, redacted: [''] },
    });
    expect(joinParts([{ ...copy, redacted: ['/params/key'] }, ...rest])).toMatchObject({ error: { code: 'mismatch' } });
    const told = joinParts([{ ...first, redacted: ['/params/key'] }, ...rest]);
    expect(told).toMatchObject({ ok: true, value: { payload: text, redacted: ['/params/key'] } });
  });

  it('PA3: are bounded in number: what would take more is not split', () => {
    expect(splitPayload('acp_read', 'x'.repeat(MAX_PARTS * 300), 1, 300)).toBeUndefined();
  });

  it('PA4: that lie about themselves are no parts', () => {
    const [event] = parts('acp_read', 'abc', 5, 400) as [ObserverEvent];
    for (const change of ['"first":6', '"index":1', '"count":0', '"count":99999', '"of":1', '"text":2']) {
      const name = change.slice(0, change.indexOf(':'));
      const payload = event.payload.replace(new RegExp(`${name}:("[^"]*"|\\d+)`), change);
      expect(parsePart({ ...event, payload })).toBeUndefined();
    }
    expect(parsePart({ ...event, payload: '{' })).toBeUndefined();
  });
});
