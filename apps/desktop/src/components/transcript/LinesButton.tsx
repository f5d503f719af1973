import type { SeqRange } from '@heliograph/transcript';
import { ScanText } from 'lucide-react';
import { useShowLines } from './lines-context.ts';

/** From an item to the exact lines it came from. `isBare`: nobody sees it now, it is drawn without its icon. */
export function LinesButton(props: { readonly refs: readonly SeqRange[]; readonly isBare?: boolean }) {
  const showLines = useShowLines();
  return (
    <button
      type="button"
      className="tab"
      aria-label="Show the lines this came from"
      title="Show the lines this came from"
      data-testid="show-lines"
      onClick={() => showLines(props.refs)}
    >
      {props.isBare !== true && <ScanText size={14} strokeWidth={1.5} />}
    </button>
  );
}
