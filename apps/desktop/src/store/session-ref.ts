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

/** A ref out of a text; undefined where it is none. */
export function parseSessionRef(text: string | null): SessionRef | undefined {
  try {
    const { agent, channelId } = JSON.parse(text ?? 'null') as Partial<SessionRef>;
    return typeof agent === 'string' && typeof channelId === 'string' ? { agent, channelId } : undefined;
  } catch {
    return undefined;
  }
}
