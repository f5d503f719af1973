import type { Clock } from '@heliograph/client';
import {
  type ControlResult,
  type ElicitationAnswer,
  encodeError,
  hexEncode,
  type PermissionDecisionControl,
  type PermissionPolicy,
  utf8Encode,
} from '@heliograph/wire';
import type { Emitted, Place } from '../mirror/observer-bus.ts';
import type { SeqSpan } from '../mirror/sealed-envelope.ts';
import { permissionParams } from './acp-version.ts';
import {
  type AgentRequest,
  type RequestAnswer,
  type RequestInput,
  type RequestState,
  type RequestTerminal,
  stepRequest,
  type Verdict,
} from './agent-request.ts';
import { readElicitation } from './elicitation.ts';
import { MAX_ID_LENGTH, readPermission } from './permission.ts';
import type { OutLine, ReadLine } from './tap.ts';

export interface RequestDeskPort {
  /** What decides this request now, before the owner is asked. */
  policy(params: unknown, channelId: string | null): { readonly policy: PermissionPolicy; readonly rule?: string };
  readonly clock: Clock;
  /** How long a request may wait, 0 for any time. */
  readonly timeoutMs: number;
  /** 128 random bits, hex. */
  nonce(): string;
  sha256(bytes: Uint8Array): Uint8Array;
  write(lines: readonly OutLine[]): Promise<readonly Emitted[] | Error>;
  emitUrgent(place: Place, kind: string, payload: object, fromSeq?: number): Emitted;
  pin(span: SeqSpan): () => void;
  /** On whose behalf the open turn of a channel is being cancelled, if it is. */
  cancelledBy(channelId: string | null): 'owner' | 'harness' | undefined;
}

/** The answers that a cancelled turn owes, and what to call when they got out or could not. */
export interface CancelAnswers {
  readonly lines: readonly OutLine[];
  readonly written: (outcome: 'written' | 'gone') => void;
}

type Reply = (result: Omit<ControlResult, 'type' | 'requestId'>) => void;

interface Entry {
  /** Without what it could be answered by once it is closed. */
  request: AgentRequest;
  readonly bytes: number;
  readonly place: Place;
  readonly unpin: () => void;
  readonly cancelTimer: () => void;
  state: RequestState;
  reply: Reply | undefined;
}

const MAX_PENDING = 256;
/** Closed requests remembered, so that a late decision hears that it was late. */
const MAX_CLOSED = 1_024;
/** What open requests hold in memory, together. */
const MAX_PENDING_BYTES = 16 * 1_024 * 1_024;
/** An id over this is not kept: its request is refused at once. */
const MAX_RPC_ID_LENGTH = 4_096;
/** A request whose line is over this can only be rejected. */
const MAX_LINE_LENGTH = 1_024 * 1_024;
const RPC_INTERNAL = -32603;

/** The requests of an agent that wait for somebody's answer, by their method. */
const ASKS = { 'session/request_permission': readPermission, 'elicitation/create': readElicitation } as const;

/** Whether a request of the agent's is one that this desk sees answered. */
export function isForDesk(method: string): boolean {
  return Object.hasOwn(ASKS, method);
}

/** All such requests of one agent process: shows them, and sees to it that each gets one answer. */
export class RequestDesk {
  readonly #port: RequestDeskPort;
  readonly #entries = new Map<string, Entry>();

  constructor(port: RequestDeskPort) {
    this.#port = port;
  }

