import { type Crypto, hexEncode, type ObserverEvent, utf8Encode, type VerifiedEvent } from '@heliograph/wire';

/** What a kept event is: an agent's frame, an owner's frame, or an agent's usage (NIP-AM). */
export type Role = 'telemetry' | 'control' | 'usage';

/** What of a record its hash is made over. Hashes, ids and keys are lower-case hex; absent is `null`. */
export interface RecordHead {
  /** Place in the chain, from 1, without holes. */
  readonly n: number;
  /** Hash of record n − 1; of the first one, the chain's id. */
  readonly prev: string;
  /** The signed event's id. */
  readonly id: string;
  readonly role: Role;
  /** The agent's public key, whoever signed. */
  readonly agent: string;
  readonly stream: string | null;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  /** The event's own time, Unix seconds. */
  readonly createdAtSec: number;
  /** When the archive took it, its own clock, Unix milliseconds. */
  readonly receivedAtMs: number;
  /** SHA-256 of the exact plaintext: what the next envelope's `prev` names. `null` where it was never opened. */
  readonly envelope: string | null;
  /** SHA-256 of the text kept: `envelope` again unless secrets were replaced. `null` where no text is kept. */
  readonly textSha: string | null;
}

/** What is stored beside a record's head. */
export interface RecordBody {
  readonly kind: number;
  /** JSON text of the event's tags. */
  readonly tags: string;
  readonly sig: string;
  /** The event's content; `undefined` where it was dropped. */
  readonly content: string | undefined;
  /** NIP-44 keys of this one message, 76 bytes: they prove the text to anyone. */
  readonly opening: Uint8Array | undefined;
  /** The plaintext, known secrets replaced; `undefined` where only ciphertext is kept. */
  readonly text: string | undefined;
}

/** A record as it is stored. */
export interface StoredRecord extends RecordHead, RecordBody {
  readonly hash: string;
}

/** A secret that was seen and replaced: its kind, and a salted hash that tells equal ones without telling them. */
export interface Finding {
  readonly kind: string;
  readonly digest: string;
}

/** A signed event to keep, exactly as it came, with what it held. */
export interface NewRecord {
  readonly event: VerifiedEvent;
  readonly role: Role;
  readonly agent: string;
  readonly receivedAtMs: number;
  readonly opened: OpenedRecord | undefined;
}

/** What a signed event held. */
export interface OpenedRecord {
  /** The exact plaintext. */
  readonly text: string;
  /** The plaintext with its secrets replaced: the same where none were found. */
  readonly shown: string;
  readonly findings: readonly Finding[];
  /** Hex SHA-256 of `text`. */
  readonly hash: string;
  readonly opening: Uint8Array | undefined;
  /** Telemetry: the envelope's stream, and its events in the order of the wire. */
  readonly stream: string | undefined;
  readonly events: readonly ObserverEvent[];
}

const DOMAIN = 'heliograph-record-1';

/**
 * A record's hash: SHA-256 over the UTF-8 of the JSON array of its head, members in this order, without white space. The
 * chain's id is part of it, so no record fits another archive; the stream and its seqs are, so none fits another session.
 */
export function recordHash(chain: string, head: RecordHead, crypto: Crypto): string {
  const { n, prev, id, role, agent, stream, firstSeq, lastSeq, createdAtSec, receivedAtMs, envelope, textSha } = head;
  const members = [DOMAIN, chain, n, prev, id, role, agent, stream, firstSeq, lastSeq, createdAtSec, receivedAtMs];
  return hexEncode(crypto.sha256(utf8Encode(JSON.stringify([...members, envelope, textSha]))));
}

/** Hex SHA-256 of a text's UTF-8. */
export function textHash(text: string, crypto: Crypto): string {
  return hexEncode(crypto.sha256(utf8Encode(text)));
}
