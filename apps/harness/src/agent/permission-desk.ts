import type { Clock } from '@heliograph/client';
import {
  type ControlResult,
  encodeError,
  hexEncode,
  type PermissionDecisionControl,
  type PermissionPolicy,
  type PermissionTerminal,
  type RequestedOption,
  utf8Encode,
} from '@heliograph/wire';
import type { Emitted, Place } from '../mirror/observer-bus.ts';
import type { SeqSpan } from '../mirror/sealed-envelope.ts';
import {
  type PermissionInput,
  type PermissionRequest,
  type PermissionState,
  readOptions,
  stepPermission,
} from './permission.ts';
import type { OutLine, ReadLine } from './tap.ts';

export interface PermissionPort {
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

interface Entry {
  /** Without its options once it is closed. */
  request: PermissionRequest;
  readonly bytes: number;
  readonly place: Place;
  readonly unpin: () => void;
  readonly cancelTimer: () => void;
  state: PermissionState;
  reply: ((result: Omit<ControlResult, 'type' | 'requestId'>) => void) | undefined;
}

const MAX_PENDING = 256;
/** Closed requests remembered, so that a late decision hears that it was late. */
const MAX_CLOSED = 1_024;
/** What open requests hold in memory, together. */
const MAX_PENDING_BYTES = 16 * 1_024 * 1_024;
/** An id over this is not kept: its request is refused at once. */
const MAX_RPC_ID_LENGTH = 4_096;
/** A request whose ids or options are over these, or whose line is, can only be rejected. */
const MAX_ID_LENGTH = 1_024;
const MAX_OPTIONS = 64;
const MAX_KIND_LENGTH = 64;
const MAX_LINE_LENGTH = 1_024 * 1_024;
const RPC_INTERNAL = -32603;

/** All permission requests of one agent process: shows them, and sees to it that each gets one answer. */
export class PermissionDesk {
  readonly #port: PermissionPort;
  readonly #entries = new Map<string, Entry>();

  constructor(port: PermissionPort) {
    this.#port = port;
  }

  /** Takes a recorded `session/request_permission`. */
  ask(line: ReadLine & { readonly message: { readonly type: 'request' } }): void {
    const { message, emitted, place, route } = line;
    const { clock, timeoutMs } = this.#port;
    const open = this.#pending();
    const refusal =
      open.length >= MAX_PENDING
        ? `more than ${MAX_PENDING} permission requests are open`
        : message.id.length > MAX_RPC_ID_LENGTH
          ? `the id of this request is longer than ${MAX_RPC_ID_LENGTH} characters`
          : undefined;
    if (refusal !== undefined) {
      void this.#port.write([{ text: encodeError(message.id, RPC_INTERNAL, refusal), via: 'harness' }]);
      return;
    }
    const { toolCallId, options, isBounded } = readBounded(message.params);
    // What is too long to look at is not kept in the spool for it either.
    const isLong = line.recorded.length > MAX_LINE_LENGTH;
    const bytes = message.id.length + (toolCallId?.length ?? 0) + sizeOf(options);
    const request: PermissionRequest = {
      requestNonce: this.#port.nonce(),
      requestSeq: emitted.firstSeq,
      requestSha256: hexEncode(this.#port.sha256(utf8Encode(line.recorded))),
      rpcId: message.id,
      toolCallId,
      actionable: emitted.whole && !line.redacted && isBounded && !isLong && message.id.length <= MAX_ID_LENGTH,
      stream: emitted.stream,
      channelId: route.channelId,
      sessionId: route.sessionId,
      turnId: place.turnId,
      options,
      askedAt: emitted.timestamp,
      ...(timeoutMs > 0 ? { expiresAt: new Date(clock.nowMs() + timeoutMs).toISOString() } : {}),
    };
    const pending = this.#port.emitUrgent(place, 'permission_pending', pendingPayload(request), emitted.firstSeq);
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
    else this.#step(entry, { type: 'policy', ...this.#port.policy(message.params, route.channelId) });
  }

  decide(control: PermissionDecisionControl, reply: (result: Omit<ControlResult, 'type' | 'requestId'>) => void): void {
    const { requestNonce, optionId, channelId } = control;
    const entry = this.#entries.get(requestNonce);
    // Ours always carry the hash; without a requestId it is another implementation's control, which can't.
    const isBound = control.requestId === undefined || control.requestSha256 !== undefined;
    if (entry === undefined || !isBound) {
      reply({ status: 'unknown', reason: 'there is no such permission request (any more)', requestNonce });
      return;
    }
    const verdict = this.#step(
      entry,
      {
        type: 'decided',
        channelId,
        requestNonce,
        requestSha256: control.requestSha256,
        optionId,
        confirmed: control.confirm === true,
        ...(control.viewer !== undefined ? { viewer: control.viewer } : {}),
      },
      reply,
    );
    if (verdict !== undefined) reply({ status: verdict, reason: REASONS[verdict], requestNonce, optionId });
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
      const { state, effects } = stepPermission(entry.request, entry.state, { type: 'cancelled', who });
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

  /** Whether something of this channel waits for a decision. */
  isWaiting(channelId: string): boolean {
    return this.#pending().some(({ request }) => request.channelId === channelId);
  }

  /** What waits for a decision, oldest first. */
  pending(): readonly PermissionRequest[] {
    return this.#pending().map(({ request }) => request);
  }

  #pending(): Entry[] {
    return [...this.#entries.values()].filter(({ state }) => state.phase === 'pending');
  }

  #step(entry: Entry, input: PermissionInput, reply?: Entry['reply']) {
    const { state, effects, verdict } = stepPermission(entry.request, entry.state, input);
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

  #close(entry: Entry, payload: PermissionTerminal, how: PermissionInput['type']): void {
    this.#port.emitUrgent(entry.place, 'permission_terminal', payload);
    entry.unpin();
    entry.cancelTimer();
    entry.request = { ...entry.request, options: [] };
    const { requestNonce, optionId } = payload;
    const chosen = { requestNonce, ...(optionId !== undefined ? { optionId } : {}) };
    if (how === 'written') entry.reply?.({ status: 'applied', ...chosen });
    else entry.reply?.({ status: 'unknown', reason: 'the agent went away before the answer got out', ...chosen });
    entry.reply = undefined;
  }

