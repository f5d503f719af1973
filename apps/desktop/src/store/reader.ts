import type { ReaderAnswer, ReaderRequest } from '../worker/reader-protocol.ts';

/** A request that is answered until it is stopped, without the id that its answers find it by. */
export type Question<T extends ReaderRequest['type']> = Omit<Extract<ReaderRequest, { type: T }>, 'id'>;

/** Asks the worker and hears its answers. */
export interface Reader {
  /** Asks; `onAnswer` hears every answer until the returned function is called. */
  ask<T extends Exclude<ReaderRequest['type'], 'stop'>>(
    question: Question<T> & { readonly type: T },
    onAnswer: (answer: ReaderAnswer) => void,
  ): () => void;
  receive(answer: ReaderAnswer): void;
}

export function createReader(post: (request: ReaderRequest) => void): Reader {
  const listeners = new Map<number, (answer: ReaderAnswer) => void>();
  let lastId = 0;
  return {
    ask(question, onAnswer) {
      const id = ++lastId;
      listeners.set(id, onAnswer);
      post({ ...question, id } as unknown as ReaderRequest);
      return () => {
        if (listeners.delete(id)) post({ type: 'stop', id });
      };
    },
    receive: (answer) => listeners.get(answer.id)?.(answer),
  };
}
