import { checkFormAnswer, type ElicitationAction, type Form, readForm } from '@heliograph/wire';
import type { Choice } from './agent-request.ts';

/** What an `elicitation/create` can be answered by. */
export interface ElicitationAsk {
  readonly kind: 'elicitation';
  /** Null for a page to visit: nothing is filled in. */
  readonly form: Form | null;
  /** Characters held for it. */
  readonly bytes: number;
}

/** A form over these can only be declined or cancelled. */
const MAX_FORM_LENGTH = 65_536;
const MAX_FIELDS = 64;
const NO_FORM: Form = { title: undefined, description: undefined, fields: [] };

/** What a request asks for, and no more of it than is held for it. */
export function readElicitation(params: unknown): { readonly ask: ElicitationAsk; readonly isBounded: boolean } {
  const { mode, requestedSchema } = (params ?? {}) as { mode?: unknown; requestedSchema?: unknown };
  if (mode === 'url') return { ask: { kind: 'elicitation', form: null, bytes: 0 }, isBounded: true };
  const form = readForm(requestedSchema);
  const bytes = JSON.stringify(form).length;
  const isBounded = bytes <= MAX_FORM_LENGTH && form.fields.length <= MAX_FIELDS;
  // A mode of the future is shown, and can be declined.
  const isKnown = mode === undefined || mode === 'form';
  const ask = { kind: 'elicitation', form: isBounded ? form : NO_FORM, bytes: isBounded ? bytes : 0 } as const;
  return { ask, isBounded: isBounded && isKnown };
}

const say = (action: ElicitationAction, content?: object): Choice => ({
  result: { action, ...(content !== undefined ? { content } : {}) },
  chosen: { action },
});

/** How an elicitation is answered. */
export const elicitationAnswers = {
  cancelled: say('cancel'),
  declined: say('decline'),

  choose(
    { form }: ElicitationAsk,
    action: ElicitationAction,
    content: Readonly<Record<string, unknown>> | undefined,
    actionable: boolean,
  ): Choice | { readonly reason: string; readonly field?: string } {
    if (action !== 'accept')
      return content === undefined ? say(action) : { reason: `${action} takes no content: leave it out` };
    // Who can't see what exactly is asked may say no, not yes.
    if (!actionable) return { reason: 'this can only be accepted where the whole request can be seen' };
    if (form === null)
      return content === undefined ? say('accept') : { reason: 'a page to visit takes no content: leave it out' };
    const fault = checkFormAnswer(form, content ?? {});
    if (fault === undefined) return say('accept', content ?? {});
    const { field, expected } = fault;
    return { reason: `${field.slice(0, 200)}: expected ${expected}`, field: field.slice(0, 200) };
  },
};
