/**
 * What a viewer sees of one channel: turns of items, folded from observer events.
 * Version-neutral: ACP v1 and v2 reduce to the same shapes. Plain data, never mutated; a closed turn keeps its identity.
 */

import type { Form } from '@heliograph/wire/acp';

/** Where something came from: consecutive seqs of one stream, `first` ≤ `last`. */
export interface SeqRange {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
}

/** One conversation of one agent, in wire order, across the streams (runs) that carried it. */
export interface Transcript {
  readonly channelId: string | null;
  /** Streams that carried this channel, oldest first. */
  readonly streams: readonly string[];
  readonly session: SessionState;
  /** All turns, oldest first. What happens outside a prompt stands in turns of its own with `source: 'none'`. */
  readonly turns: readonly Turn[];
}

/** What is true of the session now, as the agent last confirmed it. Carried from turn to turn. */
export interface SessionState {
  readonly protocolVersion: number | undefined;
  readonly sessionId: string | undefined;
  readonly agentName: string | undefined;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly modeId: string | undefined;
  readonly modes: readonly Choice[];
  readonly modelId: string | undefined;
  readonly models: readonly Choice[];
  readonly configOptions: readonly ConfigOption[];
  readonly commands: readonly Command[];
  readonly usage: Usage | undefined;
  /** Prompts the harness holds back until the open turn ends, oldest first. */
  readonly queue: readonly QueuedPrompt[];
}

export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

export interface ConfigOption {
  readonly id: string;
  readonly name: string;
  readonly category: string | undefined;
  readonly type: string;
  readonly value: string | boolean | undefined;
  readonly options: readonly (Choice & { readonly group?: string })[];
}

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

/** Tokens in the context window and cumulative cost; `undefined` is "not reported", never 0. */
export interface Usage {
  readonly used: number | undefined;
  readonly size: number | undefined;
  readonly cost: { readonly amount: number; readonly currency: string } | undefined;
}

export interface QueuedPrompt {
  readonly promptRequestId: string;
  readonly position: number;
  readonly text: string;
}

/** One prompt and its answer, or (`source: 'none'`) what came outside any prompt. */
export interface Turn {
  /** The wire's turnId; for `source: 'none'` `idle:<stream>:<first seq>`. */
  readonly id: string;
  readonly source: 'owner' | 'client' | 'channel' | 'heartbeat' | 'none' | 'unknown';
  readonly status: 'open' | 'ended';
  readonly outcome: TurnOutcome | undefined;
  /** The agent's own word (`end_turn`, `max_tokens`, `cancelled`, …), verbatim. */
  readonly stopReason: string | undefined;
  /** RFC 3339, as the harness stamped it. */
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  /** Age in ms of the agent's last byte at the last `turn_liveness`, with when that was. */
  readonly liveness: { readonly lastAgentByteAgeMs: number; readonly at: string } | undefined;
  /** An owner's cancel in force: the prompt has not been answered yet. */
  readonly cancelling: boolean;
  readonly usage: TurnUsage | undefined;
  readonly items: readonly Item[];
  readonly refs: readonly SeqRange[];
  /** How many items are not here before `items[before]` (its number of items: after the last), of this turn or of ones before it. */
  readonly away?: readonly AwayItems[];
}

/** Items that are not here: not told by a window, or, where `letGo` says so, with their lines let go of. */
export interface AwayItems {
  readonly before: number;
  readonly items: number;
  /** `kept`: they come back when they are asked for; `gone`: whoever was asked has their lines no more. */
  readonly letGo?: 'kept' | 'gone';
}

export type TurnOutcome = 'completed' | 'cancelled' | 'killed' | 'failed' | 'refused' | 'unknown';

export interface TurnUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
}

/** One visible thing in a turn. */
export type Item =
  | MessageItem
  | ToolItem
  | PlanItem
  | PermissionItem
  | ElicitationItem
  | NoticeItem
  | ErrorItem
  | GapItem
  | RawItem;

