import { formatNumber } from '../../text/human.ts';

/** `+4 −2`: colours say it again, the signs say it first. */
export function ChangeCount({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="font-medium whitespace-nowrap tabular-nums">
      {(added > 0 || removed === 0) && <span className="text-add">+{formatNumber(added)}</span>}
      {removed > 0 && <span className="text-bad"> −{formatNumber(removed)}</span>}
    </span>
  );
}
