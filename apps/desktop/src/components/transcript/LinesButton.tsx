import type { SeqRange } from '@heliograph/transcript';
import { ScanText } from 'lucide-react';
import { useShowLines } from './lines-context.ts';

/** From an item to the exact lines it came from. */
export function LinesButton({ refs }: { readonly refs: readonly SeqRange[] }) {
  const showLines = useShowLines();
  return (
    <button
      type="button"
      className="tab"
      aria-label="Show the lines this came from"
      title="Show the lines this came from"
      data-testid="show-lines"
      onClick={() => showLines(refs)}
    >
      <ScanText size={14} strokeWidth={1.5} />
    </button>
  );
}
