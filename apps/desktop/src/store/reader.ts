import type { LineDiff } from '@heliograph/transcript';
import type { ReaderAnswer, ReaderFollowing, ReaderOpening, ReaderRequest } from '../worker/reader-protocol.ts';

type WithoutId<T extends ReaderRequest> = T extends unknown ? Omit<T, 'id'> : never;

/** A question that is being answered. */
export interface Asked {
  /** Says more within it. */
  readonly send: (more: WithoutId<ReaderFollowing>) => true;
  readonly stop: () => void;
}

/** Asks the worker and hears its answers. */
export interface Reader {
  /** Asks; `onAnswer` hears every answer until it is stopped. */
  ask(question: WithoutId<ReaderOpening>, onAnswer: (answer: ReaderAnswer) => void): Asked;
  /** What changed between the texts of `change`, compared once; undefined where it was not asked for. */
  diffOf(change: object): LineDiff | undefined;
  keepDiff(change: object, diff: LineDiff): void;
  receive(answer: ReaderAnswer): void;
}

export function createReader(post: (request: ReaderRequest) => void): Reader {
  const listeners = new Map<number, (answer: ReaderAnswer) => void>();
  // By the change they are of: gone with it.
  const diffs = new WeakMap<object, LineDiff>();
  let lastId = 0;
  return {
    ask(question, onAnswer) {
      const id = ++lastId;
      listeners.set(id, onAnswer);
      post({ ...question, id });
      return {
        send(more) {
          post({ ...more, id });
          return true;
        },
        stop() {
          if (listeners.delete(id)) post({ type: 'stop', id });
        },
      };
    },
    diffOf: (change) => diffs.get(change),
    keepDiff: (change, diff) => void diffs.set(change, diff),
    receive: (answer) => listeners.get(answer.id)?.(answer),
  };
}
