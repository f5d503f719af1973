import type { PushReason } from '@heliograph/wire';
import type { FleetEntry, FleetGroup } from './fleet.ts';
import { sessionKey } from './session-ref.ts';

/** One call for the owner, about one session. */
export interface SessionNotice {
  readonly kind: PushReason;
  readonly entry: FleetEntry;
}

/** How each session stood when it was last looked at. */
export type SeenStatus = ReadonlyMap<string, Standing>;
type Standing = Pick<FleetEntry, 'status' | 'asks'>;

/** What changed since the last look, and how things stand; what is there at the first look is no news. Pure. */
export function noticesSince(
  seen: SeenStatus | undefined,
  groups: readonly FleetGroup[],
): { readonly notices: readonly SessionNotice[]; readonly seen: SeenStatus } {
  const entries = groups.flatMap((group) => group.entries);
  const now = new Map(entries.map((entry) => [sessionKey(entry.ref), entry] as const));
  const notices = entries.flatMap((entry): readonly SessionNotice[] => {
    const before = seen?.get(sessionKey(entry.ref));
    const kind = before === undefined ? undefined : kindOf(before, entry);
    return kind === undefined ? [] : [{ kind, entry }];
  });
  return { notices, seen: now };
}

function kindOf(before: Standing, now: Standing): PushReason | undefined {
  if (now.status === 'needs') return before.asks === now.asks ? undefined : now.asks;
  if (before.status === now.status) return undefined;
  if (now.status === 'failed') return 'failed';
  if (now.status === 'off') return 'offline';
  return now.status === 'quiet' && (before.status === 'running' || before.status === 'needs') ? 'ended' : undefined;
}
