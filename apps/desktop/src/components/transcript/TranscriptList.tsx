import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Row } from '../../store/rows.ts';
import { type FoundHere, FoundHereContext } from '../find/found-context.ts';
import { useHighlights } from '../find/use-highlights.ts';
import { NARROW, useMedia } from '../parts/use-media.ts';
import { useIsPast } from '../replay/past-context.ts';
import { NearContext } from './near-context.ts';
import { RowGuard } from './RowGuard.tsx';
import { estimateRowHeight, RowView } from './RowView.tsx';
import { useFollowEnd } from './use-follow-end.ts';
import { useNear } from './use-near.ts';

export interface TranscriptListHandle {
  /** The first row that can be read now. */
  firstShown(): number;
  showRow(index: number): void;
  toStart(): void;
  toEnd(): void;
}

/**
 * The transcript as a virtual list. It follows the end only for a reader who is there; for everybody else nothing moves,
 * and a button tells how much is new below.
 */
export function TranscriptList(props: {
  readonly rows: readonly Row[];
  readonly agent: string;
  readonly channelId: string | null;
  readonly cwd: string | undefined;
  readonly isLive: boolean;
  readonly runningTurnId: string | undefined;
  readonly handle: Ref<TranscriptListHandle>;
  /** Whether the reader is at the end. */
  readonly onFollow: (isAtEnd: boolean) => void;
  /** What somebody looks for, '' for nobody; `foundRow` is the row they jumped to. */
  readonly needle: string;
  readonly foundRow: number;
  readonly found: FoundHere | undefined;
}) {
  const { rows } = props;
  const isPast = useIsPast();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { leftAtCount, leave, toEnd, scrollToFn } = useFollowEnd(scroller, content, rows.length);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimateRowHeight(rows[index] as Row),
    getItemKey: (index) => (rows[index] as Row).key,
    // Of what grows under who follows it hardly more is drawn than is seen.
    overscan: leftAtCount === undefined && props.runningTurnId !== undefined ? 2 : 6,
    paddingStart: 20,
    paddingEnd: 12,
    scrollPaddingStart: 8,
    anchorTo: 'end',
    // Somebody who scrolls sees rows at once; a list that follows its end by itself is drawn with what came.
    useFlushSync: leftAtCount !== undefined,
    scrollToFn,
  });
  useHighlights(scroller, {
    needle: props.needle,
    exact: false,
    name: 'found',
    hit: props.found === undefined ? undefined : rows[props.foundRow]?.key,
  });
  /** The row somebody was led to, marked until they press anywhere in the list or leave the place. */
  const [ledTo, setLedTo] = useState<string>();
  useImperativeHandle(props.handle, () => ({
    firstShown() {
      const top = virtualizer.scrollOffset ?? 0;
      return virtualizer.getVirtualItems().find(({ end }) => end > top)?.index ?? 0;
    },
    showRow(index) {
      leave();
      setLedTo(rows[index]?.key);
      virtualizer.scrollToIndex(index, { align: 'center' });
      // How tall it is is known once it is drawn: what doesn't fit is read from its beginning.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          const { size = 0 } = virtualizer.measurementsCache[index] ?? {};
          if (size > (scroller.current?.clientHeight ?? 0)) virtualizer.scrollToIndex(index, { align: 'start' });
        }),
      );
    },
    toStart() {
      leave();
      setLedTo(undefined);
      virtualizer.scrollToIndex(0, { align: 'start' });
    },
    toEnd,
  }));

  const isNarrow = useMedia(NARROW);
  const near = useNear((index) => rows[index]?.key);
  const isAtEnd = leftAtCount === undefined;
  const { onFollow } = props;
  useEffect(() => onFollow(isAtEnd), [onFollow, isAtEnd]);
  /** The newest row there was when the reader left the end: earlier ones that come are not new. */
  const leftAfter = useRef<string>(undefined);
  useEffect(() => {
    if (isAtEnd) leftAfter.current = rows.at(-1)?.key;
  });
  const fresh = isAtEnd ? 0 : rows.length - 1 - rows.findLastIndex(({ key }) => key === leftAfter.current);
  return (
    <div className={`relative min-h-0 flex-1 ${isPast ? 'past' : ''}`}>
      <div
        ref={scroller}
        className="transcript-scroll h-full overflow-y-auto overscroll-contain"
        data-testid="transcript"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        {...near.listeners}
        onPointerDown={() => setLedTo(undefined)}
        onKeyDown={(event) => {
          if (event.key === 'End' && event.target === event.currentTarget) toEnd();
        }}
      >
        <div ref={content} className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((virtual) => {
            const row = rows[virtual.index];
            if (row === undefined) return null;
            return (
              <div
                key={virtual.key}
                ref={virtualizer.measureElement}
                data-index={virtual.index}
                data-testid="row"
                data-turn={row.turn.id}
                data-found={virtual.index === props.foundRow ? '' : undefined}
                data-led-to={row.key === ledTo ? '' : undefined}
                className="transcript-row"
                style={{ transform: `translateY(${virtual.start}px)` }}
              >
                <FoundHereContext value={virtual.index === props.foundRow ? props.found : undefined}>
                  <NearContext value={isNarrow || near.isNear(row.key)}>
                    <RowGuard>
                      <RowView
                        row={row}
                        agent={props.agent}
                        channelId={props.channelId}
                        cwd={props.cwd}
                        isRunning={row.turn.id === props.runningTurnId}
                        isLive={props.isLive}
                      />
                    </RowGuard>
                  </NearContext>
                </FoundHereContext>
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          className="btn absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-md"
          data-testid="to-latest"
          onClick={toEnd}
        >
          <ArrowDown size={14} strokeWidth={1.7} aria-hidden="true" />
          {fresh > 0 ? `${fresh} new` : 'Latest'}
        </button>
      )}
    </div>
  );
}
