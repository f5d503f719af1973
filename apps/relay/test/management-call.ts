import { type EventTemplate, hexEncode } from '@heliograph/wire';
import { crypto, nowSec, owner, type RelayUnderTest } from './relay-under-test.ts';

/** What a call is made with instead of what it should be. */
export interface Call {
  readonly key?: typeof owner;
  readonly change?: Partial<EventTemplate>;
  readonly sentBody?: string;
}

/** A NIP-86 call signed as NIP-98 wants, or with one thing changed. */
export function authorize(relay: RelayUnderTest, body: string, { key = owner, change = {} }: Call = {}): string {
  const payload = hexEncode(crypto.sha256(Buffer.from(body)));
  const tags = [
    ['u', `${relay.httpUrl}/`],
    ['method', 'POST'],
    ['payload', payload],
  ];
  const event = key.sign({ kind: 27_235, created_at: nowSec(), tags, content: '', ...change });
  return `Nostr ${Buffer.from(event.json).toString('base64')}`;
}

/** Calls a method as an owner does, or with one thing changed. */
export async function call(relay: RelayUnderTest, method: string, params: unknown[] = [], how: Call = {}) {
  const body = JSON.stringify({ method, params });
  const response = await fetch(relay.httpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/nostr+json+rpc', authorization: authorize(relay, body, how) },
    body: how.sentBody ?? body,
  });
  return { status: response.status, ...((await response.json()) as { result?: unknown; error?: string }) };
}
