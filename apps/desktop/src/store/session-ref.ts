/** One conversation of one agent; `channelId: null` is what the harness says outside any conversation. */
export interface SessionRef {
  readonly agent: string;
  readonly channelId: string | null;
}

/** A ref as one text, for keys. */
export function sessionKey(ref: SessionRef): string {
  return `${ref.agent}/${ref.channelId ?? ''}`;
}

export function sameSession(a: SessionRef | undefined, b: SessionRef | undefined): boolean {
  return a?.agent === b?.agent && a?.channelId === b?.channelId;
}
