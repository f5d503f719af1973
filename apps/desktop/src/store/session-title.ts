import type { SessionState, Transcript } from '@heliograph/transcript';

/** A session's name: the agent's title, else the beginning of what was asked first. */
export function sessionTitle(session: SessionState, firstPrompt: string | undefined): string {
  if (session.title !== undefined && session.title.trim() !== '') return session.title;
  const line = firstPrompt?.trim().split('\n')[0];
  return line === undefined || line === '' ? 'New session' : line;
}

const firstPrompts = new WeakMap<object, string | undefined>();

/** The text of the first prompt in view. Turns that ended keep their identity, so the first one is read once. */
export function selectFirstPrompt(transcript: Transcript): string | undefined {
  for (const turn of transcript.turns) {
    if (turn.source === 'none') continue;
    if (!firstPrompts.has(turn)) {
      const item = turn.items.find(({ kind }) => kind === 'user');
      const part = item?.kind === 'user' ? item.parts.find(({ type }) => type === 'text') : undefined;
      firstPrompts.set(turn, part?.type === 'text' ? part.text.slice(0, 400) : undefined);
    }
    return firstPrompts.get(turn);
  }
  return undefined;
}
