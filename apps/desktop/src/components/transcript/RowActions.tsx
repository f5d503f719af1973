import type { SeqRange } from '@heliograph/transcript';
import { CopyButton } from '../parts/CopyButton.tsx';
import { LinesButton } from './LinesButton.tsx';
import { useIsNear } from './near-context.ts';

/** What can be done with an item: beside it on a desk while it is pointed at, below it on a phone. */
export function RowActions(props: { readonly refs: readonly SeqRange[]; readonly text?: () => string }) {
  const isBare = !useIsNear();
  return (
    <div className="row-actions">
      {props.text !== undefined && <CopyButton text={props.text} label="Copy" testId="copy" isBare={isBare} />}
      <LinesButton refs={props.refs} isBare={isBare} />
    </div>
  );
}
