import { type Form, type FormField, readForm } from '@heliograph/wire';

/** What stands in a form's fields now: text as typed, ticks, and the values chosen of a list. */
export type FormDraft = ReadonlyMap<string, string | boolean | readonly string[]>;

/** A form as it is first shown: with the agent's presets. */
function startDraft(form: Form): FormDraft {
  return new Map(form.fields.flatMap((field) => (field.type === 'other' ? [] : [[field.name, startValue(field)]])));
}

function startValue(field: Exclude<FormField, { type: 'other' }>): string | boolean | readonly string[] {
  switch (field.type) {
    case 'flag':
      return field.preset ?? false;
    case 'choices':
      return field.preset;
    default:
      return String(field.preset ?? '');
  }
}

/**
 * The answer that a draft makes: what was left empty is left out, a tick always counts. A number that is none stays text, so
 * that the check says so.
 */
export function toContent(form: Form, draft: FormDraft): Readonly<Record<string, unknown>> {
  const content: [string, unknown][] = [];
  for (const field of form.fields) {
    const value = draft.get(field.name);
    if (value === undefined || value === '') continue;
    if (Array.isArray(value) && value.length === 0 && !field.isRequired) continue;
    content.push([field.name, field.type === 'number' ? toNumber(value) : value]);
  }
  return Object.fromEntries(content);
}

function toNumber(value: unknown): unknown {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : value;
}

/** A draft as text, to be kept while its card is off the screen. */
export function keepDraft(draft: FormDraft): string {
  return JSON.stringify([...draft]);
}

/** A kept draft, with the form's presets where nothing was kept. */
export function readDraft(form: Form, kept: string): FormDraft {
  return kept === '' ? startDraft(form) : new Map(JSON.parse(kept) as [string, string][]);
}

export const NO_FORM: Form = readForm(undefined);
