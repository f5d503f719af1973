import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyLine, encodeError, encodeNotification, encodeRequest, encodeResult } from './json-rpc.ts';

describe('classifyLine', () => {
  it('RP1: tells requests, notifications, results and errors apart, with or without "jsonrpc"', () => {
    expect(classifyLine('{"id":0,"method":"m","params":[1]}')).toEqual({
      ok: true,
      value: { type: 'request', id: '0', method: 'm', params: [1] },
    });
    expect(classifyLine('{"jsonrpc":"2.0","method":"m"}')).toMatchObject({
      value: { type: 'notification', method: 'm' },
    });
    expect(classifyLine('{"id":"0","result":null}')).toMatchObject({
      value: { type: 'response', id: '"0"', result: null },
    });
    expect(classifyLine('{"id":null,"error":{"code":-32700}}')).toMatchObject({ value: { type: 'error', id: 'null' } });
    expect(classifyLine('{"error":{"code":-32700}}')).toMatchObject({ value: { type: 'error', id: undefined } });
  });

  it('RP2: keeps an id as the token it was: over 2^53, as text, fractional, null', () => {
    for (const id of ['9007199254740993', '18446744073709551615', '1.50', '-0', '"a\\u0062"', 'null', '1e2', '0']) {
      expect(classifyLine(`{"id" : ${id} ,"method":"m"}`)).toMatchObject({ value: { id } });
    }
  });

  it('RP3: takes the last of duplicate ids, as JSON.parse does', () => {
    expect(classifyLine('{"id":1,"method":"m","id":2}')).toMatchObject({ value: { id: '2' } });
  });

  it('RP4: says why a line is no message', () => {
    const code = (line: string) => {
      const result = classifyLine(line);
      return result.ok ? 'ok' : result.error.code;
    };
    expect(['', '{', '{}{}', '"a" x'].map(code)).toEqual(['not-json', 'not-json', 'not-json', 'not-json']);
    expect(['1', 'null', '"a"', '{}', '{"id":1}', '{"method":1,"id":2}'].map(code)).toEqual(
      Array(6).fill('not-message'),
    );
    expect(code('[{"id":1,"method":"m"}]')).toBe('batch');
  });

  it('RP5: reads back what it writes, ids untouched', () => {
    fc.assert(
      fc.property(fc.constantFrom('7', '"x"', '12345678901234567890'), fc.jsonValue(), (id, value) => {
        expect(classifyLine(encodeRequest(id, 'm', value))).toEqual({
          ok: true,
          value: { type: 'request', id, method: 'm', params: JSON.parse(JSON.stringify(value)) },
        });
        expect(classifyLine(encodeResult(id, value))).toMatchObject({ value: { type: 'response', id } });
        expect(classifyLine(encodeNotification('n', value))).toMatchObject({
          value: { type: 'notification', method: 'n' },
        });
        expect(classifyLine(encodeError(id, -32601, 'no'))).toMatchObject({
          value: { type: 'error', id, error: { code: -32601, message: 'no' } },
        });
      }),
    );
  });

  it('RP6: never throws, whatever the line', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => void classifyLine(line)));
    expect(classifyLine(`{"id":${'['.repeat(5_000)}${']'.repeat(5_000)},"method":"m"}`).ok).toBe(true);
  });
});
