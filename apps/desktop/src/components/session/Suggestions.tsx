import type { Suggestion } from '../../text/suggestions.ts';
import { VisibleText } from '../content/VisibleText.tsx';

/** Completions above the composer; the keys stay with the text field. */
export function Suggestions(props: {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly onPick: (suggestion: Suggestion) => void;
}) {
  return (
    <div
      id={props.id}
      role="listbox"
      aria-label="Completions"
      className="popover bottom-full left-0 mb-1 w-full p-1"
      data-testid="suggestions"
    >
      {props.suggestions.map((suggestion, at) => (
        <div
          key={suggestion.key}
          id={`${props.id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === props.active}
          className={`flex cursor-default items-baseline gap-3 rounded-md px-2.5 py-1 pointer-coarse:py-2.5 ${at === props.active ? 'bg-sunken' : ''}`}
          onPointerDown={(event) => {
            // The field keeps the caret.
            event.preventDefault();
            props.onPick(suggestion);
          }}
        >
          <span className="flex-none font-mono text-code">
            <VisibleText text={suggestion.label} max={60} />
          </span>
          <span className="min-w-0 truncate text-s text-ink-3">
            <VisibleText text={suggestion.detail} max={160} />
          </span>
        </div>
      ))}
    </div>
  );
}
