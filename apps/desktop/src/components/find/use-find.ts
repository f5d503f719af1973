import type { ItemHit } from '@heliograph/transcript';
import { useEffect, useEffectEvent, useState } from 'react';
import type { LinePlace } from '../../line-place.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import type { FoundLine } from '../../worker/reader-protocol.ts';
import { useDesktop } from '../use-desktop.ts';

interface Found<Hit> {
  readonly count: number;
  readonly hits: readonly Hit[];
  readonly isDone: boolean;
}

/** A search under way: what is looked for, what was found, and the place that was jumped to. */
export interface Find<Hit> {
  /** undefined: nobody is searching. */
  readonly needle: string | undefined;
  readonly found: Found<Hit>;
  readonly hit: Hit | undefined;
  readonly at: number;
  readonly setNeedle: (needle: string) => void;
  readonly open: () => void;
  readonly close: () => void;
  readonly toggle: () => void;
  readonly step: (by: 1 | -1) => void;
}

const NOTHING = { count: 0, hits: [], isDone: false };

/**
 * Looks for something and steps from hit to hit, round and round. The first jump is to `nearest` of what was found; `show`
 * is told of each. A hit stays the same while more is found around it.
 */
function useSearch<Hit>(options: {
  readonly search: (needle: string, tell: (found: Found<Hit>) => void) => () => void;
  /** What makes it another search. */
  readonly of: string;
  readonly isSame: (a: Hit, b: Hit) => boolean;
  readonly nearest: (hits: readonly Hit[]) => number;
  readonly show: (hit: Hit) => void;
}): Find<Hit> {
  const [needle, setNeedle] = useState<string>();
  const [found, setFound] = useState<Found<Hit>>(NOTHING);
  const [hit, setHit] = useState<Hit>();
  const jump = (to: Hit | undefined) => {
    setHit(to);
    if (to !== undefined) options.show(to);
  };
  const search = useEffectEvent((wanted: string, tell: (found: Found<Hit>) => void) => options.search(wanted, tell));
  const tell = useEffectEvent((next: Found<Hit>) => {
    setFound(next);
    if (hit === undefined && next.hits.length > 0) jump(next.hits[options.nearest(next.hits)]);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session is another search
  useEffect(() => {
    if (needle === undefined || needle === '') return undefined;
    return search(needle, (next) => tell(next));
  }, [needle, options.of]);
  const at = hit === undefined ? -1 : found.hits.findIndex((one) => options.isSame(one, hit));
  const begin = (next: string | undefined) => {
    setNeedle(next);
    setFound(NOTHING);
    setHit(undefined);
  };
  return {
    needle,
    found,
    hit,
    at,
    setNeedle: begin,
    open: () => begin(needle ?? ''),
    close: () => begin(undefined),
    toggle: () => begin(needle === undefined ? '' : undefined),
    step(by) {
      const { hits } = found;
      if (hits.length === 0) return;
      if (at < 0) return jump(hits[options.nearest(hits)]);
      jump(hits[(at + by + hits.length) % hits.length]);
    },
  };
}

const isSameItem = (a: ItemHit, b: ItemHit) => a.itemId === b.itemId && a.turnId === b.turnId;

/** Looks through everything a session's transcript holds. */
export function useFindItems(
  session: SessionRef,
  options: { readonly nearest: (hits: readonly ItemHit[]) => number; readonly show: (hit: ItemHit) => void },
): Find<ItemHit> {
  const { reader } = useDesktop();
  return useSearch({
    ...options,
    of: `${session.agent}/${session.channelId}`,
    isSame: isSameItem,
    search: (needle, tell) =>
      reader.ask({ type: 'search', session, needle }, (answer) => {
        if (answer.type === 'found') tell({ ...answer.found, isDone: answer.isDone });
      }).stop,
  });
}

const isSameLine = (a: LinePlace, b: LinePlace) => a.seq === b.seq && a.stream === b.stream;

/** Looks through a session's raw lines for exactly what is written. */
export function useFindLines(
  session: SessionRef,
  run: string | undefined,
  options: { readonly nearest: (hits: readonly FoundLine[]) => number; readonly show: (hit: FoundLine) => void },
): Find<FoundLine> {
  const { reader } = useDesktop();
  return useSearch({
    ...options,
    of: `${session.agent}/${session.channelId}/${run}`,
    isSame: isSameLine,
    search: (needle, tell) =>
      reader.ask({ type: 'search-lines', session, run, needle }, (answer) => {
        if (answer.type === 'found-lines') tell({ ...answer.found, isDone: answer.isDone });
      }).stop,
  });
}
