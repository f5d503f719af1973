/** One turn as the views show it. Times are RFC 3339 as the harness stamped them; seqs are of the turn's own stream. */
export interface TurnRow {
  readonly id: string;
  readonly source: string;
  readonly status: string;
  readonly outcome: string | undefined;
  readonly stopReason: string | undefined;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
}

/** One visible thing of a turn. Texts hold no known secrets any more and are cut at `MAX_VIEW_TEXT` characters. */
export interface ItemRow {
  readonly id: string;
  /** user, agent, thought, tool, permission, plan, notice, error, gap, raw. */
  readonly kind: string;
  readonly at: string;
  readonly updatedAt: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly late: boolean;
  /** Of a notice its topic, of an error its outcome. */
  readonly topic: string | undefined;
  readonly title: string;
  readonly text: string;
  readonly input: string;
  readonly output: string;
  readonly truncated: boolean;
  readonly tool?: ToolRow;
  readonly permission?: PermissionRow;
  readonly files: readonly FileRow[];
  readonly command?: CommandRow;
  readonly findings: readonly { readonly kind: string; readonly digest: string }[];
}

export interface ToolRow {
  readonly toolCallId: string;
  readonly toolKind: string;
  readonly status: string;
  readonly parentToolCallId: string | undefined;
  readonly exitCode: number | undefined;
  readonly endedAt: string | undefined;
}

export interface PermissionRow {
  readonly toolCallId: string | undefined;
  readonly toolKind: string;
  /** JSON list of {optionId, name, kind}. */
  readonly options: string;
  readonly state: string;
  /** The reason as the harness gave it: applied, allowed, rejected, cancelled, timed_out, expired, withdrawn … */
  readonly decision: string | undefined;
  readonly optionId: string | undefined;
  readonly optionKind: string | undefined;
  readonly decidedBy: string | undefined;
  readonly viewer: string | undefined;
  readonly rule: string | undefined;
  readonly decidedAt: string | undefined;
}

export interface FileRow {
  readonly path: string;
  /** read, write, delete, move, other. */
  readonly action: string;
  readonly outsideCwd: boolean;
}

export interface CommandRow {
  readonly command: string;
  /** It names a program that talks to other machines. */
  readonly network: boolean;
}

/** What a session's newest state says of it. */
export interface SessionFacts {
  readonly sessionId: string | undefined;
  readonly title: string | undefined;
  readonly agentName: string | undefined;
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly mode: string | undefined;
}

/** Characters kept of one text of an item; what is cut stands in the lines. */
export const MAX_VIEW_TEXT = 262_144;
