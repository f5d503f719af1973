import {
  type AuthTag,
  type Crypto,
  type EventTemplate,
  hexDecode,
  hexEncode,
  utf8Encode,
  type VerifiedEvent,
} from '@heliograph/wire';
import type { StreamLine } from './export/export-line.ts';
import {
  type Finding,
  type NewRecord,
  type RecordBody,
  type RecordHead,
  recordHash,
  type StoredRecord,
  textHash,
} from './record.ts';
import { RecordNotes } from './record-notes.ts';
import { prepareAll, REMOVE_SHOWN } from './record-sql.ts';
import { RowRefs, type StreamRef } from './row-refs.ts';
import { LOST_WHEN_ASKED } from './schema.ts';
import { inTransaction, type Packer, type SqlDatabase, type SqlValue } from './sql.ts';
import { type Statement, type StatementDraft, type StatementType, statementTemplate } from './statement.ts';

/** Signs statements with the archive's own key, which the owner vouched for. */
export interface StatementSigner {
  readonly authTag: AuthTag;
  sign(template: EventTemplate): VerifiedEvent;
}

export interface RecordStoreOptions {
  readonly db: SqlDatabase;
  readonly packer: Packer;
  readonly crypto: Crypto;
  readonly signer: StatementSigner;
}

/** A record's rows in `records` and `bodies`, column by column. */
interface Row {
  readonly record: readonly SqlValue[];
  readonly body: readonly SqlValue[];
}

/** What became of a batch: the numbers of the records made, in the order of the batch; `undefined` for what was held already. */
export interface Appended {
  readonly numbers: readonly (number | undefined)[];
}

/**
 * Appends signed events to an archive's chain. The only writer of its file: the chain's head is remembered. A batch is
 * one transaction: after a fault nothing of it is there.
 */
export class RecordStore {
  readonly #db: SqlDatabase;
  readonly #packer: Packer;
  readonly #crypto: Crypto;
  readonly #signer: StatementSigner;
  readonly #sql: ReturnType<typeof prepareAll>;
  readonly #refs: RowRefs;
  readonly #notes: RecordNotes;
  readonly chain: string;
  readonly #sealed: boolean;
  readonly #drops: boolean;
  #n: number;
  #hash: string;
  #lastStatement: string;
  /** Records in the chain whose rows are still to be written, and their events' ids. */
  #rows: Row[] = [];
  #rowIds = new Set<string>();

  /** Takes a file that `createArchive` made. Throws what SQLite throws. */
  constructor({ db, packer, crypto, signer }: RecordStoreOptions) {
    this.#db = db;
    this.#packer = packer;
    this.#crypto = crypto;
    this.#signer = signer;
    this.#sql = prepareAll(db);
    this.chain = this.meta('chain') ?? '';
    this.#sealed = this.meta('at_rest') === 'sealed';
    this.#drops = this.meta('secrets') === 'drop';
    this.#refs = new RowRefs(this.#sql);
    this.#notes = new RecordNotes(this.#sql, this.#refs, this.#sealed);
    const tombstone = db.prepare("SELECT max(at_n) AS n FROM statements WHERE type = 'tombstone'").get() as {
      n: number | null;
    };
    const last = db.prepare('SELECT n, hash FROM records ORDER BY n DESC LIMIT 1').get() as
      | { n: number; hash: Uint8Array }
      | undefined;
    const statement = db.prepare('SELECT id FROM statements ORDER BY s DESC LIMIT 1').get() as
      | { id: string }
      | undefined;
    this.#n = last?.n ?? tombstone.n ?? 0;
    this.#hash = last === undefined ? (this.meta('pruned_hash') ?? this.chain) : hexEncode(last.hash);
    this.#lastStatement = statement?.id ?? this.chain;
  }

