import { type DiffRow, type DiffTexts, diffRow, type LineDiff, Needle, rowOfLine } from '@heliograph/transcript';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Fragment, useEffect, useMemo, useRef } from 'react';
import { formatNumber } from '../../text/human.ts';
import { useFoundHere } from '../find/found-context.ts';
import { ScrollRegion } from './ScrollRegion.tsx';
import { VisibleText } from './VisibleText.tsx';

/** Height of a row that does not wrap, px; others are measured. */
const ROW_PX = 19;
/** Characters of the longest line that make the rows wider than their box; what is beyond is cut. */
const MAX_WIDTH_CHARACTERS = 2_000;
const SIGNS: Readonly<Record<DiffRow['type'], string>> = { same: '', added: '+', removed: '−', skipped: '' };

/** Rows that are simply drawn: no more than a screen or two. */
const FEW_ROWS = 200;

/** The rows of a change; of many, a screenful at a time. */
export function DiffRows(props: {
  readonly diff: LineDiff;
  readonly texts: DiffTexts;
  /** Pairs of rows, for both sides beside each other. */
  readonly sides: { readonly left: Int32Array; readonly right: Int32Array } | undefined;
  readonly onUnfold: (at: number) => void;
}) {
  const { diff, texts, sides } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const count = sides?.left.length ?? diff.kinds.length;
  const virtualizer = useVirtualizer({
    count,
    enabled: count > FEW_ROWS,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const width = useMemo(() => Math.min(MAX_WIDTH_CHARACTERS, longestLine(diff)), [diff]);
  const found = useFoundRow(diff, texts);
  const foundAt =
    found < 0 || sides === undefined ? found : Math.max(sides.left.indexOf(found), sides.right.indexOf(found));
  useEffect(() => {
    if (foundAt >= 0 && count > FEW_ROWS) virtualizer.scrollToIndex(foundAt, { align: 'center' });
  }, [foundAt, count, virtualizer]);
  const rowAt = (at: number) => (at < 0 ? undefined : diffRow(diff, texts, at));
  const draw = (index: number) =>
    sides === undefined ? (
      <Line row={rowAt(index)} side="both" onUnfold={() => props.onUnfold(index)} />
    ) : (
      <Pair
        left={rowAt(sides.left[index] ?? -1)}
        right={rowAt(sides.right[index] ?? -1)}
        onUnfold={() => props.onUnfold(sides.left[index] ?? -1)}
      />
    );
  const style = sides === undefined ? { minWidth: `calc(${width}ch + 5rem)` } : {};
  if (count <= FEW_ROWS) {
    return (
      <ScrollRegion box={scroller} className="code diff max-h-[32rem]" label="Change" testId="diff-rows">
        <div style={style}>
          {Array.from({ length: count }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one fixed change
            <Fragment key={index}>{draw(index)}</Fragment>
          ))}
        </div>
      </ScrollRegion>
    );
  }
  return (
    <ScrollRegion box={scroller} className="code diff h-[32rem]" label="Change" testId="diff-rows">
      <div className="relative" style={{ ...style, height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            // Only rows that wrap differ in height; asking each lays the page out for it.
            ref={sides === undefined ? undefined : virtualizer.measureElement}
            data-index={index}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${start}px)` }}
          >
            {draw(index)}
          </div>
        ))}
      </div>
    </ScrollRegion>
  );
}

function Pair(props: {
  readonly left: DiffRow | undefined;
  readonly right: DiffRow | undefined;
  readonly onUnfold: () => void;
}) {
  if (props.left?.type === 'skipped') return <Line row={props.left} side="both" onUnfold={props.onUnfold} />;
  return (
    <div className="diff-pair">
      <Line row={props.left} side="old" onUnfold={props.onUnfold} />
      <Line row={props.right} side="new" onUnfold={props.onUnfold} />
    </div>
  );
}

function Line(props: {
  readonly row: DiffRow | undefined;
  readonly side: 'old' | 'new' | 'both';
  readonly onUnfold: () => void;
}) {
  const { row, side } = props;
  if (row === undefined) return <div className="diff-row absent" />;
  if (row.type === 'skipped') {
    return (
      <button type="button" className="diff-row skipped" data-testid="diff-unfold" onClick={props.onUnfold}>
        <i>⋯</i>
        <u />
        <span>{formatNumber(Number(row.text))} unchanged</span>
      </button>
    );
  }
  return (
    <div className={`diff-row ${row.type}`}>
      <i>{side === 'old' ? row.oldLine : (row.newLine ?? row.oldLine)}</i>
      <u>{SIGNS[row.type]}</u>
      <span>
        <VisibleText text={row.text} multiline max={MAX_WIDTH_CHARACTERS} />
      </span>
    </div>
  );
}

/** The row of what somebody looks for: the first in the new text, else in the old; −1 for none. */
function useFoundRow(diff: LineDiff, { oldText, newText }: DiffTexts): number {
  const found = useFoundHere();
  return useMemo(() => {
    if (found === undefined) return -1;
    const needle = new Needle(found.needle);
    for (const [side, text, starts] of [
      ['new', newText, diff.newStarts],
      ['old', oldText, diff.oldStarts],
    ] as const) {
      const [place] = needle.places(text, 1);
      if (place !== undefined) return rowOfLine(diff, side, lineAt(starts, place.start));
    }
    return -1;
  }, [found, diff, oldText, newText]);
}

/** The line that holds this offset. */
function lineAt(starts: Uint32Array, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function longestLine({ oldStarts, newStarts }: LineDiff): number {
  let longest = 0;
  for (const starts of [oldStarts, newStarts])
    for (let line = 1; line < starts.length; line++)
      longest = Math.max(longest, (starts[line] ?? 0) - (starts[line - 1] ?? 0));
  return longest;
}
