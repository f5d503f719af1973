import type { RawLine, SeqRange } from '@heliograph/transcript';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search, X } from 'lucide-react';
import { type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { sessionLines } from '../../store/raw-files.ts';
import { coversLine } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { formatNumber } from '../../text/human.ts';
import { ScrollRegion } from '../content/ScrollRegion.tsx';
import { FindBar } from '../find/FindBar.tsx';
import { useFindLines } from '../find/use-find.ts';
import { useHighlights } from '../find/use-highlights.ts';
import { useFollowEnd } from '../transcript/use-follow-end.ts';
import { useTranscript } from '../use-desktop.ts';
import { DownloadLines } from './DownloadLines.tsx';
import { RawLineRow } from './RawLineRow.tsx';

const ROW_HEIGHT_PX = 42;

export interface RawRailHandle {
  /** Marks the lines of these ranges and shows the first of them. */
  show(refs: readonly SeqRange[]): void;
  /** Marks nothing any more and follows the newest line. */
  toEnd(): void;
  /** Opens the search for exact text. */
  find(): void;
}

/** Every line of a session, exactly as written, beside what was made of it. */
export function RawRail(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  /** The request that waits for an answer. */
  readonly asked: readonly SeqRange[];
  readonly handle: Ref<RawRailHandle>;
  readonly onShowItem: (stream: string, seq: number) => void;
  /** Shows the session as it was when this line went by. */
  readonly onShowThen: (stream: string, seq: number) => void;
  readonly onClose: () => void;
}) {
  const { agent, session } = props;
  const { log } = agent.fold;
  const streams = useTranscript(session, (transcript) => transcript.streams);
  const run = agent.presence?.run ?? agent.fold.agent().run;
  const lines = useMemo(
    () => sessionLines(log, streams, run, session.channelId),
    [log, streams, run, session.channelId],
  );
  const [marked, setMarked] = useState<readonly SeqRange[]>([]);
  const [open, setOpen] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { leave, toEnd, scrollToFn } = useFollowEnd(scroller, content, lines.length);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 12,
    paddingStart: 6,
    paddingEnd: 12,
    anchorTo: 'end',
    scrollToFn,
  });
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
        hits.findIndex(({ stream, seq }) => lines.indexOf(stream, seq) >= from),
      );
    },
    show({ stream, seq }) {
      const index = lines.indexOf(stream, seq);
      const line = lines.at(index);
      if (line !== undefined) setOpen(keyOf(line));
      showLine(index);
    },
  });
  const { needle = '', hit } = find;
  const foundAt = hit === undefined ? -1 : lines.indexOf(hit.stream, hit.seq);
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
      if (first !== undefined) showLine(lines.indexOf(first.stream, first.first));
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
        <DownloadLines agent={agent} session={session} />
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
          {virtualizer.getVirtualItems().map((virtual) => {
            const line = lines.at(virtual.index);
            if (line === undefined) return null;
            const key = keyOf(line);
            const isFound = virtual.index === foundAt;
            return (
              <div
                key={virtual.key}
                ref={virtualizer.measureElement}
                data-index={virtual.index}
                data-found={isFound ? '' : undefined}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${virtual.start}px)` }}
              >
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
                  isOpen={open === key}
                  onToggle={() => setOpen(open === key ? undefined : key)}
                  onShowItem={() => props.onShowItem(line.stream, line.seq)}
                  onShowThen={() => props.onShowThen(line.stream, line.seq)}
                />
              </div>
            );
          })}
        </div>
      </ScrollRegion>
    </aside>
  );
}

function keyOf(line: RawLine): string {
  return `${line.stream}/${line.seq}/${line.timestamp}`;
}
