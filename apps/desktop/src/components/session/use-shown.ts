import { useEffect, useMemo, useRef } from 'react';
import type { Asked } from '../../store/reader.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import type { ItemPlace } from '../../worker/reader-protocol.ts';
import { useDesktop } from '../use-desktop.ts';

/** A session that is looked at: how the worker is told what of it is to be here. */
export interface Shown {
  /** Away from its end nothing that is shown goes. */
  readonly follow: (isAtEnd: boolean) => void;
  /** More of what is missing before this item. */
  readonly more: (before: { readonly turnId: string; readonly itemId: string }) => void;
  /** Fulfilled once the item is here, if it is anywhere. */
  readonly reach: (place: ItemPlace) => Promise<void>;
}

export function useShown({ agent, channelId }: SessionRef): Shown {
  const { reader } = useDesktop();
  const asked = useRef<Asked>(undefined);
  const reached = useRef(new Map<number, () => void>());
  useEffect(() => {
    asked.current = reader.ask({ type: 'show', session: { agent, channelId } }, (answer) => {
      if (answer.type !== 'reached') return;
      reached.current.get(answer.ask)?.();
      reached.current.delete(answer.ask);
    });
    return asked.current.stop;
  }, [reader, agent, channelId]);
  return useMemo(() => {
    let lastAsk = 0;
    return {
      follow: (isAtEnd) => asked.current?.send({ type: 'follow', isAtEnd }),
      more: (before) => asked.current?.send({ type: 'more', before }),
      reach: (place) =>
        new Promise((resolve) => {
          const ask = ++lastAsk;
          reached.current.set(ask, resolve);
          asked.current?.send({ type: 'reach', ask, place });
        }),
    };
  }, []);
}
