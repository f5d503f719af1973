/** An encrypted key on its way to another device, and the relays to meet its agents on. */
export interface MovedKey {
  readonly ncryptsec: string;
  readonly relays: readonly string[];
}

const MAX_RELAYS = 16;

/**
 * The address that opens a relay's page with a key: in the fragment, which no browser sends to any server. The page is the
 * first relay's, so that is where the key is used; ws becomes http, wss https.
 */
export function moveLink({ ncryptsec, relays: [home = '', ...others] }: MovedKey): string {
  const page = `${home.replace(/^ws/, 'http').replace(/\/*$/, '')}/`;
  return `${page}#${new URLSearchParams([['key', ncryptsec], ...others.map((url) => ['relay', url])])}`;
}

/** The key in a page's fragment (without `#`), if one is there. */
export function readMoveLink(fragment: string): MovedKey | undefined {
  const parts = new URLSearchParams(fragment);
  const ncryptsec = parts.get('key');
  if (ncryptsec === null || !/^ncryptsec1[a-z0-9]+$/.test(ncryptsec)) return undefined;
  const relays = parts.getAll('relay').filter((url) => /^wss?:\/\//.test(url) && URL.canParse(url));
  return { ncryptsec, relays: relays.slice(0, MAX_RELAYS) };
}
