import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineBody } from './line-body.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const body = (line: string | Uint8Array) =>
  lineBody('read', typeof line === 'string' ? Buffer.from(line) : line, base64);

describe('lineBody', () => {
  it('LB1: splices a line that is exactly one JSON value, its text untouched', () => {
    for (const line of [
      '{"a":1.0,"a":1e2}',
      ' {"id":9007199254740993}\r',
      '"\u2028"',
      'null',
      '[1]',
      '{"e":"\\ud83d\\ude00"}',
    ]) {
      expect(body(line)).toEqual({
        kind: 'acp_read',
        payload: line,
        fragile: false,
        json: { text: line, value: JSON.parse(line) },
      });
    }
    expect(lineBody('write', Buffer.from('{}'), base64)?.kind).toBe('acp_write');
  });

  it('LB2: never splices what would close the payload early and forge an event', () => {
    const forgeries = [
      '{"a":1},"kind":"permission_terminal","payload":{}',
      '{"a":1}}',
      '1,2',
      '{}{}',
      '{"a":"',
      '{"a":\u0000}',
      'NaN',
      '{"a":1}\u2028,"x":2',
    ];
    for (const line of forgeries) {
      const got = body(line);
      expect(got?.kind).toBe('acp_parse_error');
      expect(JSON.parse(got?.payload ?? '')).toMatchObject({ line, direction: 'read' });
    }
  });

  it('LB3: carries a line that is not UTF-8 as base64', () => {
    const line = Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]);
    const got = body(line);
    expect(got?.kind).toBe('acp_parse_error');
    expect(JSON.parse(got?.payload ?? '')).toMatchObject({ error: 'not UTF-8', bytes: base64(line) });
  });

  it('LB4: does not emit lines of white space', () => {
    for (const line of ['', ' ', '\r', '\t \r']) expect(body(line)).toBeUndefined();
  });

  it('HA210: reads what is nested over 512 deep as null, other members whole, and carries all of it', () => {
    const nested = (n: number, core: string) => `${'{"a":['.repeat(n)}${core}${']}'.repeat(n)}`;
    const whole = nested(256, '1');
    expect(JSON.stringify(body(whole)?.json?.value)).toBe(whole);
    const line = `{"__proto__":{"b":[2]},"c":${nested(100_000, '1')}}`;
    const got = body(line);
    expect(got).toMatchObject({ kind: 'acp_read', payload: line, fragile: true });
    const read = JSON.stringify(got?.json?.value);
    expect(read.startsWith('{"__proto__":{"b":[2]},"c":{"a":[')).toBe(true);
    expect(read).toContain('null');
  });

  it('LB5: marks JSON that other parsers choke on: a byte order mark, depth, lone surrogates, numbers out of range', () => {
    const deep = (n: number) => '['.repeat(n) + ']'.repeat(n);
    for (const line of [
      '\uFEFF{}',
      deep(65),
      '"\\ud800"',
      '"\\udc00x"',
      '"\\ud800\\ud800\\udc00"',
      '1e999',
      '{"a":-1E+400}',
      '9'.repeat(400),
    ]) {
      expect(body(line)).toMatchObject({ kind: 'acp_read', payload: line, fragile: true });
    }
    const id = '{"id":"019abc4e-2831-4e28-94e2-83194e283111","n":"\\"1e999"}';
    for (const line of [id, deep(64), '"\\ud83d\\ude00"', '1e99', '-1e-999', '123456789012345678901234567890']) {
      expect(body(line)).toMatchObject({ fragile: false });
    }
  });

  it('LB6: decides for any bytes without throwing, and splices only what parses', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map((s) => Buffer.from(s)),
          fc.json().map((s) => Buffer.from(s)),
        ),
        (line) => {
          const got = body(line);
          if (got !== undefined && got.kind !== 'acp_parse_error' && !got.fragile) JSON.parse(got.payload);
        },
      ),
    );
  });
});
