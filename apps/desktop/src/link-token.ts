const ENTRY = 'heliograph.reload';

/** The token that opens this page: from the link's fragment, which is taken out of the address at once, or kept for a reload. */
export function takeLinkToken(): string | undefined {
  const fragment = location.hash.slice(1);
  if (fragment !== '') history.replaceState(null, '', `${location.pathname}${location.search}`);
  const kept = sessionStorage.getItem(ENTRY);
  sessionStorage.removeItem(ENTRY);
  return fragment !== '' ? fragment : (kept ?? undefined);
}

/** Keeps the next token for a reload of this tab; other tabs do not see it. */
export function keepLinkToken(token: string): void {
  sessionStorage.setItem(ENTRY, token);
}
