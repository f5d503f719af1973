import type { Form, FormField } from './form.ts';

/** Why an answer can't be given: the field, and what is expected of it. */
export interface FormFault {
  readonly field: string;
  readonly expected: string;
}

/** What a pattern may take on one value, in steps of a matcher that tries everything; what could take more is not tried. */
const MAX_PATTERN_STEPS = 4_000_000;
const MAX_PATTERN_LENGTH = 512;
const MAX_WORDS = 200;

/**
 * Whether `content` answers the form, `undefined` when it does, else the first fault. Members nobody asked for are faults.
 * A pattern that could take long on the value (the agent's patterns are hostile input) is left for the agent to check.
 */
export function checkFormAnswer(form: Form, content: Readonly<Record<string, unknown>>): FormFault | undefined {
  const asked = new Set(form.fields.map(({ name }) => name));
  for (const name of Object.keys(content))
    if (!asked.has(name)) return { field: name, expected: 'nothing: the agent does not ask for it' };
  for (const field of form.fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    const expected = value === undefined ? (field.isRequired ? 'an answer' : undefined) : faultOf(field, value);
    if (expected !== undefined) return { field: field.name, expected };
  }
  return undefined;
}

/** What is expected of a value, where it is not that. */
function faultOf(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case 'text':
      return textFault(field, value);
    case 'number':
      return numberFault(field, value);
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'choice':
      return field.choices.some((choice) => choice.value === value) ? undefined : oneOf(field.choices);
    case 'choices':
      return choicesFault(field, value);
    case 'other':
      return 'nothing: what the agent asks here is not understood';
    default:
      return field satisfies never;
  }
}

function textFault(field: Extract<FormField, { type: 'text' }>, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'text';
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format = '', pattern } = field;
  // In code points, and counted only where UTF-16 units do not settle it.
  const length = value.length > maxLength || value.length >= minLength ? [...value].length : value.length;
  if (length < minLength) return `at least ${minLength} characters`;
  if (length > maxLength) return `at most ${maxLength} characters`;
  const known = FORMATS.get(format);
  if (known !== undefined && !known.accepts(value)) return known.expected;
  if (pattern !== undefined && fitsPattern(pattern, value) === false)
    return `text that fits ${pattern.slice(0, MAX_WORDS)}`;
  return undefined;
}

function numberFault(field: Extract<FormField, { type: 'number' }>, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || (field.isInteger && !Number.isInteger(value)))
    return field.isInteger ? 'a whole number' : 'a number';
  if (field.minimum !== undefined && value < field.minimum) return `at least ${field.minimum}`;
  if (field.maximum !== undefined && value > field.maximum) return `at most ${field.maximum}`;
  return undefined;
}

function choicesFault(field: Extract<FormField, { type: 'choices' }>, value: unknown): string | undefined {
  if (!Array.isArray(value) || new Set(value).size !== value.length) return 'a list without repeats';
  const offered = new Set<unknown>(field.choices.map((choice) => choice.value));
  if (!value.every((one) => offered.has(one))) return oneOf(field.choices);
  if (field.minItems !== undefined && value.length < field.minItems) return `at least ${field.minItems} of them`;
  if (field.maxItems !== undefined && value.length > field.maxItems) return `at most ${field.maxItems} of them`;
  return undefined;
}

function oneOf(choices: readonly { readonly value: string }[]): string {
  return `one of ${choices.map(({ value }) => value).join(', ')}`.slice(0, MAX_WORDS);
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const FORMATS: ReadonlyMap<string, { readonly expected: string; accepts(value: string): boolean }> = new Map([
  ['email', { expected: 'an e-mail address', accepts: (value) => /^[^\s@]+@[^\s@]+$/.test(value) }],
  ['uri', { expected: 'a URI', accepts: (value) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) }],
  ['date', { expected: 'a date like 2026-11-30', accepts: isDate }],
  [
    'date-time',
    {
      expected: 'a time like 2026-11-30T09:20:00Z',
      accepts: (value) => isDate(value.slice(0, 10)) && /^t$/i.test(value.charAt(10)) && TIME.test(value.slice(11)),
    },
  ],
]);

/** Whether the calendar has this day. */
function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (DATE.exec(text) ?? []).slice(1).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

/** Undefined where that can't be told in bounded time, or the pattern is none. */
function fitsPattern(pattern: string, value: string): boolean | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH || patternSteps(pattern, value.length + 1) > MAX_PATTERN_STEPS)
    return undefined;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return undefined;
  }
}

/**
 * An upper bound on the steps of a backtracking matcher: every way to go on multiplies. A repeated group, a back-reference or
 * a look-around has none.
 */
function patternSteps(pattern: string, length: number): number {
  const bare = pattern.replace(/\\[^1-9k]/g, 'x').replace(/\[(?:[^\]\\]|\\.)*\]/g, 'x');
  if (/\)[*+?{]|\\|\(\?[^:]/.test(bare)) return Number.POSITIVE_INFINITY;
  let steps = bare.startsWith('^') && !bare.includes('|') ? 1 : length;
  for (const [ways, least, comma, most] of bare.matchAll(/[*+?|]|\{(\d+)(,?)(\d*)\}/g)) {
    if (ways === '*' || ways === '+' || (comma === ',' && most === '')) steps *= length;
    else if (ways === '?' || ways === '|') steps *= 2;
    else steps *= Math.max(Number(least), Number(most), 2);
  }
  return steps * Math.max(1, bare.length);
}
