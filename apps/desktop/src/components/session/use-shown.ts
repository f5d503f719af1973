import { useEffect, useMemo, useRef, useState } from 'react';
import { OpenAnswers } from '../../store/open-answers.ts';
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
  /** Fulfilled once the item is here, if it is anywhere, and when the session is left. */
  readonly reach: (place: ItemPlace) => Promise<void>;
}

export function useShown({ agent, channelId }: SessionRef): Shown {
  const { reader } = useDesktop();
  const asked = useRef<Asked>(undefined);
  const [reached] = useState(() => new OpenAnswers<void>(undefined));
  useEffect(() => {
    asked.current = reader.ask({ type: 'show', session: { agent, channelId } }, (answer) => {
      if (answer.type === 'reached') reached.answer(answer.ask);
    });
    const { stop } = asked.current;
    return () => {
      stop();
      asked.current = undefined;
      reached.end();
    };
  }, [reader, agent, channelId, reached]);
  return useMemo(
    () => ({
      follow: (isAtEnd) => void asked.current?.send({ type: 'follow', isAtEnd }),
      more: (before) => void asked.current?.send({ type: 'more', before }),
      reach: (place) => reached.ask((ask) => asked.current?.send({ type: 'reach', ask, place })),
    }),
    [reached],
  );
}
