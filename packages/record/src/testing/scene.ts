import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import {
  attest,
  type Control,
  conversationKey,
  decodeEnvelope,
  encodeControl,
  encodeForEnvelope,
  eventSigner,
  FIRST_PREV,
  type FrameRoute,
  hexDecode,
  localSigner,
  messageOpening,
  type ObserverEvent,
  packEnvelope,
  sealFrame,
} from '@heliograph/wire';
import Database from 'better-sqlite3';
import { type ArchiveSettings, createArchive } from '../new-archive.ts';
import { type NewRecord, textHash } from '../record.ts';
import { RecordStore, type StatementSigner } from '../record-store.ts';
import { redactText } from '../secrets.ts';
import type { Packer } from '../sql.ts';
import { createReader } from '../sqlite-reader.ts';
import { ArchiveVerifier } from '../verify.ts';

const { crypto } = selectNodeCrypto();
const secretOf = (fill: number) => new Uint8Array(32).fill(fill);
export const owner = localSigner(secretOf(1), crypto);
export const agent = localSigner(secretOf(2), crypto);
const archiveKey = eventSigner(secretOf(3), crypto);

/** Signs as an archive whose key the owner vouched for. */
export const statementSigner: StatementSigner = {
  authTag: attest(secretOf(1), archiveKey.publicKey, 'kind=30078', crypto),
  sign: (template) => archiveKey.sign(template),
};

export const packer: Packer = {
  pack: (bytes) => deflateRawSync(bytes),
  unpack: (bytes, maxBytes) => inflateRawSync(bytes, { maxOutputLength: maxBytes }),
};

/** A stream of one agent: events numbered, packed and chained as a harness does. */
export class SceneStream {
  readonly stream: string;
  readonly #channelId: string | null;
  #seq = 0;
  #prev = FIRST_PREV;

  constructor(stream: string, channelId: string | null = `channel of ${stream}`) {
    this.stream = stream;
    this.#channelId = channelId;
  }

  get head(): { readonly stream: string; readonly seq: number; readonly hash: string } {
    return { stream: this.stream, seq: this.#seq, hash: this.#prev };
  }

  event(kind: string, payload: unknown): ObserverEvent & { readonly stream: string } {
    const seq = ++this.#seq;
    return {
      seq,
      timestamp: `2026-11-30T09:00:00.${String(seq).padStart(6, '0')}Z`,
      kind,
      agentIndex: 0,
      channelId: this.#channelId,
      sessionId: null,
      turnId: null,
      stream: this.stream,
      payload: JSON.stringify(payload),
    };
  }

  /** One envelope of these events, sealed by the agent, as an archive keeps it. */
  async seal(...events: readonly (ObserverEvent & { readonly stream: string })[]): Promise<NewRecord> {
    const { envelope } = packEnvelope(events.map(encodeForEnvelope), 40_960, this.#prev, crypto);
    this.#prev = envelope.hash;
    return telemetryRecord(envelope.text);
  }

  /** `count` envelopes of one agent message each. */
  async say(count: number, text = 'hello'): Promise<NewRecord[]> {
    const records: NewRecord[] = [];
    for (let i = 0; i < count; i++) {
      records.push(
        await this.seal(this.event('acp_read', { method: 'session/update', params: { text: `${text} ${i}` } })),
      );
    }
    return records;
  }
}

const route = (frame: FrameRoute['frame']): FrameRoute => ({ frame, agent: agent.publicKey, owner: owner.publicKey });
const salt = hexDecode('00'.repeat(16));

/** A frame of the agent around this plaintext, as an archive keeps it. */
export async function telemetryRecord(text: string): Promise<NewRecord> {
  const event = await sealFrame(text, route('telemetry'), 1_790_000_000, agent);
  const decoded = decodeEnvelope(text, crypto);
  if (!decoded.ok) throw new Error(decoded.error.message);
  const { text: shown, findings } = redactText(text, salt, crypto);
  const opening = messageOpening(event.content, conversationKey(secretOf(1), agent.publicKey, crypto), crypto);
  const { hash, stream, events } = decoded.value;
  return {
    event,
    role: 'telemetry',
    agent: agent.publicKey,
    receivedAtMs: 1_790_000_000_123,
    opened: { text, shown, findings, hash, opening, stream, events },
  };
}

/** A control of the owner, as an archive keeps it. */
export async function controlRecord(control: Control): Promise<NewRecord> {
  const text = encodeControl(control);
  const event = await sealFrame(text, route('control'), 1_790_000_001, owner);
  const { text: shown, findings } = redactText(text, salt, crypto);
  const opening = messageOpening(event.content, conversationKey(secretOf(1), agent.publicKey, crypto), crypto);
  const hash = textHash(text, crypto);
  const opened = { text, shown, findings, hash, opening, stream: undefined, events: [] };
  return { event, role: 'control', agent: agent.publicKey, receivedAtMs: 1_790_000_001_000, opened };
}

/** An archive in memory, or in a file, with its store and its reader. */
export function newArchive(settings: Partial<ArchiveSettings> = {}, file = ':memory:') {
  const db = new Database(file);
  createArchive(db, { owner: owner.publicKey, atRest: 'open', secrets: 'seal', ...settings }, crypto);
  return openScene(db);
}

/** The store and the reader of an archive that is there. */
export function openScene(db: Database.Database) {
  const store = new RecordStore({ db, packer, crypto, signer: statementSigner });
  return { db, store, reader: createReader(db, packer, crypto) };
}

/** What the verifier says of an open archive. */
export function verifyScene(
  db: Database.Database,
  more: { readonly witnesses?: readonly string[]; readonly owner?: string } = {},
) {
  const reader = createReader(db, packer, crypto);
  const statements = db.prepare('SELECT json FROM statements ORDER BY s').pluck().all() as string[];
  const verifier = new ArchiveVerifier({ chain: reader.about().chain, statements, crypto, ...more });
  for (const record of reader.records()) verifier.add(record);
  return verifier.report();
}
