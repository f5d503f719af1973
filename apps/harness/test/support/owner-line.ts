import { createRelayClient, openSocketWith, type RelayClient } from '@heliograph/client';
import type { NostrEvent, Signer, VerifiedEvent } from '@heliograph/wire';
import WebSocket from 'ws';
import { systemClock } from '../../src/clock.ts';
import { until } from './until.ts';

/** One authenticated connection of the owner's to a relay, for frames made by hand. */
export class OwnerLine {
  readonly #client: RelayClient;

  static async open(url: string, signer: Signer): Promise<OwnerLine> {
    const line = new OwnerLine(url, signer);
    await until('the relay', () => line.#client.state.phase === 'ready');
    return line;
  }

  private constructor(url: string, signer: Signer) {
    const openSocket = openSocketWith(WebSocket);
    this.#client = createRelayClient({ url, signer, openSocket, clock: systemClock, random: Math.random });
  }

  /** Publishes an event; resolves with the relay's OK or refusal. */
  publish(event: VerifiedEvent) {
    return this.#client.publish(event, { timeoutMs: 5_000 });
  }

  /** The agent's kind 0 event, as soon as the relay has it. */
  async profileOf(agent: string): Promise<NostrEvent> {
    const abort = new AbortController();
    const filters = [{ kinds: [0], authors: [agent] }];
    for await (const item of this.#client.subscribe(filters, { signal: abort.signal })) {
      if (item.type !== 'event') continue;
      abort.abort();
      return item.event;
    }
    throw new Error('the connection closed');
  }

  close(): void {
    this.#client.close();
  }
}