interface ItemBase {
  /** Stable across refolds and unique in its turn: `<kind>:<own id>`, or `<kind>:<stream>:<first seq>` (messages: `<kind>:@…`). */
  readonly id: string;
  readonly refs: readonly SeqRange[];
  /** Timestamp of the first line, and of the newest. */
  readonly at: string;
  readonly updatedAt: string;
  /** It, or some of it, arrived after its turn had ended. */
  readonly late?: true;
}

/** Text or other content said by the user or the agent, or thought by the agent. */
export interface MessageItem extends ItemBase {
  readonly kind: 'user' | 'agent' | 'thought';
  readonly messageId: string | undefined;
  readonly parts: readonly Part[];
  /** Still being written: the turn is open and nothing else followed. */
  readonly streaming: boolean;
}

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string; readonly uri?: string }
  | { readonly type: 'audio'; readonly mimeType: string; readonly data: string }
  | {
      readonly type: 'link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly mimeType?: string;
      readonly size?: number;
    }
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly blob?: string;
    }
  /** A content block of a type we do not know, kept as JSON text. */
  | { readonly type: 'other'; readonly json: string };

export type ToolStatus =
  | 'pending'
  | 'in_progress'
  | 'completed'
  | 'failed'
  /** The turn was cancelled while it was open. */
  | 'cancelled'
  /** The turn ended without a final status. */
  | 'unfinished';

export interface ToolItem extends ItemBase {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly title: string;
  /** ACP tool kind: read, edit, delete, move, search, execute, think, fetch, switch_mode, other, or an unknown one verbatim. */
  readonly toolKind: string;
  readonly status: ToolStatus;
  /** The status text as the agent gave it, when it is none ACP names. */
  readonly unknownStatus?: string;
  readonly content: readonly ToolContent[];
  readonly locations: readonly { readonly path: string; readonly line?: number }[];
  /** JSON text as on the wire, `undefined` when never given. */
  readonly rawInput: string | undefined;
  readonly rawOutput: string | undefined;
  /** Output of the terminal this call owns (vendor `_meta`, v1 terminal/*, v2 terminal updates). */
  readonly terminal: Terminal | undefined;
  readonly parentToolCallId: string | undefined;
  readonly endedAt: string | undefined;
}

export type ToolContent =
  | { readonly type: 'content'; readonly part: Part }
  /** `oldText: null` = a new file. */
  | { readonly type: 'diff'; readonly path: string; readonly oldText: string | null; readonly newText: string }
  | { readonly type: 'terminal'; readonly terminalId: string }
  | { readonly type: 'other'; readonly json: string };

