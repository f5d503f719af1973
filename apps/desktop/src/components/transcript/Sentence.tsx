import type { SeqRange } from '@heliograph/transcript';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFoundHere } from '../find/found-context.ts';
import { RowActions } from './RowActions.tsx';

/** A row that reads as a sentence and opens to what is behind it. The body is made only when it is open. */
export function Sentence(props: {
  readonly icon: ReactNode;
  readonly testId: string;
  readonly refs: readonly SeqRange[];
  /** Until the reader decides otherwise. */
  readonly startsOpen: boolean;
  readonly note?: ReactNode;
  readonly body: (() => ReactNode) | undefined;
  readonly data?: Readonly<Record<`data-${string}`, string>>;
  readonly children: ReactNode;
}) {
  const found = useFoundHere();
  const [chosen, setChosen] = useState<{ readonly isOpen: boolean; readonly found: typeof found }>();
  // What was found in it is shown, unless the reader has closed it since.
  const wants = found !== undefined && chosen?.found !== found ? true : (chosen?.isOpen ?? props.startsOpen);
  const isOpen = props.body !== undefined && wants;
  const line = (
    <>
      <span className="mt-0.5 grid w-5 flex-none place-items-center text-ink-3">{props.icon}</span>
      <span className="min-w-0 flex-1 overflow-hidden text-left">{props.children}</span>
      <span className="mt-0.5 flex flex-none items-center gap-1 text-s text-ink-3 tabular-nums">
        {props.note}
        {props.body !== undefined && (
          <ChevronRight
            size={14}
            strokeWidth={1.6}
            className={`motion-safe:transition-transform motion-safe:duration-100 ${isOpen ? 'rotate-90' : ''}`}
            aria-hidden="true"
          />
        )}
      </span>
    </>
  );
  return (
    <div className="sentence" data-testid={props.testId} {...props.data}>
      {props.body === undefined ? (
        <div className="sentence-line">{line}</div>
      ) : (
        <button
          type="button"
          className="sentence-line"
          aria-expanded={isOpen}
          onClick={() => setChosen({ isOpen: !isOpen, found })}
        >
          {line}
        </button>
      )}
      <RowActions refs={props.refs} />
      {isOpen && <div className="sentence-body">{props.body?.()}</div>}
    </div>
  );
}
