import type {
  AuthTag,
  Control,
  ControlResult,
  DecodedEnvelope,
  Hello,
  ObserverEvent,
  Snapshot,
  UsageReport,
  VerifiedEvent,
} from '@heliograph/wire';
import type { RelayState } from './relay-state.ts';
import type { HeldSegment, SeqSpan } from './stream-chain.ts';

/** An agent this owner vouched for. `revoked` ones are refused, whatever they can show. */
export interface KnownAgent {
  readonly publicKey: string;
  readonly name: string;
  readonly authTag?: AuthTag;
  readonly revoked?: boolean;
}

/** What a viewer learned of one agent's presence. Times are the viewer's own clock in ms. */
export interface Presence {
  readonly agent: string;
  readonly name: string;
  /** `waiting`: a hello is out. `live`: a snapshot came. `silent`: hellos go unanswered: what is shown is history. */
  readonly harness: 'waiting' | 'live' | 'silent';
  readonly run: string | undefined;
  /** Streams whose permissions may be answered and whose turns may be working: named by my snapshot, or opened after it. */
  readonly liveStreams: readonly string[];
  readonly lastHeardMs: number | undefined;
  /** The agent process as the harness last told it. */
  readonly process: 'starting' | 'running' | 'exited' | undefined;
  readonly host: string | undefined;
  /** A relay that refuses this agent, and why, in the relay's words; undefined where none said so. */
  readonly refusal: Refusal | undefined;
}

/** Which relay does not let an agent in, and why. */
export interface Refusal {
  readonly relay: string;
  readonly words: string;
}

/** Steps of one control. `sent`: a relay took it. `received`: the harness answered `sent`, `accepted` or `queued`. */
export interface ControlProgress {
  readonly requestId: string;
  readonly agent: string;
  readonly type: string;
  readonly phase: 'sending' | 'sent' | 'received' | 'done' | 'failed';
  /** The newest result; `done` and `failed` have one unless the control was given up. */
  readonly result?: ControlResult;
  /** Why it is not further: harness offline, relay refused, given up. */
  readonly reason?: string;
}

/** Inclusive seqs of one stream. */
export interface StreamSpan extends SeqSpan {
  readonly stream: string;
}

/** What is missing of an agent's streams and what is done about it; of each the newest 256 spans. */
export interface Repairs {
  /** Asked for, or about to be: it may still come. */
  readonly awaited: readonly StreamSpan[];
  /** The harness, asked for it, said that it does not have it any more. */
  readonly gone: readonly StreamSpan[];
}

/** What became of asking for lines again: those that are not `gone` came before this; `isAnswered` false: ask later. */
export type LinesAgain =
  | { readonly isAnswered: false }
  | { readonly isAnswered: true; readonly gone: readonly SeqSpan[] };

/** Everything a viewer tells: plain data, so that it can cross a worker's border. */
export type ViewerEvent =
  | { readonly type: 'relay'; readonly url: string; readonly state: RelayState }
  | { readonly type: 'presence'; readonly presence: Presence }
  /** Admitted, decrypted, decoded events of one agent, as they came: order and duplicates are the log's business. */
  | { readonly type: 'events'; readonly agent: string; readonly events: readonly ObserverEvent[] }
  | { readonly type: 'repairs'; readonly agent: string; readonly repairs: Repairs }
  /** What the owner calls their agents, by public key, on all devices: all of it, each time a name is another. */
  | { readonly type: 'names'; readonly names: Readonly<Record<string, string>> }
  | { readonly type: 'snapshot'; readonly agent: string; readonly snapshot: Snapshot }
  | { readonly type: 'control'; readonly progress: ControlProgress }
  /** What one turn of an admitted agent used, stored or live, in any order. `id`: of the event that says so. */
  | { readonly type: 'usage'; readonly agent: string; readonly id: string; readonly report: UsageReport }
  /** Frames of a key nobody vouched for: counted (the newest 100 held back), never shown. */
  | { readonly type: 'stranger'; readonly publicKey: string; readonly frames: number }
  | {
      readonly type: 'warning';
      readonly agent: string | undefined;
      readonly code: WarningCode;
      readonly message: string;
    };

/**
 * `chain`: an envelope does not follow the one before it. `conflict`: one identity, two contents. `second-run`: one key, two
 * live harnesses. `undecodable`: a frame that can't be decrypted or read. `lost`: lines the harness no longer has.
 * `stream-owner`: a stream id used by another key or channel. `clock`: the harness or relay says a clock is off. `version`: one end
 * is of another version: which to update.
 */
export type WarningCode =
  | 'chain'
  | 'conflict'
  | 'second-run'
  | 'undecodable'
  | 'lost'
  | 'stream-owner'
  | 'clock'
  | 'version';

/** A control without what the viewer adds (`requestId`, `issuedAt`, `run`); hellos are the viewer's own. */
export type ControlDraft = Draft<Exclude<Control, Hello>>;

type Draft<C> = C extends Control ? Omit<C, 'requestId' | 'issuedAt' | 'run'> : never;

/** A signed event as it was received, verified and of an admitted agent, beside what it held. */
export interface ReceivedEvent {
  readonly event: VerifiedEvent;
  readonly role: 'telemetry' | 'control' | 'usage';
  /** The agent it is from or for. */
  readonly agent: string;
  /** Of telemetry: the plaintext and what it decodes to. */
  readonly envelope: (DecodedEnvelope & { readonly text: string }) | undefined;
}

/** What is held of a stream from before. */
export interface HeldStream {
  readonly stream: string;
  readonly channelId: string | null;
  /** The newest seq known to exist, held or not. */
  readonly head: number;
  readonly segments: readonly HeldSegment[];
  /** The hash of the envelope held that begins at this seq. */
  readonly hashAt: (firstSeq: number) => string | undefined;
}
