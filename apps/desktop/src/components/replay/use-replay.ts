import { applyPatch, type ReplayLine, type Transcript } from '@heliograph/transcript';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { LinePlace } from '../../line-place.ts';
import { findAgent } from '../../store/desktop-store.ts';
import type { Asked } from '../../store/reader.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import type { ReaderAnswer, ReplayMark } from '../../worker/reader-protocol.ts';
import { useDesktop } from '../use-desktop.ts';

/** A session as it was after so many of its lines. */
export interface Past {
  readonly position: number;
  readonly line: ReplayLine | undefined;
  readonly transcript: Transcript;
}

export interface Replay {
  readonly isOpen: boolean;
  /** The position that is now. */
  readonly length: number;
  readonly prepared: number;
  readonly marks: readonly ReplayMark[];
  /** undefined: the present is shown. */
  readonly past: Past | undefined;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly open: () => void;
  readonly close: () => void;
  readonly goLive: () => void;
  readonly seek: (to: number | LinePlace) => void;
  readonly step: (by: 1 | -1) => void;
  readonly togglePlay: () => void;
  readonly setSpeed: (speed: number) => void;
  /** More of what is missing in the past before this item. */
  readonly more: (before: { readonly turnId: string; readonly itemId: string }) => void;
}

const NOTHING = { length: 0, prepared: 0, marks: [] };

/** Goes through a session's past. `onShown` is told of every position shown; undefined: it came to the present by itself. */
export function useReplay(session: SessionRef, onShown: (past: Past | undefined) => void): Replay {
  const desktop = useDesktop();
  const asked = useRef<Asked>(undefined);
  /** One seek is under way at a time: a slider that is dragged waits for what it asked, and asks the newest next. */
  const seeking = useRef<{ next: number | undefined }>(undefined);
  const [extent, setExtent] = useState<Pick<Replay, 'length' | 'prepared' | 'marks'>>(NOTHING);
  const [isOpen, setOpen] = useState(false);
  const [past, setPast] = useState<Past>();
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  useEffect(() => () => asked.current?.stop(), []);

  const hear = useEffectEvent((answer: ReaderAnswer) => {
    if (answer.type === 'replay') setExtent(answer);
    if (answer.type !== 'past' || asked.current === undefined) return;
    const next = seeking.current?.next;
    seeking.current = undefined;
    setPlaying(answer.isPlaying);
    if (next !== undefined) send(next);
    if (answer.isNow) {
      setPast(undefined);
      return onShown(undefined);
    }
    const base = findAgent(desktop.store.getState(), session.agent)?.told.transcript(session.channelId);
    if (base === undefined) return;
    const { position, line, patch } = answer;
    const shown = { position, line, transcript: applyPatch(base, patch) };
    setPast(shown);
    // More of the same place is no reason to leave what is read.
    if (position !== past?.position) onShown(shown);
  });
  const ask = (): Asked => {
    asked.current ??= desktop.reader.ask({ type: 'replay', session }, (answer) => hear(answer));
    setOpen(true);
    return asked.current;
  };
  const send = (to: number | LinePlace) => {
    seeking.current = { next: undefined };
    ask().send({ type: 'seek', to });
  };
  const goLive = () => {
    asked.current?.send({ type: 'pause' });
    seeking.current = undefined;
    setPast(undefined);
    setPlaying(false);
  };
  const seek = (to: number | LinePlace) => {
    if (typeof to === 'number' && to >= extent.length) return goLive();
    if (seeking.current === undefined || typeof to !== 'number') send(to);
    else seeking.current.next = Math.max(0, to);
  };
  const play = (from: number, at: number) => {
    setPlaying(true);
    ask().send({ type: 'play', from, speed: at });
  };
  const more = useCallback<Replay['more']>((before) => void asked.current?.send({ type: 'more', before }), []);
  return {
    ...extent,
    isOpen,
    past,
    isPlaying,
    speed,
    open: () => void ask(),
    close() {
      goLive();
      asked.current?.stop();
      asked.current = undefined;
      setExtent(NOTHING);
      setOpen(false);
    },
    goLive,
    seek,
    step: (by) => seek(Math.max(0, (past?.position ?? extent.length) + by)),
    togglePlay() {
      if (!isPlaying) return play(past?.position ?? 0, speed);
      asked.current?.send({ type: 'pause' });
      setPlaying(false);
    },
    setSpeed(next) {
      setSpeed(next);
      if (isPlaying) play(past?.position ?? 0, next);
    },
    more,
  };
}