  /** The newest record's number and hash; 0 and the chain's id before the first. */
  get head(): { readonly n: number; readonly hash: string } {
    return { n: this.#n, hash: this.#hash };
  }

  meta(name: string): string | undefined {
    const row = this.#sql.meta.get(name) as { value: string } | undefined;
    return row?.value;
  }

  setMeta(name: string, value: string): void {
    this.#sql.setMeta.run(name, value);
  }

  /** Keeps a batch in one transaction; what is held already is left out. Throws what SQLite throws, with nothing kept. */
  append(batch: readonly NewRecord[]): Appended {
    const [n, hash] = [this.#n, this.#hash];
    try {
      const numbers = inTransaction(this.#db, () => {
        const made = batch.map((record) => this.#appendOne(record));
        this.#writeRows();
        return made;
      });
      return { numbers };
    } catch (cause) {
      [this.#n, this.#hash] = [n, hash];
      this.#rows = [];
      this.#rowIds.clear();
      this.#refs.forget();
      throw cause;
    }
  }

  /** Names an agent as its owner or its profile does. */
  nameAgent(publicKey: string, name: string): void {
    this.#sql.nameAgent.run(name, this.#refs.agentOf(publicKey));
  }

  /** Signs that the chain is as it is up to now; `undefined` when the newest checkpoint says so already. */
  checkpoint(nowSec: number): VerifiedEvent | undefined {
    const last = this.#sql.lastOf.get('checkpoint') as { n: number } | undefined;
    if ((last?.n ?? 0) === this.#n) return undefined;
    return this.#state({ type: 'checkpoint', n: this.#n, head: this.#hash }, nowSec);
  }

  /** Notes that the archive had not been closed in order: what came after this record may be lost. */
  noteInterruption(nowSec: number): VerifiedEvent {
    return this.#state({ type: 'interruption', n: this.#n, head: this.#hash }, nowSec);
  }

  /**
   * Removes records up to `n` with what is shown of them, and signs a tombstone that the rest of the chain stands on, in
   * one transaction. Nothing happens when none is that old.
   */
  prune(n: number, reason: string, nowSec: number): VerifiedEvent | undefined {
    const first = (this.#sql.firstRecord.get() as { n: number | null }).n;
    const last = Math.min(n, this.#n);
    if (first === null || first > last) return undefined;
    const hash = (this.#sql.hashOf.get(last) as { hash: Uint8Array }).hash;
    return this.#stating(() => {
      for (const remove of this.#sql.removeUpTo) remove.run(last);
      this.#db.exec(REMOVE_SHOWN);
      this.#refs.forget();
      this.setMeta('pruned_hash', hexEncode(hash));
      return this.#state({ type: 'tombstone', n: last, head: hexEncode(hash), first, reason }, nowSec);
    });
  }

  /** Replaces the kept text of records, because a secret was seen over them later: their openings go, and statements say so. All of them or, when it throws what SQLite throws, none. */
  redact(
    lines: readonly { readonly n: number; readonly shown: string }[],
    findings: readonly Finding[],
    nowSec: number,
  ) {
    this.#stating(() => {
      for (const { n, shown } of lines) {
        this.#sql.replaceText.run(this.#packer.pack(utf8Encode(shown)), n);
        if (this.#drops) this.#sql.dropContent.run(n);
        for (const { kind, digest } of findings) this.#sql.addRedaction.run(n, null, kind, digest);
        const hash = (this.#sql.hashOf.get(n) as { hash: Uint8Array }).hash;
        const textSha = textHash(shown, this.#crypto);
        this.#state({ type: 'redaction', n, head: hexEncode(hash), textSha }, nowSec);
      }
    });
  }

  /** One transaction with statements in it: those of one that failed were never made, and none follows them. */
  #stating<T>(act: () => T): T {
    const before = this.#lastStatement;
    try {
      return inTransaction(this.#db, act);
    } catch (cause) {
      this.#lastStatement = before;
      throw cause;
    }
  }

  #state(about: Omit<StatementDraft, 'chain' | 'prev'>, nowSec: number): VerifiedEvent {
    const draft: StatementDraft = { ...about, chain: this.chain, prev: this.#lastStatement };
    const event = this.#signer.sign(statementTemplate(draft, this.#signer.authTag, nowSec));
    this.#sql.addStatement.run(draft.type satisfies StatementType, draft.n, event.id, event.json);
    this.#lastStatement = event.id;
    return event;
  }

  #appendOne(record: NewRecord): number | undefined {
    const { event, role, agent, opened } = record;
    const [first, last] = [opened?.events[0], opened?.events.at(-1)];
    const stream = role === 'telemetry' ? opened?.stream : undefined;
    const ref = stream === undefined ? undefined : this.#refs.streamOf(agent, stream, first?.channelId);
    if (this.#isHeld(record, ref, first?.seq)) return undefined;
    const agentRef = this.#refs.agentOf(agent);
    const isRedacted = opened !== undefined && opened.findings.length > 0;
    const text = opened === undefined || this.#sealed ? undefined : opened.shown;
    const head: RecordHead = {
      n: this.#n + 1,
      prev: this.#hash,
      id: event.id,
      role,
      agent,
      stream: stream ?? null,
      firstSeq: ref === undefined ? null : (first?.seq ?? null),
      lastSeq: ref === undefined ? null : (last?.seq ?? null),
      createdAtSec: event.created_at,
      receivedAtMs: record.receivedAtMs,
      envelope: opened?.hash ?? null,
      textSha: text === undefined ? null : isRedacted ? textHash(text, this.#crypto) : (opened?.hash ?? null),
    };
    const hash = recordHash(this.chain, head, this.#crypto);
    const body: RecordBody = {
      kind: event.kind,
      tags: JSON.stringify(event.tags),
      sig: event.sig,
      content: isRedacted && this.#drops ? undefined : event.content,
      opening: isRedacted || text === undefined ? undefined : opened?.opening,
      text,
    };
    this.#chain(head, hash, body, agentRef, ref);
    if (opened !== undefined) this.#notes.take(head.n, record);
    return head.n;
  }

  /** Whether this event, or its envelope in another event, is kept already. */
  #isHeld({ event, opened }: NewRecord, ref: StreamRef | undefined, firstSeq: number | undefined): boolean {
    if (this.#rowIds.has(event.id) || this.#sql.byId.get(hexDecode(event.id)) !== undefined) return true;
    if (ref === undefined || firstSeq === undefined || opened === undefined || firstSeq > ref.top) return false;
    this.#writeRows();
    return this.#sql.byEnvelope.get(ref.stream, firstSeq, hexDecode(opened.hash)) !== undefined;
  }

  /** Notes a range of a stream that the harness, when it was asked, no longer had. Throws what SQLite throws. */
  noteLost(agent: string, stream: string, firstSeq: number, lastSeq: number): void {
    this.#sql.noteLost.run(this.#refs.streamOf(agent, stream).stream, firstSeq, lastSeq, LOST_WHEN_ASKED);
  }

  /** Puts a record of an export where it stood; false where its event is kept already. The caller has checked that it follows the newest one. Throws what SQLite throws. */
  restore(record: StoredRecord, findings: readonly Finding[]): boolean {
    const { agent, stream } = record;
    const ref = stream === null ? undefined : this.#refs.streamOf(agent, stream);
    if (this.#sql.byId.get(hexDecode(record.id)) !== undefined) return false;
    this.#chain(record, record.hash, record, this.#refs.agentOf(agent), ref);
    this.#writeRows();
    this.#notes.takeStored(record, findings, this.#crypto);
    return true;
  }

  /** Puts a statement of an export where it stood. */
  restoreStatement({ type, n, id, json, head }: Statement): void {
    this.#sql.addStatement.run(type, n, id, json);
    this.#lastStatement = id;
    if (type === 'tombstone') this.setMeta('pruned_hash', head);
  }

  /** Notes what an export tells of an agent. */
  restoreAgent(publicKey: string, name: string | null, keyMadeBy: string | null): void {
    const agent = this.#refs.agentOf(publicKey);
    if (name !== null) this.#sql.nameAgent.run(name, agent);
    if (keyMadeBy !== null) this.#sql.noteKey.run(keyMadeBy, agent);
  }

  /** Notes what an export tells of a stream beyond its records. */
  restoreStream({ agent, stream, channelId, headSeq, headHash, closed, lost }: StreamLine): void {
    const ref = this.#refs.streamOf(agent, stream, channelId).stream;
    this.#sql.noteHead.run(headSeq, headHash, ref, headSeq);
    if (closed) this.#sql.noteClosed.run(ref);
    for (const [first, last, reason] of lost) this.#sql.noteLost.run(ref, first, last, reason);
  }

  /** Makes this the newest record of the chain; its rows are written by `#writeRows`. */
  #chain(head: RecordHead, hash: string, body: RecordBody, agentRef: number, ref: StreamRef | undefined): void {
    const { n, id, role, firstSeq, lastSeq, createdAtSec, receivedAtMs, envelope, textSha } = head;
    const { kind, tags, sig, content, opening, text } = body;
    const [stream, envelopeBytes] = [ref?.stream ?? null, bytesOrNull(envelope)];
    const textBytes = textSha === envelope ? envelopeBytes : bytesOrNull(textSha);
    const place = [role, agentRef, stream, firstSeq, lastSeq, createdAtSec, receivedAtMs];
    const stored = content === undefined ? null : storedContent(content, this.#crypto);
    const packed = text === undefined ? null : this.#packer.pack(utf8Encode(text));
    this.#rows.push({
      record: [n, hexDecode(id), ...place, envelopeBytes, textBytes, hexDecode(hash)],
      body: [n, kind, tags, hexDecode(sig), stored, opening ?? null, packed],
    });
    this.#rowIds.add(id);
    this.#n = n;
    this.#hash = hash;
    if (ref !== undefined) ref.top = Math.max(ref.top, firstSeq ?? 0);
  }

  /** Table by table: what SQLite works on then stays in the processor's cache, which saves a sixth of it. */
  #writeRows(): void {
    for (const { record } of this.#rows) this.#sql.addRecord.run(...record);
    for (const { body } of this.#rows) this.#sql.addBody.run(...body);
    this.#rows = [];
    this.#rowIds.clear();
  }
}

function bytesOrNull(hex: string | null): Uint8Array | null {
  return hex === null ? null : hexDecode(hex);
}

function storedContent(content: string, crypto: Crypto): Uint8Array | string {
  try {
    // Only canonical base64 decodes, so encoding it again gives the very text that was signed.
    return crypto.base64Decode(content);
  } catch {
    return content;
  }
}
