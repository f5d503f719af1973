import type { ReactNode } from 'react';

/** A state of the connection, in words with the next step, above the transcript. */
export function Banner(props: {
  readonly children: ReactNode;
  readonly action?: ReactNode;
  readonly testId: string;
  readonly tone?: 'bad';
}) {
  return (
    <div
      className={`flex items-center gap-3 border-b px-6 py-1.5 text-s max-md:px-3.5 ${props.tone === 'bad' ? 'border-bad-line bg-bad-wash text-bad' : 'border-line bg-ground text-ink-2'}`}
      role="status"
      data-testid={props.testId}
    >
      <span className="min-w-0 flex-1 wrap-anywhere">{props.children}</span>
      {props.action}
    </div>
  );
}
