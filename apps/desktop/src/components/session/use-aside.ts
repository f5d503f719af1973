import { canBeAside, isAside, putAside, takeBack } from '../../store/aside.ts';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { selectFleet } from '../../store/fleet.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Puts a session out of the way on this device, until something comes in it; its harness is not told. */
export function useAside(agent: AgentRecord, channelId: string) {
  const desktop = useDesktop();
  const seen = useDesktopState((state) => state.seen);
  const entries = selectFleet([agent]).flatMap((group) => group.entries);
  const entry = entries.find(({ ref }) => ref.channelId === channelId);
  if (entry === undefined || !canBeAside(entry)) return undefined;
  const isOff = isAside(seen, entry.ref, entry.at ?? 0);
  return {
    label: isOff ? 'Take this session back' : 'Put this session aside on this device',
    run: () =>
      desktop.setSeen((marks) => (isOff ? takeBack(marks, entry.ref) : putAside(marks, entry.ref, entry.at ?? 0))),
  };
}
