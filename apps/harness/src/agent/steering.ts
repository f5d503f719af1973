import type { ContentBlock } from '@heliograph/wire';
import type { RpcAnswer } from './acp-client.ts';

/** What an agent told that decides how it can be spoken to during a turn. */
export interface SteeringFacts {
  readonly initializeResult: unknown;
  readonly sessionId: string | null;
  /** goose: the run it said it is in (`session_info_update`, `_meta.goose.activeRunId`). */
  readonly activeRunId: string | undefined;
}

/** The request that hands a prompt to the turn that is open, undefined where the agent does not offer one. */
export function steerRequest(
  { initializeResult, sessionId, activeRunId }: SteeringFacts,
  prompt: readonly ContentBlock[],
): { readonly method: string; readonly params: object } | undefined {
  if (activeRunId !== undefined) {
    return { method: '_goose/unstable/session/steer', params: { sessionId, expectedRunId: activeRunId, prompt } };
  }
  const meta = (initializeResult as { _meta?: { steering?: { supported?: unknown } } } | null | undefined)?._meta;
  if (meta?.steering?.supported !== true) return undefined;
  return { method: '_session/steering', params: { sessionId, prompt } };
}

/** Whether the agent took it; an answer that does not say so (some answer unknown methods with `{}`) means no. */
export function wasSteered(method: string, answer: RpcAnswer): boolean {
  if (answer.type !== 'result') return false;
  if (method !== '_session/steering') return true;
  const { outcome } = (answer.result ?? {}) as { outcome?: unknown };
  return outcome === 'injected' || outcome === 'startedNewTurn';
}

/** The run goose says it is in, null when it says that it is in none, undefined when it says nothing about it. */
export function readActiveRun(update: unknown): string | null | undefined {
  const meta = (update as { _meta?: { goose?: { activeRunId?: unknown } } } | null | undefined)?._meta?.goose;
  if (meta === undefined || meta === null || !Object.hasOwn(meta, 'activeRunId')) return undefined;
  return typeof meta.activeRunId === 'string' ? meta.activeRunId : null;
}
