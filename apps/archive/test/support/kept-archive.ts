import { readFileSync } from 'node:fs';
import type { ReceivedEvent } from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { createReader, RecordStore, ViewStore } from '@heliograph/record';
import {
  attest,
  type Control,
  decodeEnvelope,
  encodeControl,
  encodeForEnvelope,
  eventSigner,
  FIRST_PREV,
  hexDecode,
  localSigner,
  type ObserverEvent,
  packEnvelope,
  sealFrame,
} from '@heliograph/wire';
import { openArchiveFile } from '../../src/archive-file.ts';
import { Indexer } from '../../src/indexer.ts';
import { Opener } from '../../src/opener.ts';
import { packer } from '../../src/packer.ts';

export const { crypto } = selectNodeCrypto();
const secretOf = (fill: number) => new Uint8Array(32).fill(fill);
export const ownerSecret = secretOf(1);
export const owner = localSigner(ownerSecret, crypto);
const START_MS = 1_790_000_000_000;
/** Lines that a harness would put in one envelope. */
const ENVELOPE_EVENTS = 8;

type StreamEvent = ObserverEvent & { readonly stream: string };

/** A session of an agent, sealed and signed as a harness does, from the lines it and its client exchanged. */
class PlayedSession {
  readonly #signer;
  readonly #stream: string;
  #seq = 0;
  #prev = FIRST_PREV;

  constructor(stream: string, agentFill: number) {
    this.#stream = stream;
    this.#signer = localSigner(secretOf(agentFill), crypto);
  }

  get agent(): string {
    return this.#signer.publicKey;
  }

  get channelId(): string {
    return `channel of ${this.#stream}`;
  }

  /** `lines`: what was read from the agent and written to it. */
  async play(lines: readonly { readonly dir: string; readonly line: string }[]): Promise<ReceivedEvent[]> {
    const events: StreamEvent[] = [];
    let open: { readonly id: unknown; readonly turnId: string } | undefined;
    for (const { dir, line } of lines) {
      const message = JSON.parse(line) as { id?: unknown; method?: string; result?: { stopReason?: string } };
      if (message.method === 'session/prompt') {
        open = { id: message.id, turnId: `${this.#stream}-turn-${this.#seq}` };
        events.push(this.#event('turn_started', '{"source":"owner","triggeringEventIds":[]}', open.turnId));
      }
      events.push(this.#event(dir === 'write' ? 'acp_write' : 'acp_read', line, open?.turnId));
      if (dir === 'read' && open !== undefined && message.id === open.id && message.method === undefined) {
        const ended = { outcome: 'completed', stopReason: message.result?.stopReason };
        events.push(this.#event('turn_completed', JSON.stringify(ended), open.turnId));
        open = undefined;
      }
    }
    const sealed: ReceivedEvent[] = [];
    while (events.length > 0) sealed.push(await this.#seal(events.splice(0, ENVELOPE_EVENTS)));
    return sealed;
  }

  async control(control: Control): Promise<ReceivedEvent> {
    const route = { frame: 'control', agent: this.agent, owner: owner.publicKey } as const;
    const event = await sealFrame(encodeControl(control), route, START_MS / 1_000, owner);
    return { event, role: 'control', agent: this.agent, envelope: undefined };
  }

  #event(kind: string, payload: string, turnId: string | undefined): StreamEvent {
    const seq = ++this.#seq;
    return {
      seq,
      timestamp: new Date(START_MS + seq * 250).toISOString().replace('Z', '000Z'),
      kind,
      agentIndex: 0,
      channelId: this.channelId,
      sessionId: 's',
      turnId: turnId ?? null,
      stream: this.#stream,
      payload,
    };
  }

  async #seal(events: readonly StreamEvent[]): Promise<ReceivedEvent> {
    const { envelope, rest } = packEnvelope(events.map(encodeForEnvelope), 60_000, this.#prev, crypto);
    if (rest.length > 0) throw new RangeError('the lines of the test do not fit one envelope');
    this.#prev = envelope.hash;
    const route = { frame: 'telemetry', agent: this.agent, owner: owner.publicKey } as const;
    const event = await sealFrame(envelope.text, route, START_MS / 1_000, this.#signer);
    const decoded = decodeEnvelope(envelope.text, crypto);
    if (!decoded.ok) throw new Error(decoded.error.message);
    return { event, role: 'telemetry', agent: this.agent, envelope: { ...decoded.value, text: envelope.text } };
  }
}

/** The lines of a recorded session of a real agent. */
export function recording(name: string): { readonly dir: string; readonly line: string }[] {
  const text = readFileSync(new URL(`../../../../fixtures/sessions/${name}.ndjson`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { dir: string; line: string }]));
}

/** A session in which the agent says and does what this is given. */
export function madeLines(
  updates: readonly object[],
  prompt = 'go',
): { readonly dir: string; readonly line: string }[] {
  const write = (message: object) => ({ dir: 'write', line: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const read = (message: object) => ({ dir: 'read', line: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const content = [{ type: 'text', text: prompt }];
  return [
    write({ id: 1, method: 'session/new', params: { cwd: '/work/made', mcpServers: [] } }),
    read({ id: 1, result: { sessionId: 's' } }),
    write({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt: content } }),
    ...updates.map((update) => read({ method: 'session/update', params: { sessionId: 's', update } })),
    read({ id: 2, result: { stopReason: 'end_turn' } }),
  ];
}

/** An archive on a real file that kept these sessions: each of an agent and a stream of its own; a checkpoint after each. */
export async function keepArchive(
  path: string,
  sessions: readonly (readonly { readonly dir: string; readonly line: string }[])[],
  settings: { readonly atRest?: 'open' | 'sealed'; readonly secrets?: 'seal' | 'drop' } = {},
): Promise<void> {
  const opened = openArchiveFile(
    path,
    { owner: owner.publicKey, atRest: 'open', secrets: 'seal', ...settings },
    crypto,
  );
  if (!opened.ok) throw new Error(opened.error.message);
  const { db } = opened.value;
  const key = eventSigner(secretOf(3), crypto);
  const signer = { authTag: attest(ownerSecret, key.publicKey, 'kind=30078', crypto), sign: key.sign };
  const store = new RecordStore({ db, packer, crypto, signer });
  const reader = createReader(db, packer, crypto);
  const indexer = new Indexer({ store, views: new ViewStore(db), reader, crypto, nowSec: () => START_MS / 1_000 });
  const opener = new Opener(ownerSecret, hexDecode(store.meta('salt') ?? ''), crypto);
  let received = 0;
  for (const [at, lines] of sessions.entries()) {
    const session = new PlayedSession(`s${at + 1}`, 20 + at);
    const frames = await session.play(lines);
    frames.splice(1, 0, await session.control(cancelOf(session.channelId, at)));
    const records = frames.map((frame) => opener.record(frame, START_MS + 1_000 * received++));
    const { numbers } = store.append(records);
    store.nameAgent(session.agent, `agent ${at + 1}`);
    if (settings.atRest !== 'sealed') indexer.take(records, numbers);
    if (settings.atRest !== 'sealed') indexer.flush();
    store.checkpoint(START_MS / 1_000 + received);
  }
  opened.value.close();
}

function cancelOf(channelId: string, at: number): Control {
  const issuedAt = new Date(START_MS).toISOString();
  return { type: 'cancel_turn', requestId: `request-${at}`, issuedAt, run: 'r', channelId, turnId: 'none' };
}
