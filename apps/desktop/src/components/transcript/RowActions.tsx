import type { SeqRange } from '@heliograph/transcript';
import { CopyButton } from '../parts/CopyButton.tsx';
import { LinesButton } from './LinesButton.tsx';

/** What can be done with an item: beside it on a desk while it is pointed at, below it on a phone. */
export function RowActions(props: { readonly refs: readonly SeqRange[]; readonly text?: () => string }) {
  return (
    <div className="row-actions">
      {props.text !== undefined && <CopyButton text={props.text} label="Copy" testId="copy" />}
      <LinesButton refs={props.refs} />
    </div>
  );
}
