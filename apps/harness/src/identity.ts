import type { RelayClient } from '@heliograph/client';
import type { AuthTag, Signer } from '@heliograph/wire';
import type { Log } from './log.ts';

export interface IdentityOptions {
  readonly name: string;
  readonly host: string;
  readonly owner: string;
  readonly signer: Signer;
  readonly authTag: () => AuthTag | undefined;
  readonly log: Log;
  readonly nowSec: () => number;
}

const KIND_PROFILE = 0;
const TIMEOUT_MS = 10_000;

/** Tells each relay once a run who this agent is and who vouches for it, so that viewers know it (NIP-AA, kind 0). */
export class Identity {
  readonly #options: IdentityOptions;
  readonly #told = new Set<string>();
  #lastSec = 0;
  #notBeforeSec = 0;

  constructor(options: IdentityOptions) {
    this.#options = options;
  }

  /** What was told holds no more: every relay is to be told anew. */
  forget(): void {
    this.#told.clear();
    // Of two profiles of one second a relay may keep either.
    this.#notBeforeSec = this.#lastSec + 1;
  }

  /** Takes the news that a relay is ready. */
  async introduce(client: RelayClient): Promise<void> {
    if (this.#told.has(client.url)) return;
    this.#told.add(client.url);
    const { name, host, owner, signer, log, nowSec } = this.#options;
    const authTag = this.#options.authTag();
    const content = JSON.stringify({ name, about: `A coding agent on ${host}, mirrored by Heliograph`, bot: true });
    const tags = [['p', owner], ...(authTag !== undefined ? [authTag] : [])];
    const created_at = Math.max(nowSec(), this.#notBeforeSec);
    this.#lastSec = created_at;
    const event = await signer.sign({ kind: KIND_PROFILE, created_at, tags, content });
    const result = await client.publish(event, { timeoutMs: TIMEOUT_MS });
    if (result.ok) return;
    // Tried again at the next connection; frames need no profile, only viewers that don't know the key yet do.
    this.#told.delete(client.url);
    log.warn({ relay: client.url, reason: result.error.message }, "the relay did not take the agent's profile");
  }
}
