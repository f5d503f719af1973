import { describe, expect, test } from 'vitest';
import { readForm } from './form.ts';
import { checkFormAnswer } from './form-answer.ts';

const form = readForm({
  type: 'object',
  required: ['name', 'tags'],
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    home: { type: 'string', format: 'uri' },
    port: { type: 'integer', minimum: 1, maximum: 65_535, default: 80 },
    ratio: { type: 'number' },
    sure: { type: 'boolean', default: true },
    color: { type: 'string', enum: ['red', 'blue'] },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    tags: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { anyOf: [{ const: 'a' }, { const: 'b' }, { const: 'c' }] },
    },
    odd: { type: 'object' },
  },
});
const right = { name: 'abc', tags: ['a'] };
const fault = (content: object) => checkFormAnswer(form, { ...right, ...content });

describe('forms', () => {
  test('FO1: a requested schema is read in its own order, with choices and presets; what is not understood is named so', () => {
    expect(form.fields.map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ['name', 'text', true],
      ['mail', 'text', false],
      ['day', 'text', false],
      ['at', 'text', false],
      ['home', 'text', false],
      ['port', 'number', false],
      ['ratio', 'number', false],
      ['sure', 'flag', false],
      ['color', 'choice', false],
      ['size', 'choice', false],
      ['tags', 'choices', true],
      ['odd', 'other', false],
    ]);
    expect(form.fields[0]?.title).toBe('Name');
    expect(form.fields[5]).toMatchObject({ isInteger: true, preset: 80 });
    expect(form.fields[9]).toMatchObject({ choices: [{ value: 's', label: 'Small' }] });
    for (const schema of [null, 3, 'x', [], { properties: [] }, { properties: { a: null, b: { type: 'array' } } }])
      expect(() => readForm(schema)).not.toThrow();
    expect(readForm({ properties: { b: { type: 'array' } } }).fields[0]?.type).toBe('other');
  });

  test('FO2: an answer is checked member by member, and the first fault names its field', () => {
    expect(fault({})).toBeUndefined();
    const good = { mail: 'a@b', day: '2026-02-28', at: '2026-11-30T09:20:00.5+01:00', home: 'https://x/y', port: 1 };
    expect(fault({ ...good, ratio: 0.5, sure: false, color: 'red', size: 's', tags: ['c', 'b'] })).toBeUndefined();
    const wrong = [
      ['name', undefined],
      ['name', 3],
      ['name', 'a'],
      ['name', 'abcdef'],
      ['name', 'ABC'],
      ['mail', 'nobody'],
      ['day', '2026-02-30'],
      ['at', '2026-11-30'],
      ['home', 'no scheme'],
      ['port', 1.5],
      ['port', 0],
      ['port', 65_536],
      ['port', '80'],
      ['ratio', Number.NaN],
      ['sure', 'true'],
      ['color', 'green'],
      ['size', 'Small'],
      ['tags', []],
      ['tags', ['a', 'b', 'c']],
      ['tags', ['a', 'a']],
      ['tags', ['z']],
      ['tags', 'a'],
      ['odd', {}],
      ['more', 1],
      ['__proto__x', 1],
    ] as const;
    for (const [field, value] of wrong) expect(fault({ [field]: value })?.field, `${field}=${value}`).toBe(field);
    expect(checkFormAnswer(form, JSON.parse('{"name":"abc","tags":["a"],"__proto__":1}'))?.field).toBe('__proto__');
    expect(checkFormAnswer(form, { tags: ['a'] })).toEqual({ field: 'name', expected: 'an answer' });
  });

  test('FO3: no pattern of an agent takes long: what could is left to the agent, as is one that is no pattern', () => {
    const check = (pattern: string, value: string) =>
      checkFormAnswer(readForm({ properties: { x: { type: 'string', pattern } } }), { x: value });
    expect(check('^[^@]+@[^@]+\\.[a-z]{2,}$', 'nobody')?.field).toBe('x');
    expect(check('^(?:a|b)\\d{3}$', 'c123')?.field).toBe('x');
    expect(check('^\\p{Lu}', 'ä')?.field).toBe('x');
    const before = performance.now();
    for (const pattern of [
      '(a+)+$',
      '^(a|a)*$',
      '(?=a)b',
      '^(a)\\1$',
      '(',
      'a*a*a*a*a*b',
      '(a|a)'.repeat(60),
      `${'a?'.repeat(100)}a{100}`,
      '^(?:(?:a{1,9}){1,9}){1,9}$',
      'x*'.repeat(200),
    ])
      expect(check(pattern, `${'a'.repeat(5_000)}!`)).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
