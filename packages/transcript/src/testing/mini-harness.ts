import { classifyLine, type RpcMessage } from '@heliograph/wire/acp';
import { lineSha256, type ObserverEvent } from '@heliograph/wire/observer';

/** One line of a recording in fixtures/sessions. */
export interface RecordedLine {
  /** ms since the agent was started. */
  readonly t: number;
  readonly dir: 'read' | 'write';
  readonly line: string;
}

export const RUN = 'run-1';
export const STREAM = 'stream-1';
export const CHANNEL = 'channel-1';

type Body = Partial<Omit<ObserverEvent, 'payload'>> & { readonly kind: string; readonly payload: unknown };

/**
 * A harness in small: turns lines into the observer events that a real one would make of them (SPEC 1.2), in the order of the
 * wire. `quiet` leaves out what it says itself about turns and permissions, as if only the lines were known.
 */
export class MiniHarness {
  readonly events: ObserverEvent[] = [];
  readonly run: string;
  readonly stream: string;
  readonly #quiet: boolean;
  readonly #seqs = new Map<string, number>();
  readonly #requests = new Map<
    string,
    { readonly stream: string; readonly method: string; readonly turnId: string | null }
  >();
  readonly #asks = new Map<string, { readonly nonce: string; readonly turnId: string | null }>();
  #microseconds: number;
  #sessionId: string | null = null;
  /** A session was opened again and not prompted yet: what comes is its history. */
  #isRepeating = false;
  #turnId: string | null = null;
  #turns = 0;
  #nonces = 0;

  constructor({ quiet = false, run = RUN, stream = STREAM, fromSeconds = 0 } = {}) {
    this.#quiet = quiet;
    this.run = run;
    this.stream = stream;
    this.#microseconds = fromSeconds * 1_000_000;
    this.say(run, { kind: 'stream_opened', payload: { channelId: null } });
    const agent = { agentCommand: 'agent', agentArgs: ['--acp'], cwd: '/srv/dev', host: 'box' };
    this.say(run, { kind: 'harness_started', payload: { wire: 1, run, ...agent, version: '0.1.0', features: [] } });
    this.say(stream, { kind: 'stream_opened', payload: { channelId: CHANNEL } });
  }

  /** Takes a recording, line by line. */
  play(lines: readonly RecordedLine[]): this {
    for (const { t, dir, line } of lines) {
      this.#microseconds = Math.max(this.#microseconds, Math.round(t * 1000));
      if (dir === 'read') this.read(line);
      else this.write(line);
    }
    return this;
  }

  /** A line of the agent. */
  read(line: string | object, extra: Partial<ObserverEvent> = {}): void {
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    const message = this.#classify('read', text);
    if (message === undefined) return;
    const request =
      message.type === 'response' || message.type === 'error' ? this.#requests.get(message.id ?? '') : undefined;
    const stream = request?.stream ?? this.#streamOf(message);
    const repeats = this.#isRepeating && stream === this.stream && message.type === 'notification';
    const event = this.#line('acp_read', stream, text, repeats ? { ...extra, replayed: true } : extra);
    if (message.type === 'request' && message.method === 'session/request_permission') this.#ask(message, event);
    if (request !== undefined && 'id' in message) this.#requests.delete(message.id ?? '');
    if (request !== undefined) this.#answered(request, message);
  }

