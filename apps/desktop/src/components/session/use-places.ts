import type { CarriedTranscript, ItemHit, QuestionItem } from '@heliograph/transcript';
import { findRowOfItem, findRowOfLine, type Row, selectRows } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { type Find, useFindItems } from '../find/use-find.ts';
import type { Replay } from '../replay/use-replay.ts';
import type { Panes } from './use-panes.ts';

/** The ways to a place in a session, whether its past or its present is shown. */
export interface Places {
  readonly find: Find<ItemHit>;
  /** What became of a line. */
  readonly showLine: (stream: string, seq: number) => void;
  readonly showQuestion: (item: QuestionItem) => void;
}

export function usePlaces(options: {
  readonly session: SessionRef;
  /** As it is now. */
  readonly transcript: CarriedTranscript;
  /** What is shown. */
  readonly rows: readonly Row[];
  readonly replay: Replay;
  readonly panes: Panes;
}): Places {
  const { transcript, rows, replay, panes } = options;
  /** The present is a list of its own, which must be there first. */
  const showNow = (find: (rows: readonly Row[]) => number) => {
    replay.goLive();
    requestAnimationFrame(() => requestAnimationFrame(() => panes.showRow(find(selectRows(transcript)))));
  };
  /** Shows what may not have been there yet in the past that is shown: then in the present. */
  const show = (find: (rows: readonly Row[]) => number) => {
    const at = find(rows);
    if (at >= 0 || replay.past === undefined) panes.showRow(at);
    else showNow(find);
  };
  const find = useFindItems(options.session, {
    nearest(hits) {
      const from = panes.list.current?.firstShown() ?? 0;
      const at = hits.findIndex(({ turnId, itemId }) => findRowOfItem(rows, turnId, itemId) >= from);
      return Math.max(0, at);
    },
    show: ({ turnId, itemId }) => show((all) => findRowOfItem(all, turnId, itemId)),
  });
  return {
    find,
    showLine: (stream, seq) => show((all) => findRowOfLine(all, stream, seq)),
    // A question is answered in the present, wherever the reader is.
    showQuestion: (item) => showNow((all) => all.findIndex((row) => row.type === 'item' && row.item === item)),
  };
}
