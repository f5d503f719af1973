/** One observer event: something that happened between client and agent, or in the harness (SPEC 1.2). */
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
  readonly via?: Via;
  readonly forwarded?: false;
  readonly replayed?: true;
  readonly unterminated?: true;
  /** JSON pointers of values replaced by "[redacted]". */
  readonly redacted?: readonly string[];
  /** The exact JSON text of the payload; for acp_read and acp_write the line itself. */
  readonly payload: string;
}

export type Via = 'owner' | 'policy' | 'harness';

/**
 * The event's JSON text. The payload is spliced in as it is, as the last member: the exact text of a line is the slice
 * from after `"payload":` to the closing brace. The caller vouches that `payload` is exactly one JSON value
 * (`lineBody` does for lines, `JSON.stringify` for the rest).
 */
export function encodeObserverEvent(event: ObserverEvent, prev?: string): string {
  return `${encodeHead(event, event.kind, prev)},"payload":${event.payload}}`;
}

/** Everything before the payload, without a comma at its end. `kind` may differ: a batch wears its last event's head. */
export function encodeHead(event: ObserverEvent, kind: string, prev?: string): string {
  let head = `{"seq":${event.seq},"timestamp":${text(event.timestamp)},"kind":${text(kind)},"agentIndex":${event.agentIndex}`;
  head += `,"channelId":${text(event.channelId)},"sessionId":${text(event.sessionId)},"turnId":${text(event.turnId)}`;
  if (event.startedAt !== undefined) head += `,"startedAt":${text(event.startedAt)}`;
  if (event.stream !== undefined) head += `,"stream":${text(event.stream)}`;
  if (prev !== undefined) head += `,"prev":"${prev}"`;
  if (kind === 'batch') return head;
  if (event.via !== undefined) head += `,"via":"${event.via}"`;
  if (event.forwarded !== undefined) head += ',"forwarded":false';
  if (event.replayed !== undefined) head += ',"replayed":true';
  if (event.unterminated !== undefined) head += ',"unterminated":true';
  if (event.redacted !== undefined) head += `,"redacted":${JSON.stringify(event.redacted)}`;
  return head;
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value);
}

/** The payload as a value, `undefined` when its text is no JSON. The caller says what it hopes for and checks it. */
export function payloadOf<T>(event: ObserverEvent): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(event.payload);
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : undefined;
  } catch {
    return undefined; // A broken payload is shown raw by whoever asked.
  }
}
