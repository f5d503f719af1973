import type { PermissionOutcome, RequestedOption } from '@heliograph/wire';
import type { Choice } from './agent-request.ts';

/** What a `session/request_permission` can be answered by. */
export interface PermissionAsk {
  readonly kind: 'permission';
  readonly options: readonly RequestedOption[];
}

/** A request whose ids or options are over these can only be rejected. */
export const MAX_ID_LENGTH = 1_024;
const MAX_OPTIONS = 64;
const MAX_KIND_LENGTH = 64;

/** What a request is answered by, and no more of it than is held for it; a longer one keeps its ways to say no. */
export function readPermission(params: unknown): { readonly ask: PermissionAsk; readonly isBounded: boolean } {
  const offered = readOptions(params);
  const short = offered.filter(({ optionId }) => optionId.length <= MAX_ID_LENGTH);
  const isBounded = offered.length <= MAX_OPTIONS && short.length === offered.length;
  const options = isBounded ? short : short.filter(({ kind }) => kind?.startsWith('reject_')).slice(0, MAX_OPTIONS);
  return { ask: { kind: 'permission', options: options.map(withoutMore) }, isBounded };
}

/** The options of a request as far as they can be used: whatever has a textual optionId. */
export function readOptions(params: unknown): RequestedOption[] {
  const options = (params as { options?: unknown } | null | undefined)?.options;
  if (!Array.isArray(options)) return [];
  return options.filter(
    (option): option is RequestedOption => typeof (option as RequestedOption | null)?.optionId === 'string',
  );
}

/** Kinds that are none of ACP's are never acted on. */
function withoutMore({ optionId, kind }: RequestedOption): RequestedOption {
  return { optionId, ...(typeof kind === 'string' && kind.length <= MAX_KIND_LENGTH ? { kind } : {}) };
}

/** How a permission request is answered. */
export const permissionAnswers = {
  cancelled: { result: { outcome: { outcome: 'cancelled' } }, chosen: {} } as Choice,

  /** Only ever once, and only what says so itself; undefined without it. */
  allowed({ options }: PermissionAsk): Choice | undefined {
    const option = options.find(({ kind }) => kind === 'allow_once');
    return option === undefined ? undefined : select(option);
  },

  rejected({ options }: PermissionAsk): Choice {
    const option = options.find(({ kind }) => kind === 'reject_once');
    return option === undefined ? permissionAnswers.cancelled : select(option);
  },

  choose(
    { options }: PermissionAsk,
    optionId: string,
    confirmed: boolean,
    actionable: boolean,
  ): Choice | { readonly reason: string } {
    const option = options.find((offered) => offered.optionId === optionId);
    if (option === undefined) return { reason: 'this option was not offered' };
    const isRejection = option.kind === 'reject_once' || option.kind === 'reject_always';
    // Who can't see what exactly is asked may say no, not yes.
    if (!actionable && !isRejection) return { reason: 'this can only be chosen where the whole request can be seen' };
    if (option.kind === 'allow_always' && !confirmed) return { reason: 'an option that holds for good needs confirm' };
    return select(option);
  },
};

function select({ optionId }: RequestedOption): Choice {
  const outcome: PermissionOutcome = { outcome: 'selected', optionId };
  return { result: { outcome }, chosen: { optionId } };
}
