import type { Filter, NostrEvent } from '@heliograph/wire';
import type { RelayClient } from './relay-client.ts';

/** Events asked for at once, and how often at most: what is older than that stays on the relay. */
const PAGE_SIZE = 200;
const MAX_PAGES = 50;

/**
 * Reads what a relay has stored for a filter, newest first, page by page. Ends when there is no more, or the connection
 * breaks. Events are parsed, NOT verified, and those of a page's last second come twice.
 */
export async function readStored(
  client: RelayClient,
  filter: Filter,
  onEvent: (event: NostrEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let until: number | undefined;
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page++) {
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    const asked = { ...filter, limit: PAGE_SIZE, ...(until !== undefined ? { until } : {}) };
    let oldest: number | undefined;
    let isWhole = false;
    for await (const item of client.subscribe([asked], { signal: abort.signal })) {
      if (item.type === 'event') {
        oldest = Math.min(oldest ?? item.event.created_at, item.event.created_at);
        await onEvent(item.event);
      } else {
        isWhole = item.type === 'eose';
        abort.abort();
      }
    }
    signal.removeEventListener('abort', stop);
    if (!isWhole || oldest === undefined) return;
    until = oldest === until ? oldest - 1 : oldest;
  }
}
