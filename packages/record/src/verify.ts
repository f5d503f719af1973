import {
  type Crypto,
  type DecodedEnvelope,
  decodeEnvelope,
  decryptWithOpening,
  hexDecode,
  isHex64,
  isHex128,
  KIND_OBSERVER,
  KIND_USAGE,
  type NostrEvent,
  parseEvent,
  parseFrame,
  verifyEvent,
} from '@heliograph/wire';
import { EnvelopeChain } from './envelope-chain.ts';
import { type RecordHead, recordHash, type StoredRecord, textHash } from './record.ts';
import { parseStatement, type Statement } from './statement.ts';
import { streamFacts } from './stream-facts.ts';
import type { Problem, ProblemCode, VerifyReport } from './verify-report.ts';

/** What a verifier is told before the records. */
export interface VerifyInput {
  /** The chain's id as the file says it. */
  readonly chain: string;
  /** JSON texts of the statements, in the order of the file. */
  readonly statements: readonly string[];
  /** Public keys and hashes that come from elsewhere: the owner's, and witnessed checkpoints (statement ids or record hashes). */
  readonly owner?: string | undefined;
  readonly witnesses?: readonly string[];
  /** Only a part of the chain is there: it begins with record `first`, whose `prev` can't be told from here. */
  readonly excerpt?: { readonly first: number; readonly prev: string } | undefined;
  /** The signed events' contents and openings were left out on purpose. */
  readonly eventsLeftOut?: boolean;
  readonly crypto: Crypto;
}

const MAX_LISTED = 100;

/**
 * Checks an archive record by record, in the order of the file, with nothing but what the file holds and public keys. Feed
 * every record to `add`, then take the `report`. Cost: one signature check a record, and one decryption where it has an
 * opening; memory grows with streams and holes, not with records.
 */
export class ArchiveVerifier {
  readonly #crypto: Crypto;
  readonly #chain: string;
  readonly #problems: Problem[] = [];
  #problemCount = 0;
  readonly #statements: readonly Statement[];
  readonly #heads = new Map<number, { readonly head: string; readonly type: Statement['type'] }[]>();
  readonly #redacted = new Map<number, string>();
  readonly #owner: string | undefined;
  readonly #archiveKey: string | undefined;
  readonly #unseenWitnesses: Set<string>;
  readonly #isExcerpt: boolean;
  readonly #eventsLeftOut: boolean;
  readonly #witnessed: { hash: string; n: number }[] = [];
  readonly #streams = new Map<
    string,
    { readonly agent: string; readonly stream: string; readonly chain: EnvelopeChain }
  >();
  readonly #agents = new Map<string, { keyMadeBy: 'owner' | 'agent' | undefined; records: number }>();
  #next: number;
  #prev: string;
  #first: number | undefined;
  #last: number | undefined;
  #count = 0;
  #whole = 0;
  #contentDropped = 0;
  #proved = 0;
  #redactedTexts = 0;
  #sealed = 0;
  #unproved = 0;
  #newestMs = 0;

  constructor({ chain, statements, owner, witnesses = [], excerpt, eventsLeftOut = false, crypto }: VerifyInput) {
    this.#crypto = crypto;
    this.#isExcerpt = excerpt !== undefined;
    this.#eventsLeftOut = eventsLeftOut;
    this.#chain = chain;
    this.#unseenWitnesses = new Set(witnesses.map((hash) => hash.toLowerCase()));
    this.#statements = this.#readStatements(statements);
    this.#archiveKey = this.#statements[0]?.archiveKey;
    const vouchedBy = this.#statements[0]?.owner;
    if (owner !== undefined && this.#statements.length > 0 && vouchedBy !== owner) {
      this.#found('statement', undefined, `the archive's key is not vouched for by the owner you named`);
    }
    this.#owner = vouchedBy ?? owner;
    const tombstones = this.#statements.filter(({ type }) => type === 'tombstone');
    this.#checkTombstones(tombstones);
    const last = tombstones.at(-1);
    this.#next = excerpt?.first ?? (last?.n ?? 0) + 1;
    this.#prev = excerpt?.prev ?? last?.head ?? chain;
    if (this.#unseenWitnesses.delete(this.#prev) && last !== undefined) {
      this.#witnessed.push({ hash: this.#prev, n: last.n });
    }
  }

