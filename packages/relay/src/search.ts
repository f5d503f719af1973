import type { EventTemplate } from '@heliograph/wire';

/**
 * Kinds whose content is text for everybody, and the only ones that are ever indexed: profiles, notes, chat, threads,
 * titles of media, comments, issues and patches, articles, listings, events. A kind that may hold ciphertext is not here.
 */
export const SEARCHABLE_KINDS: ReadonlySet<number> = new Set([
  0, 1, 9, 11, 20, 21, 22, 24, 42, 1063, 1068, 1111, 1311, 1617, 1621, 1622, 9802, 30_023, 30_311, 30_402, 30_818,
  31_922, 31_923, 34_550,
]);

/** The most words of a query that count. */
const MAX_QUERY_WORDS = 16;

/** The words of a text, each once: letters and digits of any script, without case and accents. */
function wordsOf(text: string): string[] {
  // Most text is ASCII, and has neither accents nor other scripts: that is three times as quick.
  if (!/[^\0-\x7f]/.test(text)) return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])];
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return [...new Set(plain.match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/** The words a `search` asks for (NIP-50); extensions (`key:value`) are left out, as NIP-50 wants of who knows none. */
export function queryWords(search: string): string[] {
  const parts = search.split(/\s+/).filter((part) => !/^[a-z]+:\S+$/.test(part));
  return wordsOf(parts.join(' ')).slice(0, MAX_QUERY_WORDS);
}

/** Whether events of this kind are found by their words. */
export function isSearchable(kind: number): boolean {
  return SEARCHABLE_KINDS.has(kind);
}

/** What is indexed of an event; undefined when its kind is not searched. */
export function searchableWords(event: EventTemplate): string[] | undefined {
  return isSearchable(event.kind) ? wordsOf(event.content) : undefined;
}

/** Whether an event answers a `search`: a kind that is searched, with every word in its content. No word asks for nothing. */
export function matchSearch(search: string, event: EventTemplate): boolean {
  const asked = queryWords(search);
  const held = new Set(searchableWords(event));
  return asked.length > 0 && asked.every((word) => held.has(word));
}
