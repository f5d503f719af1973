import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { formatNumber } from '../../text/human.ts';

/** A field to look for something, how much was found, and the way from one place to the next. */
export function FindBar(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly testId: string;
  readonly needle: string;
  readonly count: number;
  /** How many of them can be stepped through: the rest is only counted. */
  readonly reachable: number;
  /** Which of them was jumped to, from 0; −1: none yet. */
  readonly at: number;
  readonly isDone: boolean;
  readonly onNeedle: (needle: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}) {
  const { needle, count } = props;
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
        onChange={(event) => props.onNeedle(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') props.onStep(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') props.onClose();
          else return;
          event.preventDefault();
        }}
      />
      <output className="text-s whitespace-nowrap text-ink-2 tabular-nums" data-testid={`${props.testId}-count`}>
        {inWords(props)}
      </output>
      <button
        type="button"
        className="tab"
        aria-label="The place before"
        title="The place before (Shift+Enter)"
        data-testid={`${props.testId}-previous`}
        disabled={count === 0}
        onClick={() => props.onStep(-1)}
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
        onClick={() => props.onStep(1)}
      >
        <ChevronDown size={16} strokeWidth={1.6} />
      </button>
      <button
        type="button"
        className="tab"
        aria-label="Close the search"
        data-testid={`${props.testId}-close`}
        onClick={props.onClose}
      >
        <X size={16} strokeWidth={1.6} />
      </button>
    </search>
  );
}

function inWords(props: {
  readonly needle: string;
  readonly count: number;
  readonly reachable: number;
  readonly at: number;
  readonly isDone: boolean;
}): string {
  const { count, at, isDone, reachable } = props;
  if (props.needle === '') return '';
  if (count === 0) return isDone ? 'Nothing' : 'Reading';
  const many =
    reachable < count ? `the first ${formatNumber(reachable)} of ${formatNumber(count)}` : formatNumber(count);
  return `${at < 0 ? '' : `${formatNumber(at + 1)} of `}${many}${isDone ? '' : ' so far'}`;
}
