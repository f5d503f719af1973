import type { AccessStore, BannedEvent, KeyVerdict } from '../store/access-store.ts';
import { sql } from '../store/sql.ts';
import type { PostgresClient } from './postgres-client.ts';

/** The operator's decisions in the database all relays share. */
export class PostgresAccess implements AccessStore {
  readonly #client: PostgresClient;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  keys(): Promise<readonly KeyVerdict[]> {
    return this.#client.read(
      sql("SELECT encode(pubkey, 'hex') AS pubkey, verdict, reason FROM heliograph.keys ORDER BY verdict, keys.pubkey"),
    );
  }

  async setKey(pubkey: string, verdict: KeyVerdict['verdict'] | undefined, reason = ''): Promise<boolean> {
    const key = Buffer.from(pubkey, 'hex');
    const changed = await this.#client.write(
      verdict === undefined
        ? sql('DELETE FROM heliograph.keys WHERE pubkey = ? RETURNING 1', key)
        : sql(
            `INSERT INTO heliograph.keys AS k (pubkey, verdict, reason) VALUES (?, ?, ?) ON CONFLICT (pubkey) DO UPDATE
             SET verdict = excluded.verdict, reason = excluded.reason
             WHERE k.verdict <> excluded.verdict OR k.reason <> excluded.reason RETURNING 1`,
            key,
            verdict,
            withoutNul(reason),
          ),
    );
    return changed.length > 0;
  }

  bannedEvents(): Promise<readonly BannedEvent[]> {
    return this.#client.read(
      sql("SELECT encode(id, 'hex') AS id, reason FROM heliograph.banned_events ORDER BY banned_events.id"),
    );
  }

  async banEvent(id: string, reason: string): Promise<void> {
    await this.#client.write(
      sql(
        'INSERT INTO heliograph.banned_events VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET reason = excluded.reason',
        Buffer.from(id, 'hex'),
        withoutNul(reason),
      ),
    );
  }

  async unbanEvent(id: string): Promise<void> {
    await this.#client.write(sql('DELETE FROM heliograph.banned_events WHERE id = ?', Buffer.from(id, 'hex')));
  }

  async setting(name: string): Promise<string | undefined> {
    const [row] = await this.#client.read<{ value: string }>(
      sql('SELECT value FROM heliograph.settings WHERE name = ?', name),
    );
    return row?.value;
  }

  async setSetting(name: string, value: string): Promise<void> {
    await this.#client.write(
      sql(
        'INSERT INTO heliograph.settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        withoutNul(value),
      ),
    );
  }

  async version(): Promise<number> {
    const [row] = await this.#client.read<{ version: string }>(
      sql('SELECT access_version AS version FROM heliograph.relay'),
    );
    return Number(row?.version ?? 0);
  }
}

/** PostgreSQL's text holds every character but this one. */
function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '');
}
