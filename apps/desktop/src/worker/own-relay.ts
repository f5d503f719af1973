import { normalizeRelayUrl } from '@heliograph/wire';

/** The relay that serves this page. */
export interface OwnRelay {
  /** Its ws or wss URL, as this page reached it. */
  readonly url: string;
  /** What it calls itself. */
  readonly name: string;
}

/** The relay that serves the page at `base`, or undefined when something else does. */
export async function findOwnRelay(base: string, fetcher: typeof fetch): Promise<OwnRelay | undefined> {
  const url = normalizeRelayUrl(base.replace(/^http/, 'ws'));
  if (url === undefined) return undefined;
  try {
    const headers = { Accept: 'application/nostr+json' };
    const response = await fetcher(base, { headers, cache: 'no-store', credentials: 'omit', redirect: 'error' });
    const isDocument = response.headers.get('content-type')?.startsWith('application/nostr+json') ?? false;
    if (!response.ok || !isDocument) return undefined;
    const { name } = (await response.json()) as { readonly name?: unknown };
    return { url, name: typeof name === 'string' && name.trim() !== '' ? name : 'A relay' };
  } catch {
    return undefined;
  }
}
