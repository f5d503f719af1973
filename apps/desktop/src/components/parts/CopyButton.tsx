import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useState } from 'react';

const SHOWN_MS = 1_600;

/** Copies a text that is made only when asked for. Where the browser has no clipboard (plain http in a LAN) it says so. */
export function CopyButton(props: {
  readonly text: () => string;
  readonly label: string;
  readonly className?: string;
  readonly testId?: string;
  /** Where two things can be copied in one place. */
  readonly icon?: LucideIcon;
  readonly children?: string;
}) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  const copy = async () => {
    setOutcome(await writeClipboard(props.text()));
    setTimeout(() => setOutcome(undefined), SHOWN_MS);
  };
  const Icon = props.icon ?? Copy;
  const words = outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'No clipboard here' : props.children;
  return (
    <button
      type="button"
      className={props.className ?? 'tab'}
      aria-label={props.label}
      title={props.label}
      data-testid={props.testId}
      onClick={() => void copy()}
    >
      {outcome === 'copied' ? <Check size={14} strokeWidth={1.7} /> : <Icon size={14} strokeWidth={1.5} />}
      {words !== undefined && <span aria-live="polite">{words}</span>}
    </button>
  );
}

async function writeClipboard(text: string): Promise<'copied' | 'refused'> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused'; // Shown as words on the button.
  }
}