  #forgetOld(): void {
    for (const [nonce, { state }] of this.#entries) {
      if (this.#entries.size <= MAX_CLOSED) return;
      if (state.phase === 'closed') this.#entries.delete(nonce);
    }
  }
}

const REASONS = {
  already_decided: 'this request was answered already',
  unknown: 'the decision does not belong to this request as the agent made it',
  invalid_option:
    'this option was not offered, needs confirm, or can only be chosen where the whole request can be seen',
} as const;

/** What a request is answered by, and no more of it than is held for it; a longer one keeps its ways to say no. */
function readBounded(params: unknown): {
  readonly toolCallId: string | null;
  readonly options: readonly RequestedOption[];
  readonly isBounded: boolean;
} {
  const { toolCallId } = (params as { toolCall?: { toolCallId?: unknown } | null } | null | undefined)?.toolCall ?? {};
  const id = typeof toolCallId === 'string' ? toolCallId : null;
  const offered = readOptions(params);
  const short = offered.filter(({ optionId }) => optionId.length <= MAX_ID_LENGTH);
  const isBounded =
    (id?.length ?? 0) <= MAX_ID_LENGTH && offered.length <= MAX_OPTIONS && short.length === offered.length;
  const options = isBounded ? short : short.filter(({ kind }) => kind?.startsWith('reject_')).slice(0, MAX_OPTIONS);
  return {
    toolCallId: id !== null && id.length <= MAX_ID_LENGTH ? id : null,
    options: options.map(withoutMore),
    isBounded,
  };
}

/** Kinds that are none of ACP's are never acted on. */
function withoutMore({ optionId, kind }: RequestedOption): RequestedOption {
  return { optionId, ...(typeof kind === 'string' && kind.length <= MAX_KIND_LENGTH ? { kind } : {}) };
}

function sizeOf(options: readonly RequestedOption[]): number {
  return options.reduce((sum, { optionId, kind = '' }) => sum + optionId.length + kind.length, 0);
}

function pendingPayload(request: PermissionRequest) {
  const { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, expiresAt } = request;
  const expires = expiresAt !== undefined ? { expiresAt } : {};
  return { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, ...expires };
}
