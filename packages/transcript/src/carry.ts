import type { SessionState, Terminal, Transcript } from './model.ts';

/**
 * What the reducer must remember besides what is shown. Small, bounded, plain data: a turn can be folded again from the
 * carry at its start.
 */
export interface Carry {
  /** The harness stream (run) and the channel stream last seen, and the newest seq of the latter. */
  readonly run: string | undefined;
  readonly stream: string | undefined;
  readonly lastSeq: number;
  /** Timestamp of the newest event. */
  readonly lastAt: string | undefined;
  /** Requests client → agent without an answer, oldest first. */
  readonly requests: readonly PendingRequest[];
  /** Requests agent → client without an answer, oldest first. */
  readonly asks: readonly PendingAsk[];
  /** Questions of the agent that may still change, oldest first. */
  readonly questions: readonly QuestionSlot[];
  /** Open turns with a prompt or a turn_started, oldest first. */
  readonly open: readonly OpenTurn[];
  /** The prompt turn of this stream that ended last: where late lines go. */
  readonly last: OpenTurn | undefined;
  /** Tool calls of ended turns that never got a final status: late updates find them. */
  readonly tools: readonly { readonly toolCallId: string; readonly turnId: string }[];
  readonly terminals: readonly TerminalSlot[];
  /** The message being written. */
  readonly streaming: { readonly turnId: string; readonly itemId: string } | undefined;
  /** Answers to session/new and the like, kept until a channel says which session is its own. */
  readonly known: readonly { readonly sessionId: string; readonly patch: Partial<SessionState> }[];
  /** The history this agent repeats has message ids. */
  readonly namesHistory: boolean;
}

export interface PendingRequest {
  /** JSON-RPC id as raw token text. */
  readonly id: string;
  readonly method: string;
  readonly turnId: string | undefined;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  /** What set_mode, set_model and set_config_option ask for. */
  readonly configId: string | undefined;
  readonly value: string | boolean | undefined;
}

export interface PendingAsk {
  readonly id: string;
  readonly method: string;
  readonly terminalId: string | undefined;
}

export interface QuestionSlot {
  readonly rpcId: string;
  readonly nonce: string | undefined;
  readonly turnId: string;
  readonly itemId: string;
  readonly open: boolean;
}

export interface OpenTurn {
  readonly turnId: string;
  /** The user's item, and how much of its text the agent has echoed. */
  readonly promptItemId: string | undefined;
  readonly echoed: number;
  /** The harness said that it starts. */
  readonly announced: boolean;
  /** The agent has begun with it: only then may an `idle` state end it (v2). */
  readonly running: boolean;
  /** A turn_error came: what an ending without an outcome of its own is. */
  readonly failed: boolean;
  /** Lines are missing since it opened: its end may be among them. */
  readonly holed: boolean;
}

export interface TerminalSlot {
  readonly terminalId: string;
  readonly turnId: string | undefined;
  readonly itemId: string | undefined;
  readonly state: Terminal;
  /** Bytes of a character cut by the end of a chunk. */
  readonly tail: readonly number[];
}

/** A transcript with what the next `reduce` needs; a transcript without it reads as one that has nothing pending. */
export interface CarriedTranscript extends Transcript {
  readonly carry?: Carry;
}

export const EMPTY_CARRY: Carry = {
  run: undefined,
  stream: undefined,
  lastSeq: 0,
  lastAt: undefined,
  requests: [],
  asks: [],
  questions: [],
  open: [],
  last: undefined,
  tools: [],
  terminals: [],
  streaming: undefined,
  known: [],
  namesHistory: false,
};

/** The carry with its place moved on. Every event does this, and naming each member costs a fifth of spreading them. */
export function carryAt(carry: Carry, stream: string | undefined, lastSeq: number, lastAt: string): Carry {
  const { run, requests, asks, questions, open, last, tools, terminals, streaming, known, namesHistory } = carry;
  return {
    run,
    stream,
    lastSeq,
    lastAt,
    requests,
    asks,
    questions,
    open,
    last,
    tools,
    terminals,
    streaming,
    known,
    namesHistory,
  };
}

/** Entries a carried list keeps; the oldest go first. */
const MAX_CARRIED = 256;

/** `list` with `entry` at its end, within the bound. */
export function carryMore<T>(list: readonly T[], entry: T): readonly T[] {
  return list.length < MAX_CARRIED ? [...list, entry] : [...list.slice(1 - MAX_CARRIED), entry];
}

/** `list` with every entry `match` finds replaced by `next` of it; the same list when there is none. */
export function carryChanged<T>(list: readonly T[], match: (entry: T) => boolean, next: (entry: T) => T): readonly T[] {
  return list.some(match) ? list.map((entry) => (match(entry) ? next(entry) : entry)) : list;
}

/** The turns that what comes next may still be about: nothing of them can be forgotten. */
export function turnsIn(carry: Carry): ReadonlySet<string | undefined> {
  const { requests, questions, open, last, tools, terminals, streaming } = carry;
  return new Set(
    [...requests, ...questions, ...open, ...tools, ...terminals, last, streaming].map((entry) => entry?.turnId),
  );
}
