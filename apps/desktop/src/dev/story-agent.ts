import type { Presence, ViewerEvent } from '@heliograph/client';
import { lineSha256, NO_FIGURES, type ObserverEvent, type UsageFigures } from '@heliograph/wire';

/** In ms: stories count in it. */
export const MINUTE = 60_000;

/** A made-up id of the right shape, the same for the same name. */
export function madeUpId(name: string): string {
  let hash = 0x811c9dc5;
  const hex = Array.from({ length: 32 }, (_, at) => {
    for (const character of `${name}${at}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
    return (hash & 15).toString(16);
  }).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export interface StoryAgentOptions {
  readonly name: string;
  readonly host: string;
  readonly cwd: string;
  /** When the story begins, ms. */
  readonly startMs: number;
  readonly harness?: Presence['harness'];
  readonly process?: Presence['process'];
  readonly lastHeardMs?: number;
  readonly modes?: object;
  /** It has not answered session/new: what it asks belongs to no channel. */
  readonly early?: boolean;
}

/** Writes what an agent and its harness would have sent, as observer events of one harness stream and one channel. */
export class StoryAgent {
  readonly publicKey: string;
  readonly channelId: string;
  readonly events: ObserverEvent[] = [];
  readonly #options: StoryAgentOptions;
  readonly #run: string;
  readonly #stream: string;
  readonly #sessionId: string;
  readonly #seqs = new Map<string, number>();
  readonly #usage: ViewerEvent[] = [];
  #atUs: number;
  #turnId: string | null = null;
  #rpcId = 0;

  constructor(options: StoryAgentOptions) {
    this.#options = options;
    this.publicKey = madeUpId(`key ${options.name} ${options.cwd}`).replaceAll('-', '').repeat(2);
    this.channelId = madeUpId(`channel ${options.name} ${options.cwd}`);
    this.#run = madeUpId(`run ${options.name} ${options.cwd}`);
    this.#stream = madeUpId(`stream ${options.name} ${options.cwd}`);
    this.#sessionId = madeUpId(`session ${options.name} ${options.cwd}`);
    this.#atUs = options.startMs * 1_000;
    this.#begin();
  }

  /** Lets time pass. */
  wait(ms: number): this {
    this.#atUs += ms * 1_000;
    return this;
  }

  #begin(): void {
    const { host, cwd, name, modes } = this.#options;
    this.#emit(this.#run, 'stream_opened', { channelId: null });
    this.#emit(this.#run, 'harness_started', {
      wire: 1,
      run: this.#run,
      agentCommand: 'claude-agent-acp',
      agentArgs: [],
      cwd,
      host,
      version: '0.1.0',
      features: [],
      keyMadeBy: 'owner',
    });
    const initialize = { protocolVersion: 1, clientCapabilities: { fs: {}, terminal: false } };
    this.#emit(this.#run, 'acp_write', { jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize });
    const initializeResult = { protocolVersion: 1, agentInfo: { name: name.toLowerCase(), title: name, version: '1' } };
    this.#emit(this.#run, 'acp_read', { jsonrpc: '2.0', id: 0, result: initializeResult });
    this.#emit(this.#run, 'agent_initialized', { agentIndex: 0, initializeResult });
    const request = this.#seqs.get(this.#run) ?? 0;
    this.#emit(this.#run, 'acp_write', {
      jsonrpc: '2.0',
      id: 1,
      method: 'session/new',
      params: { cwd, mcpServers: [] },
    });
    this.#emit(this.#stream, 'stream_opened', { channelId: this.channelId });
    if (this.#options.early === true) return;
    this.#emit(this.#run, 'acp_read', { jsonrpc: '2.0', id: 1, result: { sessionId: this.#sessionId, ...modes } });
    this.#emit(this.#stream, 'session_resolved', {
      sessionId: this.#sessionId,
      isNewSession: true,
      requestStream: this.#run,
      requestSeq: request + 1,
    });
    this.#rpcId = 1;
  }

  /** The owner's prompt, with the turn it begins. */
  prompt(text: string): this {
    this.#turnId = madeUpId(`turn ${this.#stream} ${this.#rpcId}`);
    this.#emit(this.#stream, 'turn_started', { source: 'owner', triggeringEventIds: [] });
    const params = { sessionId: this.#sessionId, prompt: [{ type: 'text', text }] };
    const message = { jsonrpc: '2.0', id: ++this.#rpcId, method: 'session/prompt', params };
    return this.#emit(this.#stream, 'acp_write', message, { via: 'owner' });
  }

  update(update: object): this {
    const params = { sessionId: this.#sessionId, update };
    return this.#emit(this.#stream, 'acp_read', { jsonrpc: '2.0', method: 'session/update', params });
  }

  say(text: string, messageId?: string): this {
    for (const chunk of text.match(/[\s\S]{1,24}/g) ?? []) {
      this.wait(18).update({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: chunk },
        ...(messageId === undefined ? {} : { messageId }),
      });
    }
    return this;
  }

  think(text: string, ms: number): this {
    this.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: text.slice(0, 20) } });
    return this.wait(ms).update({
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: text.slice(20) },
    });
  }

  /** A tool call from its beginning to `end`; without an end it goes on. */
  tool(toolCallId: string, call: object, ms: number, end?: object): this {
    this.update({ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress', ...call }).wait(ms);
    return end === undefined ? this : this.update({ sessionUpdate: 'tool_call_update', toolCallId, ...end });
  }

  /** A request for permission that waits (or not, without `isPending`). */
  ask(toolCall: object, options: readonly object[], isPending = true): this {
    const id = ++this.#rpcId + 100;
    const params = { sessionId: this.#sessionId, toolCall, options };
    const request = { jsonrpc: '2.0', id, method: 'session/request_permission', params };
    this.#emit(this.#stream, 'acp_read', request);
    if (!isPending) return this;
    return this.#emit(this.#stream, 'permission_pending', {
      requestNonce: madeUpId(`nonce ${this.#stream} ${id}`).replaceAll('-', ''),
      requestSeq: this.#seqs.get(this.#stream) ?? 0,
      requestSha256: lineSha256(JSON.stringify(request)),
      rpcId: String(id),
      toolCallId: (toolCall as { toolCallId?: string }).toolCallId ?? null,
      actionable: true,
    });
  }

  /** A form, or a page to visit, that waits. */
  elicit(params: object): this {
    const id = ++this.#rpcId + 100;
    const { early = false } = this.#options;
    const stream = early ? this.#run : this.#stream;
    const scope = early ? { requestId: 1 } : { sessionId: this.#sessionId };
    const request = { jsonrpc: '2.0', id, method: 'elicitation/create', params: { ...scope, ...params } };
    this.#emit(stream, 'acp_read', request);
    return this.#emit(stream, 'elicitation_pending', {
      requestNonce: madeUpId(`nonce ${this.#stream} ${id}`).replaceAll('-', ''),
      requestSeq: this.#seqs.get(stream) ?? 0,
      requestSha256: lineSha256(JSON.stringify(request)),
      rpcId: String(id),
      toolCallId: null,
      actionable: true,
    });
  }

  /** The answer to the newest form. */
  fill(content: object): this {
    const id = this.#rpcId + 100;
    this.#emit(
      this.#stream,
      'acp_write',
      { jsonrpc: '2.0', id, result: { action: 'accept', content } },
      { via: 'owner' },
    );
    return this.#emit(this.#stream, 'elicitation_terminal', {
      requestNonce: madeUpId(`nonce ${this.#stream} ${id}`).replaceAll('-', ''),
      reason: 'applied',
      action: 'accept',
      decidedBy: { who: 'owner', viewer: 'phone' },
    });
  }

  /** The answer to the newest request. */
  decide(optionId: string): this {
    const id = this.#rpcId + 100;
    const result = { outcome: { outcome: 'selected', optionId } };
    this.#emit(this.#stream, 'acp_write', { jsonrpc: '2.0', id, result }, { via: 'owner' });
    return this.#emit(this.#stream, 'permission_terminal', {
      requestNonce: madeUpId(`nonce ${this.#stream} ${id}`).replaceAll('-', ''),
      reason: 'applied',
      optionId,
      decidedBy: { who: 'owner', viewer: 'phone' },
    });
  }

  end(stopReason: string, outcome = 'completed'): this {
    this.#emit(this.#stream, 'acp_read', { jsonrpc: '2.0', id: this.#rpcId, result: { stopReason } });
    this.#emit(this.#stream, 'turn_completed', { outcome, stopReason });
    this.#turnId = null;
    return this;
  }

  fail(payload: object): this {
    this.#emit(this.#stream, 'turn_error', payload);
    this.#emit(this.#stream, 'turn_completed', { outcome: 'failed', stopReason: null });
    this.#turnId = null;
    return this;
  }

  /** A line of the harness about the channel. */
  note(kind: string, payload: object): this {
    return this.#emit(this.#stream, kind, payload);
  }

  /** A turn, told by its usage alone, so many days ago. */
  used(daysAgo: number, turn: Partial<UsageFigures>, deltaReliable = true): this {
    const turnId = madeUpId(`usage ${this.publicKey} ${this.#usage.length}`);
    const report = {
      harness: this.#options.name,
      model: null,
      channelId: this.channelId,
      sessionId: this.#sessionId,
      turnId,
      turnSeq: this.#usage.length + 1,
      timestamp: new Date(this.#atUs / 1_000 - daysAgo * 86_400_000).toISOString(),
      turn: { ...NO_FIGURES, ...turn },
      cumulative: NO_FIGURES,
      deltaReliable,
      stopReason: 'end_turn',
    } as const;
    this.#usage.push({ type: 'usage', agent: this.publicKey, id: turnId, report });
    return this;
  }

  /** Lines that never arrive. */
  lose(count: number): this {
    this.#seqs.set(this.#stream, (this.#seqs.get(this.#stream) ?? 0) + count);
    return this;
  }

  presence(): Presence {
    const { name, host, harness = 'live', process = 'running' } = this.#options;
    return {
      agent: this.publicKey,
      name,
      harness,
      run: this.#run,
      liveStreams: harness === 'live' ? [this.#run, this.#stream] : [],
      lastHeardMs: this.#options.lastHeardMs ?? this.#atUs / 1_000,
      process,
      host,
      refusal: undefined,
    };
  }

  viewerEvents(): readonly ViewerEvent[] {
    return [
      { type: 'events', agent: this.publicKey, events: this.events },
      { type: 'presence', presence: this.presence() },
      ...this.#usage,
    ];
  }

  #emit(stream: string, kind: string, payload: object, more: Partial<ObserverEvent> = {}): this {
    const seq = (this.#seqs.get(stream) ?? 0) + 1;
    this.#seqs.set(stream, seq);
    this.#atUs += 1_000;
    const isHarness = stream === this.#run;
    this.events.push({
      seq,
      timestamp: `${new Date(this.#atUs / 1_000).toISOString().slice(0, -1)}${String(this.#atUs % 1_000).padStart(3, '0')}Z`,
      kind,
      agentIndex: 0,
      channelId: isHarness ? null : this.channelId,
      sessionId: isHarness || this.#options.early === true ? null : this.#sessionId,
      turnId: isHarness ? null : this.#turnId,
      stream,
      payload: JSON.stringify(payload),
      ...more,
    });
    return this;
  }
}
