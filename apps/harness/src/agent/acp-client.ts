import { encodeRequest, type RpcMessage, type Via } from '@heliograph/wire';
import type { Emitted } from '../mirror/observer-bus.ts';
import type { OutLine } from './tap.ts';

/** What became of a request of ours. `lost`: it did not get out, or the agent went away before it answered. */
export type RpcAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly code: number | undefined; readonly message: string; readonly data: unknown }
  | { readonly type: 'lost'; readonly reason: string };

/**
 * Our requests to the agent. Ids are integers from 1, counted per process: every agent takes them, and in this mode there
 * is no other client whose ids they could meet.
 */
export class AcpClient {
  readonly #write: (lines: readonly OutLine[]) => Promise<readonly Emitted[] | Error>;
  readonly #open = new Map<string, (answer: RpcAnswer) => void>();
  #lastId = 0;

  constructor(write: (lines: readonly OutLine[]) => Promise<readonly Emitted[] | Error>) {
    this.#write = write;
  }

  /**
   * Sends a request; resolves with where its line was recorded, or why it did not get out. `answered` is called once and
   * at once: what the agent says next must find us knowing what it answered.
   */
  async request(
    method: string,
    params: object,
    via: Via,
    answered: (answer: RpcAnswer) => void,
  ): Promise<Emitted | Error> {
    const id = String(++this.#lastId);
    this.#open.set(id, answered);
    const outcome = await this.#write([{ text: encodeRequest(id, method, params), via }]);
    if (!(outcome instanceof Error)) return outcome[0] as Emitted;
    this.#settle(id, { type: 'lost', reason: outcome.message });
    return outcome;
  }

  /** Takes an answer from the agent; false when nobody waits for it. */
  receive(message: Extract<RpcMessage, { type: 'response' | 'error' }>): boolean {
    if (message.id === undefined) return false;
    if (message.type === 'response') return this.#settle(message.id, { type: 'result', result: message.result });
    const {
      code,
      message: words,
      data,
    } = (message.error ?? {}) as { code?: unknown; message?: unknown; data?: unknown };
    return this.#settle(message.id, {
      type: 'error',
      code: typeof code === 'number' ? code : undefined,
      message: typeof words === 'string' ? words : 'the agent answered with an error that has no message',
      data,
    });
  }

  /** The agent is gone: no answer will come. */
  lose(reason: string): void {
    for (const id of [...this.#open.keys()]) this.#settle(id, { type: 'lost', reason });
  }

  #settle(id: string, answer: RpcAnswer): boolean {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  }
}
