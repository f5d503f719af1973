import type { PushCall } from '@heliograph/wire';
import { readCallLink } from './call-link.ts';

const ENTRY = 'heliograph.reload';

/** What this page was opened with. */
export interface OpenedWith {
  /** Opens it: from the link's fragment, or kept for a reload. */
  readonly token: string | undefined;
  /** Where a notification called from. */
  readonly call: PushCall | undefined;
}

/** Reads what the link's fragment says, which is taken out of the address at once, and what was kept for a reload. */
export function takeLink(): OpenedWith {
  const { token, call } = takeFragment();
  const kept = sessionStorage.getItem(ENTRY);
  sessionStorage.removeItem(ENTRY);
  return { token: token ?? kept ?? undefined, call };
}

/** Tells of a link that is opened in this tab while the page is there: browsers change the fragment then, and load nothing. */
export function onNewLink(take: (opened: OpenedWith) => void): void {
  addEventListener('hashchange', () => {
    if (location.hash.length > 1) take(takeFragment());
  });
}

function takeFragment(): OpenedWith {
  const fragment = location.hash.slice(1);
  if (fragment !== '') history.replaceState(null, '', `${location.pathname}${location.search}`);
  const call = readCallLink(fragment);
  return { token: fragment !== '' && call === undefined ? fragment : undefined, call };
}

/** Keeps the next token for a reload of this tab; other tabs do not see it. */
export function keepLinkToken(token: string): void {
  sessionStorage.setItem(ENTRY, token);
}
