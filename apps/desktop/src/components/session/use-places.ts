import type { ItemHit, QuestionItem } from '@heliograph/transcript';
import { findAgent } from '../../store/desktop-store.ts';
import { findRowOfItem, findRowOfLine, type Row, selectRows } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import type { ItemPlace } from '../../worker/reader-protocol.ts';
import { type Find, useFindItems } from '../find/use-find.ts';
import type { Replay } from '../replay/use-replay.ts';
import { useDesktop } from '../use-desktop.ts';
import type { Panes } from './use-panes.ts';
import type { Shown } from './use-shown.ts';

/** The ways to a place in a session, whether its past or its present is shown, however far from what is read. */
export interface Places {
  readonly find: Find<ItemHit>;
  readonly showItem: (itemId: string) => void;
  /** What became of a line. */
  readonly showLine: (stream: string, seq: number) => void;
  readonly showQuestion: (item: QuestionItem) => void;
  readonly showStart: () => void;
}

export function usePlaces(options: {
  readonly session: SessionRef;
  /** What is shown. */
  readonly rows: readonly Row[];
  readonly replay: Replay;
  readonly panes: Panes;
  readonly shown: Shown;
}): Places {
  const { session, rows, replay, panes, shown } = options;
  const desktop = useDesktop();
  /** The present is a list of its own, which must be there first. */
  const showNow = (find: (rows: readonly Row[]) => number) => {
    replay.goLive();
    const told = findAgent(desktop.store.getState(), session.agent)?.told.transcript(session.channelId);
    const at = told === undefined ? -1 : find(selectRows(told));
    requestAnimationFrame(() => requestAnimationFrame(() => panes.showRow(at)));
  };
  /** Shows what may not have been there yet in the past that is shown, or is not here now: then in the present, once it came. */
  const show = (find: (rows: readonly Row[]) => number, place: ItemPlace) => {
    const at = find(rows);
    if (at >= 0) panes.showRow(at);
    else void shown.reach(place).then(() => showNow(find));
  };
  const find = useFindItems(session, {
    nearest(hits) {
      const from = panes.list.current?.firstShown() ?? 0;
      const at = hits.findIndex(({ turnId, itemId }) => findRowOfItem(rows, turnId, itemId) >= from);
      return Math.max(0, at);
    },
    show: ({ turnId, itemId }) => show((all) => findRowOfItem(all, turnId, itemId), { turnId, itemId }),
  });
  return {
    find,
    showItem: (itemId) =>
      show((all) => all.findLastIndex((row) => row.type === 'item' && row.item.id === itemId), { itemId }),
    showLine: (stream, seq) => show((all) => findRowOfLine(all, stream, seq), { stream, seq }),
    // A question is answered in the present, wherever the reader is.
    showQuestion: (item) => showNow((all) => all.findIndex((row) => row.type === 'item' && row.item === item)),
    showStart() {
      panes.list.current?.toStart();
      if (replay.past !== undefined) return;
      void shown.reach('first').then(() => requestAnimationFrame(() => panes.list.current?.toStart()));
    },
  };
}
