import { isHex64, PUSH_REASONS, type PushCall } from '@heliograph/wire';

/** The address that opens the page where it was called from: an agent and why, no key, in the fragment. Pure. */
export function callLink(page: string, { agent, reason }: PushCall): string {
  return `${page}#${new URLSearchParams([
    ['agent', agent],
    ['reason', reason],
  ])}`;
}

/** The call in a page's fragment (without `#`), if one is there. Pure. */
export function readCallLink(fragment: string): PushCall | undefined {
  const parts = new URLSearchParams(fragment);
  return readCall({ agent: parts.get('agent'), reason: parts.get('reason') });
}

/** A call out of anything that may be one. Pure. */
export function readCall(value: unknown): PushCall | undefined {
  const { agent, reason } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const known = [...PUSH_REASONS, 'test'] as const;
  const said = known.find((one) => one === reason);
  return isHex64(agent) && said !== undefined ? { agent, reason: said } : undefined;
}