  /** Takes a recorded request that `isForDesk`. */
  ask(line: ReadLine & { readonly message: { readonly type: 'request' } }): void {
    const { message, emitted, place, route } = line;
    const { clock, timeoutMs } = this.#port;
    const open = this.#pending();
    const refusal =
      open.length >= MAX_PENDING
        ? `more than ${MAX_PENDING} requests wait for an answer`
        : message.id.length > MAX_RPC_ID_LENGTH
          ? `the id of this request is longer than ${MAX_RPC_ID_LENGTH} characters`
          : undefined;
    if (refusal !== undefined) {
      void this.#port.write([{ text: encodeError(message.id, RPC_INTERNAL, refusal), via: 'harness' }]);
      return;
    }
    const params = permissionParams(message.params);
    const read = ASKS[message.method as keyof typeof ASKS](params);
    const { ask } = read;
    const toolCallId = readToolCallId(params);
    const isBounded = read.isBounded && (toolCallId?.length ?? 0) <= MAX_ID_LENGTH;
    // What is too long to look at is not kept in the spool for it either.
    const isLong = line.recorded.length > MAX_LINE_LENGTH;
    const bytes = message.id.length + (toolCallId?.length ?? 0) + sizeOf(ask);
    const request: AgentRequest = {
      requestNonce: this.#port.nonce(),
      requestSeq: emitted.firstSeq,
      requestSha256: hexEncode(this.#port.sha256(utf8Encode(line.recorded))),
      rpcId: message.id,
      toolCallId: toolCallId !== null && toolCallId.length <= MAX_ID_LENGTH ? toolCallId : null,
      actionable: emitted.whole && !line.redacted && isBounded && !isLong && message.id.length <= MAX_ID_LENGTH,
      stream: emitted.stream,
      channelId: route.channelId,
      sessionId: route.sessionId,
      turnId: place.turnId,
      ask,
      askedAt: emitted.timestamp,
      ...(timeoutMs > 0 ? { expiresAt: new Date(clock.nowMs() + timeoutMs).toISOString() } : {}),
    };
    const pending = this.#port.emitUrgent(place, `${ask.kind}_pending`, pendingPayload(request), emitted.firstSeq);
    const firstSeq = isLong ? pending.firstSeq : emitted.firstSeq;
    const unpin = this.#port.pin({ stream: emitted.stream, firstSeq, lastSeq: pending.lastSeq });
    const cancelTimer =
      timeoutMs > 0 ? clock.setTimer(timeoutMs, () => void this.#step(entry, { type: 'timed_out' })) : () => {};
    const entry: Entry = { request, bytes, place, unpin, cancelTimer, state: { phase: 'pending' }, reply: undefined };
    this.#entries.set(request.requestNonce, entry);
    this.#forgetOld();
    const isFull = open.reduce((sum, other) => sum + other.bytes, bytes) > MAX_PENDING_BYTES;
    const who = this.#port.cancelledBy(route.channelId) ?? (isFull ? 'harness' : undefined);
    if (who !== undefined) this.#step(entry, { type: 'cancelled', who });
    else this.#step(entry, { type: 'policy', ...this.#port.policy(params, route.channelId) });
  }

  /** An owner's answer to one of them. */
  decide(control: PermissionDecisionControl | ElicitationAnswer, reply: Reply): void {
    const { requestNonce, channelId, requestSha256 } = control;
    const entry = this.#entries.get(requestNonce);
    // Ours always carry the hash; without a requestId it is another implementation's control, which can't.
    const isBound = control.requestId === undefined || requestSha256 !== undefined;
    if (entry === undefined || !isBound) {
      reply({ status: 'unknown', reason: 'there is no such request (any more)', requestNonce });
      return;
    }
    const answer: RequestAnswer =
      control.type === 'permission_decision'
        ? { kind: 'permission', optionId: control.optionId, confirmed: control.confirm === true }
        : { kind: 'elicitation', action: control.action, content: control.content };
    const viewer = control.viewer !== undefined ? { viewer: control.viewer } : {};
    const decided = { type: 'decided', channelId, requestNonce, requestSha256, answer, ...viewer } as const;
    const verdict = this.#step(entry, decided, reply);
    if (verdict === undefined) return;
    const said = control.type === 'permission_decision' ? { optionId: control.optionId } : { action: control.action };
    reply({ ...verdict, requestNonce, ...said });
  }

  /** The agent takes a request back (`$/cancel_request`); `id` is its raw token. */
  withdraw(id: string): void {
    for (const entry of this.#pending()) if (entry.request.rpcId === id) this.#step(entry, { type: 'withdrawn' });
  }

  /** What is owed before a channel's turn may be cancelled; the caller writes it. */
  cancel(channelId: string, who: 'owner' | 'harness'): CancelAnswers {
    const entries = this.#pending().filter(({ request }) => request.channelId === channelId);
    const lines: OutLine[] = [];
    for (const entry of entries) {
      const { state, effects } = stepRequest(entry.request, entry.state, { type: 'cancelled', who });
      entry.state = state;
      for (const effect of effects) if (effect.type === 'answer') lines.push({ text: effect.text, via: effect.via });
    }
    return { lines, written: (type) => entries.forEach((entry) => void this.#step(entry, { type })) };
  }

  /** A turn is over: what it still asked is answered `cancelled`, and no decision of it is taken any more. */
  turnEnded(turnId: string): void {
    for (const entry of this.#pending())
      if (entry.request.turnId === turnId) this.#step(entry, { type: 'cancelled', who: 'harness' });
  }

  /** The agent is gone: nobody is left to answer. */
  gone(): void {
    for (const entry of this.#entries.values()) if (entry.state.phase !== 'closed') this.#step(entry, { type: 'gone' });
  }

  /** Whether something of this channel (null: of none) waits for an answer. */
  isWaiting(channelId: string | null): boolean {
    return this.#pending().some(({ request }) => request.channelId === channelId);
  }

  /** What waits for an answer, oldest first. */
  pending(): readonly AgentRequest[] {
    return this.#pending().map(({ request }) => request);
  }

  #pending(): Entry[] {
    return [...this.#entries.values()].filter(({ state }) => state.phase === 'pending');
  }

  #step(entry: Entry, input: RequestInput, reply?: Reply): Verdict | undefined {
    const { state, effects, verdict } = stepRequest(entry.request, entry.state, input);
    entry.state = state;
    if (verdict === undefined && reply !== undefined) entry.reply = reply;
    for (const effect of effects) {
      if (effect.type === 'terminal') this.#close(entry, effect.payload, input.type);
      else {
        void this.#port.write([{ text: effect.text, via: effect.via }]).then((outcome) => {
          this.#step(entry, { type: outcome instanceof Error ? 'gone' : 'written' });
        });
      }
    }
    return verdict;
  }

  #close(entry: Entry, payload: RequestTerminal, how: RequestInput['type']): void {
    const { kind } = entry.request.ask;
    this.#port.emitUrgent(entry.place, `${kind}_terminal`, payload);
    entry.unpin();
    entry.cancelTimer();
    entry.request = { ...entry.request, ask: CLOSED[kind] };
    const { requestNonce, reason: _reason, decidedBy: _decidedBy, ...chosen } = payload;
    if (how === 'written') entry.reply?.({ status: 'applied', requestNonce, ...chosen });
    else
      entry.reply?.({
        status: 'unknown',
        reason: 'the agent went away before the answer got out',
        requestNonce,
        ...chosen,
      });
    entry.reply = undefined;
  }

  #forgetOld(): void {
    for (const [nonce, { state }] of this.#entries) {
      if (this.#entries.size <= MAX_CLOSED) return;
      if (state.phase === 'closed') this.#entries.delete(nonce);
    }
  }
}

/** What is kept of a closed request's answers: nothing. */
const CLOSED = {
  permission: { kind: 'permission', options: [] },
  elicitation: { kind: 'elicitation', form: null, bytes: 0 },
} as const;

/** The tool call it is about: in a permission request's own call, or named by an elicitation. */
function readToolCallId(params: unknown): string | null {
  const { toolCall, toolCallId } = (params ?? {}) as {
    toolCall?: { toolCallId?: unknown } | null;
    toolCallId?: unknown;
  };
  const id = toolCall?.toolCallId ?? toolCallId;
  return typeof id === 'string' ? id : null;
}

function sizeOf(ask: AgentRequest['ask']): number {
  if (ask.kind === 'elicitation') return ask.bytes;
  return ask.options.reduce((sum, { optionId, kind = '' }) => sum + optionId.length + kind.length, 0);
}

function pendingPayload(request: AgentRequest) {
  const { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, expiresAt } = request;
  const expires = expiresAt !== undefined ? { expiresAt } : {};
  return { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, ...expires };
}