export interface Terminal {
  readonly output: string;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

export interface PlanItem extends ItemBase {
  readonly kind: 'plan';
  readonly planId: string;
  readonly entries: readonly { readonly content: string; readonly status: string; readonly priority?: string }[];
}

/** What a question of the agent's is bound to, and whether it can still be answered. */
interface QuestionBase extends ItemBase {
  /** JSON-RPC id token as raw text. */
  readonly rpcId: string;
  /** Where the request line stands: what a decision is bound to. */
  readonly request: { readonly stream: string; readonly seq: number };
  readonly toolCallId: string | undefined;
  readonly state: 'asked' | 'pending' | 'decided';
  /** From `permission_pending` or `elicitation_pending`; without it nothing can be answered. */
  readonly nonce: string | undefined;
  readonly requestSha256: string | undefined;
  /** SHA-256 of the very line this item shows: an answer repeats it, and is refused where the harness holds another. */
  readonly lineSha256: string | undefined;
  /** False: a remote may only say no (the copy of the request was elided or redacted). */
  readonly actionable: boolean;
  readonly expiresAt: string | undefined;
}

export interface PermissionItem extends QuestionBase {
  readonly kind: 'permission';
  readonly title: string;
  readonly toolKind: string;
  readonly content: readonly ToolContent[];
  readonly rawInput: string | undefined;
  readonly locations: readonly { readonly path: string; readonly line?: number }[];
  readonly options: readonly PermissionOption[];
  readonly decision: PermissionDecision | undefined;
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  /** allow_once, allow_always, reject_once, reject_always; an unknown kind is never an allow. */
  readonly kind: string;
}

export interface PermissionDecision {
  /** applied, timed_out, cancelled, rejected, allowed, expired, withdrawn, aborted (agent gone), unknown (answered, reason not told). */
  readonly reason: string;
  readonly optionId: string | undefined;
  readonly decidedBy: { readonly who: string; readonly viewer?: string; readonly rule?: string } | undefined;
}

/** What the agent asks its owner to fill in, or to visit (`elicitation/create`). */
export interface ElicitationItem extends QuestionBase {
  readonly kind: 'elicitation';
  readonly message: string;
  /** `form`, `url`, or one that is not known; '' where the request's line is missing. */
  readonly mode: string;
  /** From `@heliograph/wire`: what `requestedSchema` asks, as far as it is understood. */
  readonly form: Form | undefined;
  /** The page to visit: the agent's own text, of any scheme. */
  readonly url: string | undefined;
  readonly elicitationId?: string;
  /** The agent said that the page was visited. */
  readonly isVisited: boolean;
  readonly decision: ElicitationDecision | undefined;
}

export interface ElicitationDecision {
  /** As of a permission. */
  readonly reason: string;
  /** accept, decline, cancel. */
  readonly action: string | undefined;
  /** What the form was filled in with, JSON text of at most 8,192 UTF-16 units. */
  readonly content: string | undefined;
  readonly decidedBy: PermissionDecision['decidedBy'];
}

/** Something said about the session rather than in it: mode changed, agent started, stderr, compaction, control result. */
export interface NoticeItem extends ItemBase {
  readonly kind: 'notice';
  readonly topic:
    | 'mode'
    | 'model'
    | 'config'
    | 'session'
    | 'stderr'
    | 'harness'
    | 'notice'
    | 'compaction'
    | 'control'
    | 'clock'
    | 'replay';
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface ErrorItem extends ItemBase {
  readonly kind: 'error';
  /** turn_error's outcome (error, idle_timeout, hard_timeout, exited, auth, …), `rpc` for an agent's JSON-RPC error, `parse` for a line that is no JSON value, `write` for a write that failed, `conflict` for one identity with two contents. */
  readonly outcome: string;
  readonly message: string;
  readonly code: number | undefined;
  readonly hint: string | undefined;
  /** The offending text, for `parse`. */
  readonly detail: string | undefined;
}

/** Observer events that are not here: never a silence. */
export interface GapItem extends ItemBase {
  readonly kind: 'gap';
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The harness said they are gone for good (`observer_telemetry_gap`). */
  readonly lost: boolean;
  readonly reasons: readonly string[];
}

/** A line or observer event of a kind this viewer does not know, shown as it is. */
export interface RawItem extends ItemBase {
  readonly kind: 'raw';
  readonly label: string;
  readonly json: string;
}

/** The agent process and its harness, as the newest run told of them. */
export interface AgentState {
  /** Id of the run (the harness stream), `undefined` before anything of one is here. */
  readonly run: string | undefined;
  readonly agentName: string | undefined;
  readonly agentVersion: string | undefined;
  /** Command and arguments, secrets filtered by the harness. */
  readonly command: readonly string[];
  readonly cwd: string | undefined;
  readonly host: string | undefined;
  /** The harness's own version. */
  readonly version: string | undefined;
  readonly process: 'starting' | 'running' | 'exited';
  /** How the process ended; it may be running again since. */
  readonly exit?: {
    readonly code: number | undefined;
    readonly signal: string | undefined;
    readonly expected: boolean;
  };
  /** The newest text on stderr, at most 8,192 UTF-16 units. */
  readonly stderrTail: string;
}
