import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.ts';

describe('CSV', () => {
  it('AR90: no text of an agent is a formula, another cell or another line; numbers stay numbers', () => {
    expect(csvLine(['=cmd|calc!A1', '+1', '-1', '@x', '\t=1', ' =1', -1, null, undefined, 'ok'])).toBe(
      `'=cmd|calc!A1,'+1,'-1,'@x,'\t=1,' =1,-1,,,ok\r\n`,
    );
    expect(csvLine(['a","=1', 'b\r\n=2', 'c\0'])).toBe('"a"",""=1","b\r\n=2",c\u2400\r\n');
  });
});
