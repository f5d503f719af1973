import { emptyTranscript, type Transcript } from '@heliograph/transcript';
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Desktop } from '../store/desktop.ts';
import { type AgentRecord, type DesktopState, findAgent } from '../store/desktop-store.ts';
import type { SessionRef } from '../store/session-ref.ts';

const DesktopContext = createContext<Desktop | undefined>(undefined);

export const DesktopProvider = DesktopContext.Provider;

/** The page's desktop: fixed for its life. */
export function useDesktop(): Desktop {
  const desktop = useContext(DesktopContext);
  if (desktop === undefined) throw new TypeError('a component of the desktop stands outside DesktopProvider');
  return desktop;
}

/** A part of the state; `select` must return the same value while nothing it looks at changed. */
export function useDesktopState<T>(select: (state: DesktopState) => T): T {
  return useStore(useDesktop().store, select);
}

export function useAgent(publicKey: string | undefined): AgentRecord | undefined {
  return useDesktopState((state) => findAgent(state, publicKey));
}

const NOTHING = emptyTranscript(null);

/** A part of one session's transcript; of a session nothing is known of, of an empty one. */
export function useTranscript<T>(ref: SessionRef, select: (transcript: Transcript) => T): T {
  return useDesktopState((state) => select(findAgent(state, ref.agent)?.told.transcript(ref.channelId) ?? NOTHING));
}