  /** Whether a signed statement names this record and its hash. */
  isStated(n: number): boolean {
    return this.#heads.has(n);
  }

  /** Takes the next record of the file. */
  add(record: StoredRecord): void {
    const { n } = record;
    if (this.#first === undefined) this.#first = n;
    this.#follow(record);
    this.#checkEvent(record);
    this.#last = n;
    this.#count++;
    this.#newestMs = Math.max(this.#newestMs, record.receivedAtMs);
  }

  /** Takes the next record where only its head is told, because it was not asked for: it joins those beside it. */
  pass(head: RecordHead & { readonly hash: string }): void {
    this.#follow(head);
  }

  #follow(head: RecordHead & { readonly hash: string }): void {
    const { n } = head;
    if (n !== this.#next) {
      const range = n - this.#next > 1 ? `records ${this.#next} to ${n - 1} are` : `record ${this.#next} is`;
      if (n > this.#next) this.#found('missing', this.#next, `${range} not there, and no tombstone says why`);
      else this.#found('missing', n, `record ${n} should have been removed: a tombstone says it was`);
    } else if (recordHash(this.#chain, { ...head, prev: this.#prev }, this.#crypto) !== head.hash) {
      this.#found(
        'hash',
        n,
        `record ${n} was changed, moved or inserted: its hash does not follow from record ${n - 1}`,
      );
    }
    this.#checkStatedHeads(head);
    this.#next = n + 1;
    this.#prev = head.hash;
  }

  /** What was proved. Takes what is known beyond the records, like views that differ. */
  report(more: readonly Problem[] = []): VerifyReport {
    for (const [n, stated] of this.#heads) {
      if (n < this.#next || n === 0 || this.#isExcerpt) continue;
      const type = stated[0]?.type ?? 'checkpoint';
      this.#found(
        'missing',
        this.#next,
        `records ${this.#next} to ${n} are not there: a signed ${type} names record ${n}`,
      );
      break;
    }
    const gaps = [...this.#streams.values()].flatMap(({ agent, stream, chain }) => {
      const end = chain.endsAsTold;
      if (end?.ok === false) {
        this.#found('prev', end.n, `record ${end.n} is not the envelope that its agent says ends stream ${stream}`);
      }
      // What an excerpt leaves out is not missing.
      return this.#isExcerpt ? [] : chain.gaps().map((gap) => ({ agent, stream, ...gap }));
    });
    for (const hash of this.#unseenWitnesses) {
      const message = `the witnessed checkpoint ${hash} is not in this file: records were cut off, or it is another archive's`;
      this.#found('witness', undefined, message);
    }
    for (const problem of more) this.#found(problem.code, problem.n, problem.message);
    const checkpoint = this.#statements.findLast(({ type }) => type === 'checkpoint' || type === 'interruption');
    return {
      ok: this.#problemCount === 0,
      problems: this.#problems,
      problemCount: this.#problemCount,
      chain: this.#chain,
      archiveKey: this.#archiveKey,
      owner: this.#owner,
      records: { count: this.#count, first: this.#first, last: this.#last },
      events: { whole: this.#whole, contentDropped: this.#contentDropped },
      texts: {
        proved: this.#proved,
        redacted: this.#redactedTexts,
        sealed: this.#sealed,
        ...(this.#eventsLeftOut ? { unproved: this.#unproved } : {}),
      },
      agents: [...this.#agents].map(([publicKey, { keyMadeBy, records }]) => ({ publicKey, keyMadeBy, records })),
      streams: this.#streams.size,
      gaps,
      tombstones: this.#statements.flatMap(({ type, first = 0, n, reason = '', createdAtSec }) =>
        type === 'tombstone' ? [{ first, last: n, reason, atSec: createdAtSec }] : [],
      ),
      interruptions: this.#statements.flatMap(({ type, n, createdAtSec }) =>
        type === 'interruption' ? [{ afterRecord: n, atSec: createdAtSec }] : [],
      ),
      checkpoint:
        checkpoint === undefined ? undefined : { n: checkpoint.n, id: checkpoint.id, atSec: checkpoint.createdAtSec },
      afterCheckpoint: Math.max(0, (this.#last ?? 0) - (checkpoint?.n ?? 0)),
      completeTo: this.#newestMs === 0 ? undefined : new Date(this.#newestMs).toISOString(),
      witnessed: this.#witnessed,
    };
  }

  #readStatements(texts: readonly string[]): readonly Statement[] {
    const read: Statement[] = [];
    let prev = this.#chain;
    for (const [at, json] of texts.entries()) {
      const parsed = parseStatement(json, this.#crypto);
      if (!parsed.ok) {
        this.#found('statement', undefined, `statement ${at + 1} does not hold: ${parsed.error.message}`);
        continue;
      }
      const statement = parsed.value;
      const { type, n, id } = statement;
      const wrong =
        statement.chain !== this.#chain
          ? "is another archive's"
          : statement.prev !== prev
            ? 'does not follow the one before it: one was removed, added or moved'
            : read[0] !== undefined && statement.archiveKey !== read[0].archiveKey
              ? 'is signed with another key than those before it'
              : statement.owner === undefined
                ? "is signed with a key that no owner's word allows"
                : undefined;
      if (wrong !== undefined) this.#found('statement', n, `the ${type} at record ${n} ${wrong}`);
      prev = id;
      read.push(statement);
      if (this.#unseenWitnesses.delete(id)) this.#witnessed.push({ hash: id, n });
      if (type === 'redaction') this.#redacted.set(n, statement.textSha ?? '');
      const stated = this.#heads.get(n) ?? [];
      stated.push({ head: statement.head, type });
      this.#heads.set(n, stated);
    }
    return read;
  }

  #checkTombstones(tombstones: readonly Statement[]): void {
    let next = 1;
    for (const { first, n } of tombstones) {
      if (first !== next || n < next) {
        this.#found('tombstone', n, `the tombstone of records ${first} to ${n} should begin at record ${next}`);
      }
      next = n + 1;
    }
  }

  #checkStatedHeads({ n, hash }: { readonly n: number; readonly hash: string }): void {
    for (const { head, type } of this.#heads.get(n) ?? []) {
      if (head === hash) continue;
      this.#found('checkpoint', n, `record ${n} is not the one that the archive's signed ${type} names`);
    }
    if (this.#unseenWitnesses.delete(hash)) this.#witnessed.push({ hash, n });
  }

  #checkEvent(record: StoredRecord): void {
    const { n, agent } = record;
    const known = this.#agents.get(agent) ?? { keyMadeBy: undefined, records: 0 };
    known.records++;
    this.#agents.set(agent, known);
    const isRedacted = record.textSha !== record.envelope || this.#redacted.has(n);
    if (record.content === undefined) {
      if (!isRedacted && !this.#eventsLeftOut) this.#found('event', n, `the signed event of record ${n} is not there`);
      else if (!this.#signatureHolds(record)) this.#found('event', n, `the signature of record ${n} does not hold`);
      else this.#contentDropped++;
    } else {
      const wrong = this.#wrongWithEvent(record, record.content);
      if (wrong === undefined) this.#whole++;
      else this.#found('event', n, `the signed event of record ${n} ${wrong}`);
    }
    this.#checkText(record, isRedacted);
  }

  #wrongWithEvent(record: StoredRecord, content: string): string | undefined {
    const { id, sig, kind, tags, createdAtSec, role, agent } = record;
    const author = role === 'control' ? (this.#owner ?? '') : agent;
    let event: NostrEvent;
    try {
      const parsed = parseEvent({
        id,
        pubkey: author,
        created_at: createdAtSec,
        kind,
        tags: JSON.parse(tags),
        content,
        sig,
      });
      if (!parsed.ok) return `is none: ${parsed.error.message}`;
      event = parsed.value;
    } catch {
      return 'is none: its tags are no JSON';
    }
    const verified = verifyEvent(event, this.#crypto);
    if (!verified.ok) return `does not hold: ${verified.error.message}`;
    if (kind === KIND_USAGE && role === 'usage') return undefined;
    if (kind !== KIND_OBSERVER) return `has kind ${kind}, which is none of ours`;
    const route = parseFrame(verified.value);
    if (!route.ok) return `is no frame: ${route.error.message}`;
    if (route.value.frame !== role || route.value.agent !== agent) return 'is of another agent or direction';
    return this.#owner === undefined || route.value.owner === this.#owner ? undefined : 'was meant for another owner';
  }

  #signatureHolds({ id, sig, role, agent }: StoredRecord): boolean {
    const author = role === 'control' ? (this.#owner ?? '') : agent;
    if (!isHex64(id) || !isHex128(sig) || !isHex64(author)) return false;
    return this.#crypto.schnorrVerify(hexDecode(sig), hexDecode(id), hexDecode(author));
  }

  #checkText(record: StoredRecord, isRedacted: boolean): void {
    const { n, text, content, opening } = record;
    if (text === undefined) {
      if (record.textSha !== null) this.#found('text', n, `the text of record ${n} is not there`);
      else this.#sealed++;
      return;
    }
    const expected = this.#redacted.get(n) ?? record.textSha;
    const hash = textHash(text, this.#crypto);
    if (hash !== expected) {
      this.#found('text', n, `the text of record ${n} is not the one that was kept`);
      return;
    }
    if (isRedacted) this.#redactedTexts++;
    else if (this.#eventsLeftOut) this.#unproved++;
    else if (opening === undefined || content === undefined) {
      this.#found('text', n, `the text of record ${n} can't be proved: its opening is not there`);
      return;
    } else {
      const opened = decryptWithOpening(content, opening, this.#crypto);
      if (!opened.ok || opened.value !== text) {
        this.#found('text', n, `the text of record ${n} is not what its agent or owner signed`);
        return;
      }
      this.#proved++;
    }
    if (record.role === 'telemetry') this.#checkEnvelope(record, text, hash);
  }

  #checkEnvelope(record: StoredRecord, text: string, hash: string): void {
    const { n, agent, stream, firstSeq, lastSeq, envelope } = record;
    const decoded = decodeEnvelope(text, this.#crypto, hash);
    if (!decoded.ok) {
      this.#found('text', n, `the text of record ${n} is no envelope: ${decoded.error.message}`);
      return;
    }
    const { events, prev } = decoded.value;
    this.#noteFacts(agent, decoded.value);
    const [first, last] = [events[0], events.at(-1)];
    const standsHere = (decoded.value.stream ?? null) === stream && (stream === null || first?.seq === firstSeq);
    if (!standsHere || (stream !== null && last?.seq !== lastSeq)) {
      this.#found('text', n, `the text of record ${n} is of another stream or place`);
      return;
    }
    if (stream === null || firstSeq === null || lastSeq === null || envelope === null) return;
    const broken = events.findIndex((event, at) => event.seq !== firstSeq + at);
    if (broken > 0) this.#found('prev', n, `record ${n} skips from seq ${firstSeq + broken - 1} of stream ${stream}`);
    const wrong = this.#chainOf(agent, stream).add({ n, firstSeq, lastSeq, hash: envelope, prev });
    if (wrong !== undefined) this.#found('prev', n, `the agent's own chain breaks at record ${n}: ${wrong}`);
  }

  #noteFacts(agent: string, { events }: DecodedEnvelope): void {
    for (const event of events) {
      for (const fact of streamFacts(event)) {
        if (fact.type === 'head') this.#chainOf(agent, fact.stream).noteHead(fact.seq, fact.hash);
        const known = this.#agents.get(agent);
        if (fact.type === 'key' && known !== undefined) known.keyMadeBy = fact.keyMadeBy;
      }
    }
  }

  #chainOf(agent: string, stream: string): EnvelopeChain {
    const key = `${agent} ${stream}`;
    const known = this.#streams.get(key);
    if (known !== undefined) return known.chain;
    const made = { agent, stream, chain: new EnvelopeChain() };
    this.#streams.set(key, made);
    return made.chain;
  }

  #found(code: ProblemCode, n: number | undefined, message: string): void {
    this.#problemCount++;
    if (this.#problems.length < MAX_LISTED) this.#problems.push({ code, n, message });
  }
}
