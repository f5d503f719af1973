import { frameBudget, type SizeLimits } from '@heliograph/wire';
import type { Log } from './log.ts';

const TIMEOUT_MS = 3_000;

/** The relays that can carry our frames, and the largest plaintext that fits every one of them. */
export interface CarryingRelays {
  readonly relays: readonly string[];
  readonly budgetBytes: number;
}

/**
 * Asks every relay for its limits (NIP-11). One that is silent counts as one without limits; one that takes too little is
 * left out with a log line. Rejects with an Error of code `ERELAYSIZE` when none is left.
 */
export async function agreeOnBudget(urls: readonly string[], log: Log): Promise<CarryingRelays> {
  const asked = await Promise.all(urls.map(async (url) => ({ url, limits: await fetchLimits(url, log) })));
  const carrying = asked.filter(({ url, limits }) => {
    const budget = frameBudget([limits]);
    if (!budget.ok) log.error({ relay: url }, `this relay is left out: ${budget.error.message}`);
    return budget.ok;
  });
  const budget = frameBudget(carrying.map(({ limits }) => limits));
  if (carrying.length === 0 || !budget.ok) {
    const message = `no relay of ${urls.join(', ')} takes frames of 8,192 bytes: raise its max_message_length or name another with --relay`;
    throw Object.assign(new Error(message), { code: 'ERELAYSIZE' });
  }
  return { relays: carrying.map(({ url }) => url), budgetBytes: budget.value };
}

async function fetchLimits(url: string, log: Log): Promise<SizeLimits> {
  try {
    const response = await fetch(url.replace(/^ws/i, 'http'), {
      headers: { accept: 'application/nostr+json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const document = (await response.json()) as { limitation?: SizeLimits } | null;
    return document?.limitation ?? {};
  } catch (cause) {
    const reason =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : 'unknown';
    log.warn({ relay: url, reason }, 'the relay did not tell its limits: the smallest usual ones are assumed');
    return {};
  }
}
