import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatNumber } from '../../text/human.ts';
import type { Find } from './use-find.ts';

interface FindBarProps {
  readonly find: Find<unknown>;
  readonly label: string;
  readonly placeholder: string;
  readonly testId: string;
}

/** While somebody searches: a field to look for something, how much was found, and the way from one place to the next. */
export function FindBar(props: FindBarProps) {
  return props.find.needle === undefined ? null : <OpenFindBar {...props} needle={props.find.needle} />;
}

function OpenFindBar(props: FindBarProps & { readonly needle: string }) {
  const { find, needle } = props;
  const { count } = find.found;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  return (
    <search className="find-bar" aria-label={props.label}>
      <input
        ref={input}
        className="field min-w-0 flex-1"
        type="text"
        inputMode="search"
        enterKeyHint="search"
        aria-label={props.label}
        placeholder={props.placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={1_000}
        value={needle}
        data-testid={`${props.testId}-needle`}
        onChange={(event) => find.setNeedle(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') find.close();
          else return;
          event.preventDefault();
        }}
      />
      <output className="text-s whitespace-nowrap text-ink-2 tabular-nums" data-testid={`${props.testId}-count`}>
        {inWords(find)}
      </output>
      <button
        type="button"
        className="tab"
        aria-label="The place before"
        title="The place before (Shift+Enter)"
        data-testid={`${props.testId}-previous`}
        disabled={count === 0}
        onClick={() => find.step(-1)}
      >
        <ChevronUp size={16} strokeWidth={1.6} />
      </button>
      <button
        type="button"
        className="tab"
        aria-label="The next place"
        title="The next place (Enter)"
        data-testid={`${props.testId}-next`}
        disabled={count === 0}
        onClick={() => find.step(1)}
      >
        <ChevronDown size={16} strokeWidth={1.6} />
      </button>
      <button
        type="button"
        className="tab"
        aria-label="Close the search"
        data-testid={`${props.testId}-close`}
        onClick={find.close}
      >
        <X size={16} strokeWidth={1.6} />
      </button>
    </search>
  );
}

function inWords({ needle, found, at }: Find<unknown>): string {
  const { count, hits, isDone } = found;
  if (needle === '') return '';
  if (count === 0) return isDone ? 'Nothing' : 'Reading';
  // The rest is only counted, and can't be stepped through.
  const many =
    hits.length < count ? `the first ${formatNumber(hits.length)} of ${formatNumber(count)}` : formatNumber(count);
  return `${at < 0 ? '' : `${formatNumber(at + 1)} of `}${many}${isDone ? '' : ' so far'}`;
}
