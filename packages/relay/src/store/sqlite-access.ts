import type Database from 'better-sqlite3';
import type { AccessStore, BannedEvent, KeyVerdict } from './access-store.ts';

/** The operator's decisions in the relay's file. Several processes may use it at once: SQLite's own locks keep it whole. */
export class SqliteAccess implements AccessStore {
  readonly #db: Database.Database;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  keys(): readonly KeyVerdict[] {
    const all = this.#db.prepare<[], KeyVerdict>(
      'SELECT lower(hex(pubkey)) AS pubkey, verdict, reason FROM keys ORDER BY verdict, pubkey',
    );
    return all.all();
  }

  setKey(pubkey: string, verdict: KeyVerdict['verdict'] | undefined, reason = ''): boolean {
    const key = Buffer.from(pubkey, 'hex');
    if (verdict === undefined) return this.#db.prepare('DELETE FROM keys WHERE pubkey = ?').run(key).changes > 0;
    const put = this.#db.prepare(
      `INSERT INTO keys (pubkey, verdict, reason) VALUES (?, ?, ?) ON CONFLICT (pubkey) DO UPDATE
       SET verdict = excluded.verdict, reason = excluded.reason WHERE verdict != excluded.verdict OR reason != excluded.reason`,
    );
    return put.run(key, verdict, reason).changes > 0;
  }

  bannedEvents(): readonly BannedEvent[] {
    const all = this.#db.prepare<[], BannedEvent>('SELECT lower(hex(id)) AS id, reason FROM banned_events ORDER BY id');
    return all.all();
  }

  banEvent(id: string, reason: string): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO banned_events (id, reason) VALUES (?, ?)')
      .run(Buffer.from(id, 'hex'), reason);
  }

  unbanEvent(id: string): void {
    this.#db.prepare('DELETE FROM banned_events WHERE id = ?').run(Buffer.from(id, 'hex'));
  }

  setting(name: string): string | undefined {
    return this.#db.prepare<[string], { value: string }>('SELECT value FROM settings WHERE name = ?').get(name)?.value;
  }

  setSetting(name: string, value: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)').run(name, value);
  }

  version(): number {
    return this.#db.pragma('data_version', { simple: true }) as number;
  }
}
