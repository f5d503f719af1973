import { useEffect, useRef, useState } from 'react';
import type { LinePlace } from '../../line-place.ts';
import { LineWindow } from '../../store/line-window.ts';
import { OpenAnswers } from '../../store/open-answers.ts';
import type { Asked } from '../../store/reader.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { useDesktop } from '../use-desktop.ts';

/** A session's raw lines by index, read from the worker where somebody looks. */
export interface Lines {
  readonly window: LineWindow;
  /** These are about to be looked at. */
  readonly want: (first: number, last: number) => void;
  /** Where a line stands now, −1 when it is not here. */
  readonly indexOf: (line: LinePlace) => Promise<number>;
}

export function useLines(session: SessionRef, run: string | undefined): Lines {
  const { reader } = useDesktop();
  const { agent, channelId } = session;
  const [window, setWindow] = useState(() => new LineWindow());
  const [, setTold] = useState<object>();
  const asked = useRef<Asked>(undefined);
  const [places] = useState(() => new OpenAnswers(-1));
  useEffect(() => {
    const fresh = new LineWindow();
    setWindow(fresh);
    asked.current = reader.ask({ type: 'lines', session: { agent, channelId }, run }, (answer) => {
      if (answer.type === 'lines') {
        fresh.take(answer);
        setTold(answer);
      }
      if (answer.type === 'line-place') places.answer(answer.ask, answer.index);
    });
    const { stop } = asked.current;
    return () => {
      stop();
      asked.current = undefined;
      places.end();
    };
  }, [reader, agent, channelId, run, places]);
  return {
    window,
    want(first, last) {
      const missing = window.missing(first, last);
      if (missing !== undefined) asked.current?.send({ type: 'read-lines', ...missing });
    },
    indexOf: (line) => places.ask((ask) => asked.current?.send({ type: 'place-line', ask, line })),
  };
}
