import { exitCodeOf } from './headline.ts';
import type { Item, PermissionItem, ToolItem } from './model.ts';

/** A call that was not carried out: `Not run:` and `rejected by the owner`. */
export interface RefusedHeadline {
  readonly verb: string;
  readonly outcome: string;
}

/** What somebody said no to: the call was not carried out. */
const REFUSALS = new Set(['rejected', 'timed_out', 'cancelled', 'expired', 'withdrawn', 'aborted']);

const NOT_DONE: Readonly<Record<string, string>> = {
  execute: 'Not run:',
  edit: 'Not edited:',
  delete: 'Not deleted:',
  move: 'Not moved:',
  read: 'Not read:',
  fetch: 'Not fetched:',
};
const REFUSERS: Readonly<Record<string, string>> = {
  client: 'rejected in the editor',
  policy: 'rejected by the policy',
  harness: 'rejected by the harness',
};
const UNANSWERED: Readonly<Record<string, string>> = {
  timed_out: 'nobody answered in time',
  cancelled: 'cancelled before an answer',
  expired: 'nobody answered',
  withdrawn: 'the agent took its question back',
  aborted: 'the agent ended before an answer',
};

/** The no to a call that ended without a sign that it ran; `about`: what was asked of this call in its turn. */
export function selectRefusal(item: ToolItem, about: readonly Item[]): PermissionItem | undefined {
  if (item.status !== 'failed' && item.status !== 'cancelled' && item.status !== 'unfinished') return undefined;
  if (exitCodeOf(item) !== undefined || (item.terminal?.output ?? '') !== '') return undefined;
  const asked = about.findLast((one): one is PermissionItem => one.kind === 'permission');
  const { decision } = asked ?? {};
  if (asked === undefined || decision === undefined) return undefined;
  const option = asked.options.find(({ optionId }) => optionId === decision.optionId);
  const isNo = option === undefined ? REFUSALS.has(decision.reason) : option.kind.startsWith('reject');
  return isNo ? asked : undefined;
}

/** What was not done, and who or what said no; `owner`: what its readers call the owner. */
export function refusedHeadline(item: ToolItem, refusal: PermissionItem, owner: string): RefusedHeadline {
  const { reason = '', decidedBy, optionId } = refusal.decision ?? {};
  const who = decidedBy?.who ?? '';
  const refuser = who === 'owner' ? `rejected by ${owner}` : own(REFUSERS, who);
  const unanswered = optionId === undefined ? own(UNANSWERED, reason) : undefined;
  return { verb: own(NOT_DONE, item.toolKind) ?? 'Not done:', outcome: unanswered ?? refuser ?? 'rejected' };
}

function own(words: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(words, key) ? words[key] : undefined;
}
