import { type Crypto, decodeEnvelope } from '@heliograph/wire';
import type { Finding, NewRecord, StoredRecord } from './record.ts';
import type { prepareAll } from './record-sql.ts';
import type { RowRefs } from './row-refs.ts';
import { type StreamFact, streamFacts } from './stream-facts.ts';

/** Notes what single records tell: of streams, of keys, of controls and their results, of usage. Turns are the ViewStore's. */
export class RecordNotes {
  readonly #sql: ReturnType<typeof prepareAll>;
  readonly #refs: RowRefs;
  readonly #sealed: boolean;

  /** `sealed`: nothing that is made from text may be kept. */
  constructor(sql: ReturnType<typeof prepareAll>, refs: RowRefs, sealed: boolean) {
    this.#sql = sql;
    this.#refs = refs;
    this.#sealed = sealed;
  }

  /** Notes what record `n` tells. */
  take(n: number, { role, agent, opened }: Pick<NewRecord, 'role' | 'agent' | 'opened'>): void {
    const agentRef = this.#refs.agentOf(agent);
    for (const event of opened?.events ?? []) {
      for (const fact of streamFacts(event)) this.#note(fact, agent, agentRef, event.stream ?? '');
    }
    if (this.#sealed) return;
    for (const { kind, digest } of opened?.findings ?? []) this.#sql.addRedaction.run(n, null, kind, digest);
    if (role === 'control') this.#noteControl(n, agentRef, opened?.shown ?? '');
    if (role === 'usage') this.#noteUsage(n, agentRef, opened?.shown ?? '');
  }

  /** Notes what a stored record tells, as far as its text is kept. */
  takeStored(record: StoredRecord, findings: readonly Finding[], crypto: Crypto): void {
    const { n, role, agent, stream, envelope, text } = record;
    if (text === undefined || envelope === null) return;
    const decoded = role === 'telemetry' ? decodeEnvelope(text, crypto) : undefined;
    const events = decoded?.ok === true ? decoded.value.events : [];
    if (stream !== null) this.#refs.streamOf(agent, stream, events[0]?.channelId);
    const named = stream ?? undefined;
    this.take(n, {
      role,
      agent,
      opened: { text, shown: text, findings, hash: envelope, opening: undefined, stream: named, events },
    });
  }

  #note(fact: StreamFact, agent: string, agentRef: number, stream: string): void {
    switch (fact.type) {
      case 'head':
        this.#sql.noteHead.run(fact.seq, fact.hash ?? null, this.#refs.streamOf(agent, fact.stream).stream, fact.seq);
        break;
      case 'closed':
        this.#sql.noteClosed.run(this.#refs.streamOf(agent, fact.stream).stream);
        break;
      case 'lost': {
        const { firstSeq, lastSeq, reason } = fact;
        this.#sql.noteLost.run(this.#refs.streamOf(agent, fact.stream).stream, firstSeq, lastSeq, reason);
        break;
      }
      case 'key':
        this.#sql.noteKey.run(fact.keyMadeBy, agentRef);
        break;
      case 'result': {
        if (this.#sealed) break;
        const { requestId, type, status, reason } = fact.result;
        const ref = this.#refs.streamOf(agent, stream).stream;
        this.#sql.noteResult.run(ref, fact.seq, textOf(requestId), type, status, textOf(reason), fact.at);
        break;
      }
    }
  }

  #noteControl(n: number, agentRef: number, text: string): void {
    const control = objectOf(text);
    const { requestId, type, issuedAt, channelId } = control;
    this.#sql.addControl.run(
      n,
      agentRef,
      textOf(requestId),
      textOf(type) ?? '?',
      textOf(issuedAt),
      textOf(channelId),
      text,
    );
  }

  #noteUsage(n: number, agentRef: number, text: string): void {
    const usage = objectOf(text);
    const turn = objectOf(usage.turn);
    this.#sql.addUsage.run(
      n,
      agentRef,
      textOf(usage.sessionId),
      textOf(usage.turnId),
      textOf(usage.model),
      numberOf(turn.inputTokens),
      numberOf(turn.outputTokens),
      numberOf(turn.totalTokens),
      numberOf(turn.costUsd),
      text,
    );
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  let found = value;
  if (typeof value === 'string') {
    try {
      found = JSON.parse(value);
    } catch {
      return {}; // Shown as it is, in the detail.
    }
  }
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
