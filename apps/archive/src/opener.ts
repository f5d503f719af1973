import type { ReceivedEvent } from '@heliograph/client';
import { type NewRecord, type OpenedRecord, redactText, textHash } from '@heliograph/record';
import { type Crypto, conversationKey, decrypt, messageOpening } from '@heliograph/wire';

/** Conversations whose keys are remembered; the oldest go first. */
const MAX_CONVERSATIONS = 1_000;

/** Turns what was received into what is kept, with the owner's key: opened, its opening derived, its secrets replaced. */
export class Opener {
  readonly #secret: Uint8Array;
  readonly #salt: Uint8Array;
  readonly #crypto: Crypto;
  readonly #keys = new Map<string, Uint8Array>();

  constructor(ownerSecret: Uint8Array, salt: Uint8Array, crypto: Crypto) {
    this.#secret = ownerSecret;
    this.#salt = salt;
    this.#crypto = crypto;
  }

  /** The record of an event; one that can't be opened is kept as it came. */
  record({ event, role, agent, envelope }: ReceivedEvent, receivedAtMs: number): NewRecord {
    const key = this.#keyFor(agent);
    const text = envelope?.text ?? this.#text(event.content, key);
    return {
      event,
      role,
      agent,
      receivedAtMs,
      opened: text === undefined ? undefined : this.#opened(text, event, key, envelope),
    };
  }

  #opened(
    text: string,
    event: ReceivedEvent['event'],
    key: Uint8Array,
    envelope: ReceivedEvent['envelope'],
  ): OpenedRecord {
    const { text: shown, findings } = redactText(text, this.#salt, this.#crypto);
    return {
      text,
      shown,
      findings,
      hash: envelope?.hash ?? textHash(text, this.#crypto),
      opening: messageOpening(event.content, key, this.#crypto),
      stream: envelope?.stream,
      events: envelope?.events ?? [],
    };
  }

  /** What a kept ciphertext of this agent's says, its secrets replaced; undefined where this key does not open it. */
  shown(agent: string, content: string): string | undefined {
    const text = this.#text(content, this.#keyFor(agent));
    return text === undefined ? undefined : redactText(text, this.#salt, this.#crypto).text;
  }

  #text(content: string, key: Uint8Array): string | undefined {
    const opened = decrypt(content, key, this.#crypto);
    return opened.ok ? opened.value : undefined;
  }

  #keyFor(agent: string): Uint8Array {
    const key = this.#keys.get(agent) ?? conversationKey(this.#secret, agent, this.#crypto);
    this.#keys.delete(agent);
    this.#keys.set(agent, key);
    if (this.#keys.size > MAX_CONVERSATIONS) this.#keys.delete(this.#keys.keys().next().value as string);
    return key;
  }
}