  /** A line of the client. */
  write(line: string | object, extra: Partial<ObserverEvent> = {}): void {
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    const message = this.#classify('write', text);
    if (message === undefined) return;
    const prompts = message.type === 'request' && message.method === 'session/prompt';
    if (prompts) this.#startTurn();
    if (message.type === 'request') this.#noteRepeating(message);
    const stream = message.type === 'response' || message.type === 'error' ? this.stream : this.#streamOf(message);
    if (message.type === 'request') {
      this.#requests.set(message.id, {
        stream,
        method: message.method,
        turnId: prompts ? `turn-${this.#turns}` : null,
      });
    }
    this.#line('acp_write', stream, text, extra);
    if (message.type === 'response') this.#decided(message.id, message.result);
  }

  /** An event of the harness's own. */
  say(stream: string, body: Body): ObserverEvent {
    const seq = (this.#seqs.get(stream) ?? 0) + 1;
    this.#seqs.set(stream, seq);
    this.#microseconds++;
    const isChannel = stream !== this.run;
    const event: ObserverEvent = {
      agentIndex: 0,
      channelId: isChannel ? CHANNEL : null,
      sessionId: isChannel ? this.#sessionId : null,
      turnId: isChannel ? this.#turnId : null,
      ...body,
      seq,
      timestamp: timestamp(this.#microseconds),
      stream,
      payload: typeof body.payload === 'string' ? body.payload : JSON.stringify(body.payload),
    };
    this.events.push(event);
    return event;
  }

  #classify(direction: 'read' | 'write', text: string): RpcMessage | undefined {
    const message = classifyLine(text);
    if (message.ok) return message.value;
    if (message.error.code === 'not-json') {
      this.say(this.stream, {
        kind: 'acp_parse_error',
        payload: { line: text, error: message.error.message, direction },
      });
    } else this.#line(direction === 'read' ? 'acp_read' : 'acp_write', this.stream, text, {});
    return undefined;
  }

  #noteRepeating({ method, params }: RpcMessage & { readonly type: 'request' }): void {
    if (method === 'session/prompt') this.#isRepeating = false;
    if (method !== 'session/load') return;
    this.#isRepeating = true;
    this.#sessionId = (params as { sessionId?: string } | undefined)?.sessionId ?? null;
  }

  #streamOf(message: RpcMessage): string {
    if (!('params' in message)) return this.stream;
    const params = message.params as Record<string, unknown> | undefined;
    return typeof params?.sessionId === 'string' || message.method.startsWith('$/') ? this.stream : this.run;
  }

  #line(kind: string, stream: string, payload: string, extra: Partial<ObserverEvent>): ObserverEvent {
    return this.say(stream, { ...extra, kind, payload });
  }

  #startTurn(): void {
    this.#turns++;
    if (this.#quiet) return;
    this.#turnId = `turn-${this.#turns}`;
    this.say(this.stream, { kind: 'turn_started', payload: { source: 'owner', triggeringEventIds: [] } });
  }

  #ask(message: RpcMessage & { readonly type: 'request' }, event: ObserverEvent): void {
    const nonce = `nonce-${++this.#nonces}`;
    this.#asks.set(message.id, { nonce, turnId: this.#turnId });
    if (this.#quiet) return;
    const payload = {
      requestNonce: nonce,
      requestSeq: event.seq,
      requestSha256: lineSha256(event.payload),
      rpcId: message.id,
      toolCallId: null,
      actionable: true,
    };
    this.say(this.stream, { kind: 'permission_pending', payload });
  }

  #decided(id: string, result: unknown): void {
    const ask = this.#asks.get(id);
    this.#asks.delete(id);
    if (ask === undefined || this.#quiet) return;
    const outcome = (result as { outcome?: { outcome?: string; optionId?: string } })?.outcome;
    const reason = outcome?.outcome === 'selected' ? 'applied' : 'cancelled';
    const payload = { requestNonce: ask.nonce, reason, optionId: outcome?.optionId, decidedBy: { who: 'owner' } };
    this.say(this.stream, { kind: 'permission_terminal', payload });
  }

  #answered(request: { readonly method: string; readonly turnId: string | null }, message: RpcMessage): void {
    const result = message.type === 'response' ? (message.result as Record<string, unknown> | null) : null;
    if (request.method === 'initialize') {
      this.say(this.run, { kind: 'agent_initialized', payload: { agentIndex: 0, initializeResult: result } });
    } else if (request.method === 'session/new' && typeof result?.sessionId === 'string') {
      this.#sessionId = result.sessionId;
      const resolved = { sessionId: result.sessionId, isNewSession: true, requestStream: this.run, requestSeq: 0 };
      this.say(this.stream, { kind: 'session_resolved', payload: resolved });
    } else if (request.method === 'session/load' && this.#sessionId !== null) {
      const resolved = { sessionId: this.#sessionId, isNewSession: false, loaded: true, requestStream: this.stream };
      this.say(this.stream, { kind: 'session_resolved', payload: { ...resolved, requestSeq: 0 } });
    } else if (request.method === 'session/prompt' && !this.#quiet) {
      const stopReason = typeof result?.stopReason === 'string' ? result.stopReason : null;
      const outcome = message.type === 'error' ? 'failed' : stopReason === 'cancelled' ? 'cancelled' : 'completed';
      this.say(this.stream, { kind: 'turn_completed', turnId: request.turnId, payload: { outcome, stopReason } });
      this.#turnId = null;
    }
  }
}

/** RFC 3339 with six fraction digits, counted from a fixed morning. */
function timestamp(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1_000_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [9 + Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `2026-11-30T${clock}.${String(microseconds % 1_000_000).padStart(6, '0')}Z`;
}
