/**
 * Whether an update says that the agent gives its turn up (true), or goes on with it (false); undefined where it says neither. codex
 * tells that in `_meta` alone, and then answers the prompt as if it were done. Pure.
 */
export function readGaveUp(update: unknown): boolean | undefined {
  const { _meta } = (update ?? {}) as { readonly _meta?: { readonly codex?: unknown } | null };
  const { threadStatus } = (_meta?.codex ?? {}) as { readonly threadStatus?: { readonly type?: unknown } | null };
  if (threadStatus?.type === 'systemError') return true;
  return threadStatus?.type === 'active' ? false : undefined;
}
