import { createHash } from 'node:crypto';
import type { EventTemplate } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { isSearchable, SEARCHABLE_KINDS, searchableWords } from '../search.ts';

/** So many events may wait for their words before a writer takes the time: who searches then waits some ten milliseconds. */
const MAX_BEHIND = 1_000;
/** So many are read at a time, because their texts may be long. */
const PAGE = 250;
/** What is longer is data more often than a word, and would fill the index. */
const MAX_WORD = 64;

/** Which events' words are in the index, by their seq; in the file, so that a crash forgets none. */
const MARK = "SELECT CAST(value AS INTEGER) AS seq FROM settings WHERE name = 'words_to'";

/**
 * Events after a seq that have words. The plus keeps SQLite from the index of kinds, of which it would read all to find the
 * last few.
 */
export const EVENTS_WITH_WORDS = `SELECT seq, json FROM events WHERE seq > ? AND +kind IN (${[...SEARCHABLE_KINDS].join(', ')}) ORDER BY seq LIMIT ${PAGE}`;

/** How a word stands in the index: itself, or, where it is too long, its hash, with a letter more than any word has there. */
export function indexedWord(word: string): string {
  return word.length <= MAX_WORD ? word : `x${createHash('sha256').update(word, 'utf16le').digest('hex')}`;
}

/** What is indexed of an event: most text as it is, which the index cuts and folds as we do, else its words; undefined when its kind is not searched. */
function indexedText(event: EventTemplate): string | undefined {
  if (isSearchable(event.kind) && isPlain(event.content)) return event.content;
  return searchableWords(event)?.map(indexedWord).join(' ');
}

/** Whether a text is ASCII without a word that is too long. A loop, because a pattern for this costs six times as much. */
function isPlain(text: string): boolean {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return false;
    const isInWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
    length = isInWord ? length + 1 : 0;
    if (length > MAX_WORD) return false;
  }
  return true;
}

/**
 * The words of stored events (NIP-50), indexed up to a thousand at a time: each transaction that adds to the index costs as much
 * as many events' words do, and few of them are searched for in the next second. Events up to a mark are in it, those
 * after are not yet; whoever searches catches up first.
 */
export class WordIndex {
  readonly #mark: Database.Statement<[], number>;
  readonly #setMark: Database.Statement<[number]>;
  readonly #after: Database.Statement<[number], { seq: number; json: string }>;
  readonly #insert: Database.Statement<[number, string]>;
  readonly #remove: Database.Statement<[number]>;
  readonly #catchUp: (lastSeq: number) => void;

  constructor(db: Database.Database) {
    this.#mark = db.prepare<[], number>(MARK).pluck();
    this.#setMark = db.prepare("UPDATE settings SET value = ? WHERE name = 'words_to'");
    this.#after = db.prepare(EVENTS_WITH_WORDS);
    this.#insert = db.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)');
    this.#remove = db.prepare('DELETE FROM search WHERE rowid = ?');
    this.#catchUp = db.transaction((lastSeq: number) => {
      let page: { seq: number; json: string }[];
      let to = this.to;
      do {
        // A page whole: a statement that is still being read would be in the way of the writing.
        page = this.#after.all(to);
        for (const { seq, json } of page) {
          const text = indexedText(JSON.parse(json) as EventTemplate);
          if (text !== undefined) this.#insert.run(seq, text);
          to = seq;
        }
      } while (page.length === PAGE);
      this.#setMark.run(lastSeq);
    });
  }

  /** The last seq whose words are in, or that has none. */
  get to(): number {
    return this.#mark.get() ?? 0;
  }

  /** Brings in every event up to `lastSeq`, the last that was given. */
  catchUp(lastSeq: number): void {
    if (this.to < lastSeq) this.#catchUp(lastSeq);
  }

  /** The same, once enough of them wait to be worth it. */
  catchUpWhenWorth(lastSeq: number): void {
    if (this.to + MAX_BEHIND <= lastSeq) this.#catchUp(lastSeq);
  }

  /** An event with words goes, whether they are in or not. */
  remove(seq: number): void {
    if (seq <= this.to) this.#remove.run(seq);
  }
}
