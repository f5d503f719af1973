import type { ContentBlock, ElicitationAction } from '../acp/acp.ts';
import type { PermissionPolicy } from './permission-rule.ts';
import type { PushState } from './push.ts';

/** Payloads of the observer kinds the harness makes (SPEC 1.2). Readers treat every member as possibly absent. */

export interface StreamOpened {
  readonly channelId: string | null;
  readonly continues?: {
    readonly stream: string;
    readonly seq: number;
    readonly hash: string;
    readonly clean: boolean;
  };
}

export interface StreamClosed {
  readonly lastSeq: number;
  /** Of the envelope before the one that carries this. */
  readonly hash: string;
}

/** Where a stream stands: its newest sealed seq and that envelope's hash. */
export interface StreamHead {
  readonly stream: string;
  readonly seq: number;
  readonly hash: string;
}

export interface Heads {
  readonly streams: readonly StreamHead[];
}

export interface HarnessStarted {
  readonly wire: 1;
  readonly run: string;
  readonly agentCommand: string;
  readonly agentArgs: readonly string[];
  readonly cwd: string;
  readonly host: string;
  readonly version: string;
  readonly features: readonly string[];
  /** Whether the owner made this agent's key (an invite: the owner could forge telemetry) or the agent did (attest). */
  readonly keyMadeBy: 'owner' | 'agent';
}

export interface AgentInitialized {
  readonly agentIndex: number;
  readonly initializeResult: unknown;
}

export interface SessionResolved {
  readonly sessionId: string;
  readonly isNewSession: boolean;
  /** Where the request that made the session stands. */
  readonly requestStream: string;
  readonly requestSeq: number;
  readonly loaded?: boolean;
  /** Why the session before this one could not be opened again: what it knew is lost. */
  readonly contextLost?: string;
}

/** What a session can be set to and is: members of the agent's answer, kept current. */
export interface SessionConfigCaptured {
  readonly configOptions?: unknown;
  readonly modes?: unknown;
  readonly models?: unknown;
}

export interface AgentStderr {
  readonly text: string;
}

export interface AgentExited {
  readonly code: number | null;
  readonly signal: string | null;
  readonly expected: boolean;
  readonly respawnInMs?: number;
}

export interface TurnStarted {
  readonly source: 'owner' | 'client' | 'channel' | 'heartbeat';
  readonly triggeringEventIds: readonly string[];
  readonly promptRequestId?: string;
}

export interface TurnLiveness {
  readonly head: StreamHead | null;
  readonly lastAgentByteAgeMs: number;
}

export interface TurnCompleted {
  readonly outcome: 'completed' | 'cancelled' | 'killed' | 'failed' | 'refused';
  readonly stopReason: string | null;
  readonly usage?: unknown;
}

export interface TurnError {
  readonly outcome: 'error' | 'idle_timeout' | 'hard_timeout' | 'exited' | 'cancel_drain_timeout' | 'auth';
  readonly error: string;
  readonly code?: number;
  readonly hint?: string;
}

export interface PromptQueued {
  readonly promptRequestId: string;
  readonly position: number;
  readonly reason?: string;
  /** In `prompt_queued`: what waits, as ACP content blocks, so that every viewer can show it. */
  readonly content?: readonly ContentBlock[];
}

export interface PermissionPending {
  readonly requestNonce: string;
  readonly requestSeq: number;
  readonly requestSha256: string;
  readonly rpcId: string;
  readonly toolCallId: string | null;
  readonly actionable: boolean;
  readonly expiresAt?: string;
}

/** `elicitation_pending`: a form, or a page to visit, that waits for the owner. */
export type ElicitationPending = PermissionPending;

interface RequestTerminal {
  readonly requestNonce: string;
  readonly reason: 'applied' | 'timed_out' | 'cancelled' | 'rejected' | 'allowed' | 'expired' | 'withdrawn';
  readonly decidedBy: {
    readonly who: 'owner' | 'client' | 'policy' | 'harness';
    readonly viewer?: string;
    readonly rule?: string;
  };
}

export interface PermissionTerminal extends RequestTerminal {
  readonly optionId?: string;
}

/** `elicitation_terminal`; without `action` nothing was answered. */
export interface ElicitationTerminal extends RequestTerminal {
  readonly action?: ElicitationAction;
}

/** `acp_elided`: a line over `maxLineBytes` that was forwarded as it arrived. */
export interface Elided {
  readonly of: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly head: string;
  readonly tail: string;
}

export interface WriteFailed {
  readonly line: string;
  readonly error: string;
}

/** Seqs that no relay took and that are gone. */
export interface TelemetryGap {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly droppedEvents: number;
  readonly lastHash?: string;
  readonly reasonCounts: Readonly<Record<string, number>>;
  readonly firstObservedAt: string;
  readonly lastObservedAt: string;
}

/** The harness as it is now, in answer to `hello` (SPEC 1.5). */
export interface Snapshot {
  readonly requestIds: readonly string[];
  readonly wire: 1;
  /** The harness program's. */
  readonly version?: string;
  readonly run: string;
  readonly now: string;
  readonly agent: {
    readonly name: string;
    readonly version?: string;
    readonly process: 'starting' | 'running' | 'exited';
    /** What prompts may hold beside text and links: the agent's `promptCapabilities` of ACP. Absent: not known yet. */
    readonly accepts?: readonly ('image' | 'audio' | 'embeddedContext')[];
  };
  readonly host: string;
  readonly policy: PermissionPolicy;
  readonly streams: readonly (StreamHead & { readonly channelId: string | null; readonly openedAt: string })[];
  readonly channels: readonly SnapshotChannel[];
  /** Open requests that belong to no channel: an agent may ask before a session is open. */
  readonly pending?: readonly SnapshotPending[];
  /** Open requests that are left out because they did not fit; the newest are told. */
  readonly pendingOmitted?: number;
  /** Absent where the harness calls nobody by Web Push. */
  readonly push?: PushState;
}

export interface SnapshotChannel {
  readonly channelId: string;
  readonly sessionId: string | null;
  readonly cwd: string;
  readonly title: string | null;
  readonly turns: readonly SnapshotTurn[];
  readonly activeTurn?: string;
  readonly queue: readonly {
    readonly promptRequestId: string;
    readonly position: number;
    readonly content?: readonly ContentBlock[];
  }[];
  /** What the session can be set to and is, as the agent told it last: `configOptions`, `modes`, `models` of ACP. */
  readonly config?: SessionConfigCaptured;
  /** The channel's own policy on permission requests, where it has one. */
  readonly policy?: PermissionPolicy;
  /** An owner closed it: it takes no prompts until a session is opened in it. */
  readonly closed?: true;
  readonly pending: readonly SnapshotPending[];
  readonly lastActivity: string;
}

/** A request of the agent's that waits: its line and what tells of it stand in `stream`. */
export interface SnapshotPending extends PermissionPending {
  readonly ask: 'permission' | 'elicitation';
  readonly stream: string;
  readonly askedAt: string;
}

export interface SnapshotTurn {
  readonly turnId: string;
  readonly firstSeq: number;
  readonly lastSeq?: number;
  readonly outcome?: string;
}
