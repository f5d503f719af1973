import type { NoticeItem } from '@heliograph/transcript';
import { VisibleText } from '../content/VisibleText.tsx';
import { RowActions } from './RowActions.tsx';

/** Something said about the session. */
export function NoticeRow({ item }: { readonly item: NoticeItem }) {
  const look = item.severity === 'error' ? 'text-bad' : 'text-ink-2';
  return (
    <div className="text-s" data-testid="notice" data-topic={item.topic}>
      {item.topic === 'stderr' ? (
        <details>
          <summary className="max-md:-my-3 max-md:py-3 w-fit cursor-pointer text-ink-3">
            The agent wrote to stderr
          </summary>
          <pre className="code wrap frame mt-1 max-h-64 text-ink-2">
            <VisibleText text={item.text} multiline />
          </pre>
        </details>
      ) : (
        <p className={look}>
          {item.topic === 'harness' && 'Its harness: '}
          <VisibleText text={item.text} max={4_000} />
        </p>
      )}
      <RowActions refs={item.refs} />
    </div>
  );
}
