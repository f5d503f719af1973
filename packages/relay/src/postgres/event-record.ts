import { createHash } from 'node:crypto';
import { isHex64 } from '@heliograph/wire';
import { expiresAt } from '../expiration.ts';
import { searchableWords } from '../search.ts';
import { deletersOf, eventAddress, indexedTags, KIND_DELETION } from '../store/event-store.ts';
import type { StorableEvent } from '../store/storable-event.ts';

/** The key of a tag in the database: 16 bytes of a hash over its name and value, UTF-16 so that a filter's lone surrogate is no U+FFFD. */
export function tagKey(name: string, value: string): Buffer {
  return createHash('sha256').update(`${name}${value}`, 'utf16le').digest().subarray(0, 16);
}

/** The longest word that is kept as it is, in UTF-8 bytes; an index takes no longer ones. */
const MAX_WORD_BYTES = 500;

/** How a word stands in the index: itself, or, where it is too long, its hash behind a sign no word has. */
export function wordKey(word: string): string {
  if (Buffer.byteLength(word) <= MAX_WORD_BYTES) return word;
  return `#${createHash('sha256').update(word).digest('hex')}`;
}

/** An event as `heliograph.write_events` takes it; bytes as `\x…`. */
export type EventRecord = Readonly<Record<string, string | number | readonly string[] | null>>;

/** What is written of an event. */
export function eventRecord(event: StorableEvent): EventRecord {
  const { id, pubkey, kind, created_at, json } = event;
  const address = eventAddress(event);
  const isDeletion = kind === KIND_DELETION;
  return {
    id: bytea(id),
    pubkey: bytea(pubkey),
    kind,
    created_at,
    expires_at: expiresAt(event) ?? null,
    address: address === undefined ? null : bytea(tagKey('a', address)),
    size: json.length,
    tags: indexedTags(event).map(([name, value]) => bytea(tagKey(name, value))),
    words: searchableWords(event)?.map(wordKey) ?? null,
    json,
    e_tag: bytea(tagKey('e', id)),
    p_tag: bytea(tagKey('p', pubkey)),
    deleters: deletersOf(event).filter(isHex64).map(bytea),
    named: isDeletion
      ? event.tags.flatMap(([name, value]) => (name === 'e' && isHex64(value) ? [bytea(value)] : []))
      : [],
  };
}

function bytea(bytes: string | Buffer): string {
  return `\\x${typeof bytes === 'string' ? bytes : bytes.toString('hex')}`;
}
