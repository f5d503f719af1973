import { type Ref, useId } from 'react';

/** A field whose value React never holds: it is read once from the element and cleared. */
export function SecretField(props: {
  readonly label: string;
  readonly hint?: string;
  readonly field: Ref<HTMLInputElement>;
  readonly testId: string;
  readonly autoComplete: string;
}) {
  const id = useId();
  return (
    <div className="stack gap-1">
      <label htmlFor={id} className="font-medium">
        {props.label}
      </label>
      <input
        ref={props.field}
        id={id}
        type="password"
        className="field font-mono"
        autoComplete={props.autoComplete}
        autoCapitalize="off"
        spellCheck={false}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
        data-testid={props.testId}
      />
      {props.hint !== undefined && (
        <p id={`${id}-hint`} className="text-s text-ink-3">
          {props.hint}
        </p>
      )}
    </div>
  );
}

/** Takes a secret out of its field. */
export function takeValue(field: HTMLInputElement | null): string {
  const value = field?.value ?? '';
  if (field !== null) field.value = '';
  return value;
}
