import type { ErrorItem } from '@heliograph/transcript';
import { BoundedText } from '../content/BoundedText.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { RowActions } from './RowActions.tsx';

const HEADINGS: Readonly<Record<string, string>> = {
  error: 'The turn failed',
  idle_timeout: 'The agent said nothing for too long',
  hard_timeout: 'The turn took too long',
  exited: 'The agent’s process ended',
  cancel_drain_timeout: 'The agent did not stop when told to',
  auth: 'The agent must sign in again',
  rpc: 'The agent answered with an error',
  parse: 'A line is no JSON value',
  write: 'A line could not be written to the agent',
  conflict: 'One line came with two contents',
};

/** What went wrong, with how to mend it. Never folded. */
export function ErrorRow({ item }: { readonly item: ErrorItem }) {
  return (
    <div
      className="rounded-lg border border-bad-line bg-bad-wash px-3.5 py-2.5"
      data-testid="error-row"
      data-outcome={item.outcome}
    >
      <p className="font-medium text-bad">
        {HEADINGS[item.outcome] ?? 'Something failed'}
        {item.code !== undefined && <span className="font-normal"> · code {item.code}</span>}
      </p>
      <p className="whitespace-pre-wrap break-words">
        <VisibleText text={item.message} multiline max={4_000} />
      </p>
      {item.hint !== undefined && (
        <p className="mt-1 text-ink-2">
          <VisibleText text={item.hint} multiline max={2_000} />
        </p>
      )}
      {item.detail !== undefined && (
        <div className="frame mt-2">
          <BoundedText text={item.detail} max={2_000} label="The line" />
        </div>
      )}
      <RowActions refs={item.refs} />
    </div>
  );
}
