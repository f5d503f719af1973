import type { PushCall } from '@heliograph/wire';
import type { FleetEntry, FleetGroup } from './fleet.ts';

/**
 * The session of the agent that called which the call is about, as far as a call says: the first that waits for the owner
 * or has failed, where it called for that, else the one that was active last. Undefined while none is known. Pure.
 */
export function calledSession(groups: readonly FleetGroup[], { agent, reason }: PushCall): FleetEntry | undefined {
  const entries = groups.flatMap((group) => group.entries).filter(({ ref }) => ref.agent === agent);
  const isAsked = (entry: FleetEntry) => reason === entry.asks;
  const isFailed = (entry: FleetEntry) => reason === 'failed' && entry.status === 'failed';
  const newest = entries.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0))[0];
  return entries.find(isAsked) ?? entries.find(isFailed) ?? newest;
}
