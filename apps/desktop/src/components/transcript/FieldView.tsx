import type { FormChoice, FormField } from '@heliograph/wire';
import type { HTMLInputTypeAttribute } from 'react';
import { VisibleText } from '../content/VisibleText.tsx';

type Value = string | boolean | readonly string[];

interface FieldViewProps {
  readonly field: FormField;
  /** Its place in the form. */
  readonly at: number;
  /** Of the page, for labels. */
  readonly id: string;
  readonly value: Value | undefined;
  /** What is expected, where it is something else. */
  readonly fault: string | undefined;
  readonly isDisabled: boolean;
  readonly onChange: (value: Value) => void;
}

/** Choices that are drawn; a longer list says how many more there are. */
const MAX_CHOICES = 200;

/** One field of an agent's form: its label and words as text, what hides in them shown. */
export function FieldView(props: FieldViewProps) {
  const { field, id, fault } = props;
  const isGroup = field.type === 'choice' || field.type === 'choices';
  const label = (
    <>
      <VisibleText text={field.title === '' ? field.name : field.title} max={200} />
      {field.isRequired ? (
        <span className="text-sun-ink" title="must be answered">
          {' '}
          *<span className="sr-only"> (must be answered)</span>
        </span>
      ) : (
        <span className="text-s font-normal text-ink-3"> optional</span>
      )}
    </>
  );
  const words = (
    <>
      {field.description !== undefined && (
        <p id={`${id}-about`} className="text-s whitespace-pre-wrap text-ink-2">
          <VisibleText text={field.description} multiline max={1_000} />
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="text-s text-bad" data-testid="field-fault">
          Expected: <VisibleText text={fault} max={300} />
        </p>
      )}
    </>
  );
  if (isGroup) {
    return (
      <fieldset className="stack gap-1" data-field={props.at} data-testid="form-field" data-name={field.name}>
        <legend className="font-medium">{label}</legend>
        {words}
        <ChoiceList {...props} field={field} />
      </fieldset>
    );
  }
  return (
    <div className="stack gap-1" data-field={props.at} data-testid="form-field" data-name={field.name}>
      {field.type === 'flag' ? (
        <Row>
          <Input {...props} />
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
        </Row>
      ) : (
        <>
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
          <Input {...props} />
        </>
      )}
      {words}
    </div>
  );
}

function Row({ children }: { readonly children: React.ReactNode }) {
  return <div className="flex items-center gap-2 max-md:min-h-10">{children}</div>;
}

function Input({ field, id, value, fault, isDisabled, onChange }: FieldViewProps) {
  const said = [field.description !== undefined && `${id}-about`, fault !== undefined && `${id}-fault`].filter(Boolean);
  const shared = {
    id,
    disabled: isDisabled,
    'aria-invalid': fault !== undefined,
    'aria-required': field.isRequired,
    ...(said.length > 0 ? { 'aria-describedby': said.join(' ') } : {}),
  };
  switch (field.type) {
    case 'flag':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'number':
      return (
        <input
          {...shared}
          className="field"
          type="text"
          inputMode={field.isInteger ? 'numeric' : 'decimal'}
          autoComplete="off"
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'text':
      return (
        <input
          {...shared}
          className="field"
          type={TYPES[field.format ?? ''] ?? 'text'}
          inputMode={field.format === 'email' ? 'email' : field.format === 'uri' ? 'url' : 'text'}
          autoComplete="off"
          spellCheck={false}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    default:
      return <p className="text-s text-ink-2">What it asks here is not understood, so it can't be filled in.</p>;
  }
}

/** Kinds of field a browser knows that leave the text as it is typed. */
const TYPES: Readonly<Record<string, HTMLInputTypeAttribute>> = { date: 'date' };

function ChoiceList(props: FieldViewProps & { readonly field: Extract<FormField, { type: 'choice' | 'choices' }> }) {
  const { field, id, value, isDisabled, onChange } = props;
  const chosen = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  const shown = field.choices.slice(0, MAX_CHOICES);
  const pick = ({ value: one }: FormChoice, isOn: boolean) => {
    if (field.type === 'choice') onChange(one);
    else onChange(isOn ? [...chosen, one] : chosen.filter((other: string) => other !== one));
  };
  return (
    <div className="stack max-h-56 gap-0.5 overflow-y-auto pl-0.5">
      {shown.map((choice, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the choices of one fixed form, which may repeat
        <label key={at} className="flex items-start gap-2 py-0.5 max-md:min-h-10 max-md:items-center">
          <input
            type={field.type === 'choice' ? 'radio' : 'checkbox'}
            className="mt-1 max-md:mt-0"
            name={id}
            checked={chosen.includes(choice.value)}
            disabled={isDisabled}
            data-value={choice.value}
            onChange={(event) => pick(choice, event.target.checked)}
          />
          <span className="min-w-0 break-words">
            <VisibleText text={choice.label === '' ? choice.value : choice.label} max={200} />
          </span>
        </label>
      ))}
      {field.type === 'choice' && !field.isRequired && (
        <label className="flex items-start gap-2 py-0.5 text-ink-2 max-md:min-h-10 max-md:items-center">
          <input
            type="radio"
            className="mt-1 max-md:mt-0"
            name={id}
            checked={chosen.length === 0 || chosen[0] === ''}
            disabled={isDisabled}
            onChange={() => onChange('')}
          />
          No answer
        </label>
      )}
      {field.choices.length > shown.length && (
        <p className="text-s text-ink-2">{field.choices.length - shown.length} more choices are not shown.</p>
      )}
    </div>
  );
}
