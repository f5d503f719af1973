import { Search, X } from 'lucide-react';
import { useRef } from 'react';
import { useActions } from '../actions/actions.ts';

/** Makes a long list short: by words of a title, an agent, a machine, a folder, a state. */
export function FleetFilter(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Opens the first session that is left. */
  readonly onEnter: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useActions([{ id: 'filter', label: 'Filter the list', group: 'Page', key: 's', run: () => field.current?.focus() }]);
  return (
    <search className="relative mx-4 mt-1.5 block">
      <Search
        size={14}
        strokeWidth={1.6}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3"
      />
      <input
        ref={field}
        className="field px-8"
        placeholder="Filter"
        aria-label="Filter sessions and agents"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={props.value}
        data-testid="fleet-filter"
        onChange={(event) => props.onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) props.onEnter();
          else if (event.key !== 'Escape') return;
          event.preventDefault();
          props.onChange('');
          event.currentTarget.blur();
        }}
      />
      {props.value !== '' && (
        <button
          type="button"
          className="tab absolute top-1/2 right-0 -translate-y-1/2"
          aria-label="Show all"
          data-testid="fleet-filter-clear"
          onClick={() => {
            props.onChange('');
            field.current?.focus();
          }}
        >
          <X size={14} strokeWidth={1.7} />
        </button>
      )}
    </search>
  );
}
