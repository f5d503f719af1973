import { sha256 } from '@noble/hashes/sha2.js';
import { hexEncode, utf8Encode } from '../nostr/bytes.ts';

/** Hex SHA-256 of a line's text, as `permission_pending` names it: what a decision is bound to is the line that was shown. */
export function lineSha256(line: string): string {
  return hexEncode(sha256(utf8Encode(line)));
}
