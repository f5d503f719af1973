import { Check, Copy, type LucideIcon } from 'lucide-react';
import { type MouseEvent, useState } from 'react';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 1_600;
/** Nobody expects that: it is read longer. */
const REFUSED_MS = 6_000;

/** Copies a text that is made only when asked for. Where the browser lets no page copy it says so, and what to do. */
export function CopyButton(props: {
  readonly text: () => string;
  readonly label: string;
  readonly className?: string;
  readonly testId?: string;
  /** Where two things can be copied in one place. */
  readonly icon?: LucideIcon;
  /** Nobody sees it now: it is drawn without its icon. */
  readonly isBare?: boolean;
  readonly children?: string;
}) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const copy = async ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const isCopied = await copyText(props.text(), currentTarget);
    setOutcome(isCopied ? 'copied' : 'refused');
    setTimeout(() => setOutcome(undefined), isCopied ? SHOWN_MS : REFUSED_MS);
  };
  const Icon = props.icon ?? Copy;
  const words =
    outcome === 'copied'
      ? 'Copied'
      : outcome === 'refused'
        ? 'This browser lets no page copy: select it instead'
        : props.children;
  return (
    <button
      type="button"
      className={props.className ?? 'tab'}
      aria-label={props.label}
      title={props.label}
      data-testid={props.testId}
      onClick={(event) => void copy(event)}
    >
      {outcome === 'copied' ? (
        <Check size={14} strokeWidth={1.7} />
      ) : (
        props.isBare !== true && <Icon size={14} strokeWidth={1.5} />
      )}
      {words !== undefined && <span aria-live="polite">{words}</span>}
    </button>
  );
}
