import { isHex64 } from '@heliograph/wire';

/** An encrypted key on its way to another device, the relays to meet its agents on, and the agents it trusts no more. */
export interface MovedKey {
  readonly ncryptsec: string;
  readonly relays: readonly string[];
  /** Public keys, 64 hex digits. */
  readonly revoked: readonly string[];
}

const MAX_RELAYS = 16;
/** A code that holds more can't be read by a phone: of more the newest go along. */
export const MAX_REVOKED = 16;

/**
 * The address that opens a relay's page with a key: in the fragment, which no browser sends to any server. The page is the
 * first relay's, so that is where the key is used; ws becomes http, wss https.
 */
export function moveLink({ ncryptsec, relays: [home = '', ...others], revoked }: MovedKey): string {
  const page = `${home.replace(/^ws/, 'http').replace(/\/*$/, '')}/`;
  const parts = [['key', ncryptsec], ...others.map((url) => ['relay', url])];
  if (revoked.length > 0) parts.push(['revoked', revoked.slice(-MAX_REVOKED).join('')]);
  return `${page}#${new URLSearchParams(parts)}`;
}

/** The key in a page's fragment (without `#`), if one is there. */
export function readMoveLink(fragment: string): MovedKey | undefined {
  const parts = new URLSearchParams(fragment);
  const ncryptsec = parts.get('key');
  if (ncryptsec === null || !/^ncryptsec1[a-z0-9]+$/.test(ncryptsec)) return undefined;
  const relays = parts.getAll('relay').filter((url) => /^wss?:\/\//.test(url) && URL.canParse(url));
  const revoked = (parts.get('revoked') ?? '').match(/.{1,64}/g) ?? [];
  return { ncryptsec, relays: relays.slice(0, MAX_RELAYS), revoked: revoked.filter(isHex64).slice(0, MAX_REVOKED) };
}
