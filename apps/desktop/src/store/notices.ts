import type { FleetEntry, FleetGroup, FleetStatus } from './fleet.ts';
import { sessionKey } from './session-ref.ts';

/** What an owner can be called for: a question waits, a turn ended, it failed, its machine is silent. */
export const NOTICE_KINDS = ['needs', 'ended', 'failed', 'offline'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One call for the owner, about one session. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly entry: FleetEntry;
}

/** How each session stood when it was last looked at. */
export type SeenStatus = ReadonlyMap<string, FleetStatus>;

/** What changed since the last look, and how things stand; what is there at the first look is no news. Pure. */
export function noticesSince(
  seen: SeenStatus | undefined,
  groups: readonly FleetGroup[],
): { readonly notices: readonly Notice[]; readonly seen: SeenStatus } {
  const entries = groups.flatMap((group) => group.entries);
  const now = new Map(entries.map((entry) => [sessionKey(entry.ref), entry.status]));
  const notices = entries.flatMap((entry): readonly Notice[] => {
    const before = seen?.get(sessionKey(entry.ref));
    const kind = before === undefined ? undefined : kindOf(before, entry.status);
    return kind === undefined ? [] : [{ kind, entry }];
  });
  return { notices, seen: now };
}

function kindOf(before: FleetStatus, now: FleetStatus): NoticeKind | undefined {
  if (before === now) return undefined;
  if (now === 'needs' || now === 'failed') return now;
  if (now === 'off') return 'offline';
  return now === 'quiet' && (before === 'running' || before === 'needs') ? 'ended' : undefined;
}
