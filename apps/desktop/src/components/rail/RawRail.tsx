import type { RawLine, SeqRange } from '@heliograph/transcript';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search, X } from 'lucide-react';
import { memo, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { LinePlace } from '../../line-place.ts';
import { coversLine } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { formatNumber } from '../../text/human.ts';
import { ScrollRegion } from '../content/ScrollRegion.tsx';
import { FindBar } from '../find/FindBar.tsx';
import { useFindLines } from '../find/use-find.ts';
import { useHighlights } from '../find/use-highlights.ts';
import { NARROW, useMedia } from '../parts/use-media.ts';
import { useFollowEnd } from '../transcript/use-follow-end.ts';
import { DownloadLines } from './DownloadLines.tsx';
import { RawLineRow } from './RawLineRow.tsx';
import { useLines } from './use-lines.ts';
import { useMeasuredRows } from './use-measured-rows.ts';

/** How tall most rows are, and on a phone all: one line. */
const [ROW_PX, NARROW_ROW_PX] = [25, 44];
/** When more than so many lines come at once, rows are shown others instead of being made anew. */
const MADE_AT_ONCE = 8;

export interface RawRailHandle {
  /** Marks the lines of these ranges and shows the first of them. */
  show(refs: readonly SeqRange[]): void;
  /** Marks nothing any more and follows the newest line. */
  toEnd(): void;
  /** Opens the search for exact text. */
  find(): void;
}

/** Every line of a session, exactly as written, beside what was made of it. */
export const RawRail = memo(function RawRail(props: {
  /** The agent's run that is now, whose own lines stand among those of the session. */
  readonly run: string | undefined;
  readonly session: SessionRef;
  /** The request that waits for an answer. */
  readonly asked: readonly SeqRange[];
  readonly handle: Ref<RawRailHandle>;
  readonly onShowItem: (stream: string, seq: number) => void;
  /** Shows the session as it was when this line went by. */
  readonly onShowThen: (stream: string, seq: number) => void;
  readonly onClose: () => void;
}) {
  const { session, run } = props;
  const { window: lines, want, indexOf } = useLines(session, run);
  const [marked, setMarked] = useState<readonly SeqRange[]>([]);
  const [open, setOpen] = useState<OpenLine>();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { leftAtCount, leave, toEnd, scrollToFn } = useFollowEnd(scroller, content, lines.length);
  const rowPx = useMedia(NARROW) ? NARROW_ROW_PX : ROW_PX;
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 6,
    paddingStart: 6,
    paddingEnd: 12,
    // Somebody who scrolls sees rows at once; a list that follows its end by itself is drawn with what came.
    useFlushSync: leftAtCount !== undefined,
    scrollToFn,
  });
  const drawn = virtualizer.getVirtualItems();
  const [first, last] = [drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? -1];
  // Who follows the end is shown the newest, which come by themselves: what lies before them is passed over, not asked for.
  const isPassing = leftAtCount === undefined && last < lines.length - 1;
  useEffect(() => {
    if (!isPassing) want(first, last);
  });
  const observeRow = useMeasuredRows(content, virtualizer);
  /** The index of the first row there is. It moves on under who follows the end; for a reader each line keeps its row. */
  const [base, setBase] = useState(0);
  if (leftAtCount === undefined && first - base > MADE_AT_ONCE) setBase(first);
  const showLine = (index: number) => {
    if (index < 0) return;
    leave();
    virtualizer.scrollToIndex(index, { align: 'center' });
  };
  const find = useFindLines(session, run, {
    nearest(hits) {
      const top = virtualizer.scrollOffset ?? 0;
      const from = virtualizer.getVirtualItems().find(({ end }) => end > top)?.index ?? 0;
      return Math.max(
        0,
        hits.findIndex(({ index }) => index >= from),
      );
    },
    show({ stream, seq }) {
      setOpen({ stream, seq });
      void indexOf({ stream, seq }).then(showLine);
    },
  });
  const { needle = '', hit } = find;
  useHighlights(scroller, {
    needle,
    exact: true,
    name: 'found-line',
    hit: hit === undefined ? undefined : `${hit.stream}/${hit.seq}`,
  });
  useImperativeHandle(props.handle, () => ({
    show(refs) {
      setMarked(refs);
      const [first] = refs;
      if (first !== undefined) void indexOf({ stream: first.stream, seq: first.first }).then(showLine);
    },
    toEnd() {
      setMarked([]);
      toEnd();
    },
    find: find.open,
  }));

  return (
    <aside
      className="flex h-full min-h-0 flex-col bg-ground"
      aria-label="Lines"
      data-testid="raw-rail"
      data-count={lines.length}
    >
      <header className="flex items-center gap-2 border-b border-line py-2.5 pr-2 pl-3.5">
        <b>Lines</b>
        <span className="text-s text-ink-3 tabular-nums">{formatNumber(lines.length)} · exact</span>
        <span className="ml-auto" />
        <button
          type="button"
          className="tab"
          aria-label="Search in the lines"
          title="Search in the lines"
          aria-pressed={find.needle !== undefined}
          data-testid="toggle-find-lines"
          onClick={find.toggle}
        >
          <Search size={14} strokeWidth={1.6} />
        </button>
        <DownloadLines run={run} session={session} />
        <button type="button" className="tab lg:hidden" aria-label="Close the lines" onClick={props.onClose}>
          <X size={16} strokeWidth={1.6} />
        </button>
      </header>
      <FindBar find={find} label="Search in the lines" placeholder="Exactly as it is written" testId="find-lines" />
      {lines.length === 0 && (
        <p className="p-3.5 text-s text-ink-2">
          No line is here yet. Each appears as it is, the moment it was written.
        </p>
      )}
      <ScrollRegion
        box={scroller}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain"
        label="Every line as it was written"
        testId="raw-lines"
      >
        <div ref={content} className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {drawn.map((virtual) => {
            const line = lines.at(virtual.index);
            const isFound = line !== undefined && line.stream === hit?.stream && line.seq === hit.seq;
            return (
              <div
                key={virtual.index - base}
                ref={observeRow}
                data-index={virtual.index}
                data-found={isFound ? '' : undefined}
                className="absolute top-0 left-0 w-full [contain:layout_style]"
                style={{ transform: `translateY(${virtual.start}px)` }}
              >
                {line === undefined ? (
                  <p className="px-3.5 py-1 text-s text-ink-3" data-testid="raw-line-awaited">
                    Line {formatNumber(virtual.index + 1)} is being read
                  </p>
                ) : (
                  <RawLineRow
                    line={line}
                    needle={isFound ? needle : ''}
                    mark={
                      coversLine(props.asked, line.stream, line.seq)
                        ? 'asked'
                        : coversLine(marked, line.stream, line.seq)
                          ? 'marked'
                          : 'none'
                    }
                    isOpen={isOpen(open, line)}
                    onToggle={() => setOpen(isOpen(open, line) ? undefined : line)}
                    onShowItem={() => props.onShowItem(line.stream, line.seq)}
                    onShowThen={() => props.onShowThen(line.stream, line.seq)}
                  />
                )}
              </div>
            );
          })}
        </div>
      </ScrollRegion>
    </aside>
  );
});

/** A line that is open; where its time is not known, by its place alone. */
interface OpenLine extends LinePlace {
  readonly timestamp?: string;
}

/** Lines of other implementations may share a place. */
function isOpen(open: OpenLine | undefined, line: RawLine): boolean {
  if (open?.stream !== line.stream || open.seq !== line.seq) return false;
  return open.timestamp === undefined || open.timestamp === line.timestamp;
}
