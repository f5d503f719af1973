/** One observer event: something that happened between client and agent, or in the harness (WIRE 2). */
export interface ObserverEvent {
  /** Counter inside `stream`, from 1, no holes. */
  readonly seq: number;
  /** RFC 3339, 6 fraction digits, strictly increasing within a run. */
  readonly timestamp: string;
  readonly kind: string;
  readonly agentIndex: number | null;
  readonly channelId: string | null;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly startedAt?: string;
  /** One channel during one run; `undefined` on events of other implementations. */
  readonly stream: string | undefined;
  /** Who made a line that the usual peer did not. */
  readonly via?: 'owner' | 'policy' | 'harness';
  readonly forwarded?: false;
  readonly replayed?: true;
  readonly unterminated?: true;
  /** JSON pointers of values replaced by "[redacted]". */
  readonly redacted?: readonly string[];
  /** The exact JSON text of the payload; for acp_read and acp_write the line itself. */
  readonly payload: string;
}
