import type { EventTemplate } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { SEARCHABLE_KINDS, searchableWords } from '../search.ts';

/** So many events may wait for their words before a writer takes the time; about as many are worth doing at once. */
const MAX_BEHIND = 250;

/** Which events' words are in the index, by their seq; in the file, so that a crash forgets none. */
const MARK = "SELECT CAST(value AS INTEGER) AS seq FROM settings WHERE name = 'words_to'";

/**
 * Events after a seq that have words. The plus keeps SQLite from the index of kinds, of which it would read all to find the
 * last few.
 */
export const EVENTS_WITH_WORDS = `SELECT seq, json FROM events WHERE seq > ? AND +kind IN (${[...SEARCHABLE_KINDS].join(', ')}) ORDER BY seq`;

/**
 * The words of stored events (NIP-50), indexed some hundreds at a time: each transaction that adds to the index costs as much
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
      // All at once: a statement that is still being read would see its own writes.
      for (const { seq, json } of this.#after.all(this.to)) {
        const words = searchableWords(JSON.parse(json) as EventTemplate);
        if (words !== undefined) this.#insert.run(seq, words.join(' '));
      }
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
