import { setTimeout as delay } from 'node:timers/promises';
import type { Peer } from './peer.ts';
import type { Session } from './session.ts';

type Update = { sessionUpdate: string } & Record<string, unknown>;

/** What a scene does everything with: updates to the client at a readable pace, until the turn is cancelled. */
export interface Stage {
  readonly session: Session;
  readonly signal: AbortSignal;
  update(update: Update): void;
  /** Streams text in small pieces. */
  stream(kind: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void>;
  /** Waits some beats; rejects when the turn is cancelled. */
  pause(beats: number): Promise<void>;
  /** Asks the client; rejects when the turn is cancelled first. */
  ask(method: string, params: object): Promise<unknown>;
}

export function createStage(peer: Peer, session: Session, signal: AbortSignal, beatMs: number): Stage {
  const update = (change: Update) => peer.notify('session/update', { sessionId: session.id, update: change });
  const pause = (beats: number) => delay(beats * beatMs, undefined, { signal });
  return {
    session,
    signal,
    update,
    pause,
    async stream(kind, text) {
      for (const piece of text.match(/\s*\S+\s*/g) ?? []) {
        update({ sessionUpdate: kind, content: { type: 'text', text: piece } });
        session.usedTokens += 1;
        await pause(1);
      }
    },
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        peer.request(method, { sessionId: session.id, ...params }).then(resolve, reject);
      }),
  };
}
