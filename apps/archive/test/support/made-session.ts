import type { ReceivedEvent } from '@heliograph/client';
import { createReader, RecordStore, ViewStore } from '@heliograph/record';
import {
  attest,
  type Crypto,
  decodeEnvelope,
  encodeForEnvelope,
  eventSigner,
  FIRST_PREV,
  hexDecode,
  localSigner,
  type ObserverEvent,
  packEnvelope,
  sealContent,
  signFrame,
} from '@heliograph/wire';
import { type ArchiveFile, openArchiveFile } from '../../src/archive-file.ts';
import { Indexer } from '../../src/indexer.ts';
import { Opener } from '../../src/opener.ts';
import { packer } from '../../src/packer.ts';

const secretOf = (fill: number) => new Uint8Array(32).fill(fill);
export const ownerSecret = secretOf(1);

/** A session of one agent made line by line: numbered, packed, chained, sealed and signed as a harness does. */
export class MadeSession {
  readonly stream: string;
  readonly channelId: string | null;
  readonly agent: string;
  readonly #crypto: Crypto;
  readonly #signer;
  readonly #owner: string;
  #seq = 0;
  #prev = FIRST_PREV;
  #micros = 0;
  turnId: string | null = null;

  constructor(stream: string, channelId: string | null, crypto: Crypto) {
    this.stream = stream;
    this.channelId = channelId;
    this.#crypto = crypto;
    this.#signer = localSigner(secretOf(2), crypto);
    this.agent = this.#signer.publicKey;
    this.#owner = localSigner(ownerSecret, crypto).publicKey;
  }

  event(kind: string, payload: unknown): ObserverEvent & { readonly stream: string } {
    const at = this.#micros++;
    return {
      seq: ++this.#seq,
      timestamp: `${new Date(1_790_000_000_000 + Math.floor(at / 1_000)).toISOString().slice(0, -1)}${String(at % 1_000).padStart(3, '0')}Z`,
      kind,
      agentIndex: 0,
      channelId: this.channelId,
      sessionId: this.channelId === null ? null : 's',
      turnId: this.turnId,
      stream: this.stream,
      payload: JSON.stringify(payload),
    };
  }

  says(text: string): ObserverEvent & { readonly stream: string } {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    return this.event('acp_read', { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } });
  }

  /** The events of a whole turn: a prompt, so many chunks of these words, a command, the end. */
  turn(
    number: number,
    chunks: number,
    words: (chunk: number) => string,
  ): (ObserverEvent & { readonly stream: string })[] {
    this.turnId = `turn-${number}`;
    const update = (body: object) =>
      this.event('acp_read', { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: body } });
    const prompt = [{ type: 'text', text: `prompt ${number}` }];
    const toolCallId = `call-${number}`;
    const rawInput = { command: `npm test -- ${number}` };
    const events = [
      this.event('turn_started', { source: 'owner', triggeringEventIds: [] }),
      this.event('acp_write', {
        jsonrpc: '2.0',
        id: number,
        method: 'session/prompt',
        params: { sessionId: 's', prompt },
      }),
      ...Array.from({ length: chunks }, (_, chunk) => this.says(words(chunk))),
      update({
        sessionUpdate: 'tool_call',
        toolCallId,
        title: 'Run tests',
        kind: 'execute',
        status: 'pending',
        rawInput,
      }),
      update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', rawOutput: { exit_code: 0 } }),
      this.event('acp_read', { jsonrpc: '2.0', id: number, result: { stopReason: 'end_turn' } }),
      this.event('turn_completed', { outcome: 'completed', stopReason: 'end_turn' }),
    ];
    this.turnId = null;
    return events;
  }

  /** A tool call, asked for where `answer` (an option's id) is given, and done or not. */
  call(
    toolCallId: string,
    kind: string,
    rawInput: object,
    answer: 'allow_once' | 'reject_once' | undefined,
    done: boolean,
  ): (ObserverEvent & { readonly stream: string })[] {
    const read = (body: object) => this.event('acp_read', { jsonrpc: '2.0', ...body });
    const update = (body: object) =>
      read({ method: 'session/update', params: { sessionId: 's', update: { toolCallId, ...body } } });
    const options = ['allow_once', 'reject_once'].map((option) => ({ optionId: option, name: option, kind: option }));
    const toolCall = { toolCallId, title: toolCallId, kind, rawInput };
    const id = `ask-${toolCallId}`;
    const asked = () => [
      read({ id, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } }),
      this.event('acp_write', {
        jsonrpc: '2.0',
        id,
        result: { outcome: { outcome: 'selected', optionId: answer } },
      }),
    ];
    return [
      update({ sessionUpdate: 'tool_call', title: toolCallId, kind, status: 'pending', rawInput }),
      ...(answer === undefined ? [] : asked()),
      update({ sessionUpdate: 'tool_call_update', status: done ? 'completed' : 'failed' }),
    ];
  }

  /** One frame of these events, as a viewer receives it. */
  async seal(events: readonly (ObserverEvent & { readonly stream: string })[]): Promise<ReceivedEvent> {
    const { envelope } = packEnvelope(events.map(encodeForEnvelope), 60_000, this.#prev, this.#crypto);
    this.#prev = envelope.hash;
    const route = { frame: 'telemetry', agent: this.agent, owner: this.#owner } as const;
    const content = await sealContent(envelope.text, route, this.#signer);
    const event = await signFrame(content, route, 1_790_000_000, this.#signer);
    const decoded = decodeEnvelope(envelope.text, this.#crypto);
    if (!decoded.ok) throw new Error(decoded.error.message);
    return { event, role: 'telemetry', agent: this.agent, envelope: { ...decoded.value, text: envelope.text } };
  }
}

/** The parts of an archive on a real file, without a viewer. */
export function openParts(path: string, crypto: Crypto, secrets: 'seal' | 'drop' = 'seal') {
  const owner = localSigner(ownerSecret, crypto).publicKey;
  const opened = openArchiveFile(path, { owner, atRest: 'open', secrets }, crypto);
  if (!opened.ok) throw Object.assign(new Error(opened.error.message), { code: opened.error.code });
  return { ...partsOf(opened.value, crypto), file: opened.value };
}

function partsOf({ db, reading }: ArchiveFile, crypto: Crypto) {
  const key = eventSigner(secretOf(3), crypto);
  const signer = { authTag: attest(ownerSecret, key.publicKey, 'kind=30078', crypto), sign: key.sign };
  const store = new RecordStore({ db, packer, crypto, signer });
  const reader = createReader(reading, packer, crypto);
  const indexer = new Indexer({ store, views: new ViewStore(db), reader, crypto, nowSec: () => 1_790_000_000 });
  const opener = new Opener(ownerSecret, hexDecode(store.meta('salt') ?? ''), crypto);
  const keep = (received: readonly ReceivedEvent[]) => {
    const records = received.map((each, at) => opener.record(each, 1_790_000_000_000 + at));
    const { numbers } = store.append(records);
    indexer.take(records, numbers);
    return numbers;
  };
  return { store, reader, indexer, opener, keep };
}
