import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlain, scanElements, scanMembers } from './json-scan.ts';

const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe('JSON slices', () => {
  it('JS1: finds every member of an object, its value being the same text', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), spaced)), fc.constantFrom('', ' ', '\r\n\t'), (members, space) => {
        const text = `${space}{${members.map(([key, value]) => `${space}${JSON.stringify(key)}${space}:${space}${value}${space}`).join(',')}}${space}x`;
        const { members: found, end } = scanMembers(text);
        expect(found.map((m) => [m.key, text.slice(m.valueStart, m.valueEnd)])).toEqual(members);
        expect(text[end - 1]).toBe('}');
        for (const member of found) expect(text[member.afterColon - 1]).toBe(':');
      }),
    );
  });

  it('JS2: finds every element of an array', () => {
    fc.assert(
      fc.property(fc.array(spaced), (elements) => {
        const text = `[ ${elements.join(' ,\n')} ]`;
        expect(scanElements(text).map(({ start, end }) => text.slice(start, end))).toEqual(elements);
      }),
    );
  });

  it('JS3: is not fooled by brackets, quotes and backslashes in strings', () => {
    const text = String.raw`{"a\"}":"}{\\","b":["\\\"]"],"c":-1.5e3}`;
    expect(scanMembers(text).members.map((m) => text.slice(m.valueStart, m.valueEnd))).toEqual([
      String.raw`"}{\\"`,
      String.raw`["\\\"]"]`,
      '-1.5e3',
    ]);
  });

  it('JS4: tells what other parsers choke on, without recursion: deep nesting, and numbers that may leave double range', () => {
    expect(isPlain('"[[["', 0)).toBe(true);
    expect(isPlain('[{"a":[]},[]]', 3)).toBe(true);
    expect(isPlain('[{"a":[]},[]]', 2)).toBe(false);
    expect(isPlain('['.repeat(1_000_000) + ']'.repeat(1_000_000), 1_000_000)).toBe(true);
    for (const number of ['1e300', '-1.5E+999', '9'.repeat(300), `0.${'1'.repeat(300)}`]) {
      expect(isPlain(`{"n":[${number}]}`, 9)).toBe(false);
      expect(isPlain(`{"n":["${number}",false,true]}`, 9)).toBe(true);
    }
    for (const number of ['1e-300', '1e99', '-0.0', `[${'9'.repeat(299)},${'9'.repeat(299)}]`])
      expect(isPlain(`{"n":${number}}`, 9)).toBe(true);
  });
});
