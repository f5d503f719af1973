import {
  type ControlResult,
  type HarnessStarted,
  type Heads,
  type ObserverEvent,
  payloadOf,
  type Snapshot,
  type StreamClosed,
  type StreamHead,
  type StreamOpened,
  type TelemetryGap,
  type TurnLiveness,
} from '@heliograph/wire';

/** What a signed event says about streams, its own or others, that the archive keeps count of. */
export type StreamFact =
  /** The stream reaches this seq at least; `hash` is of the envelope that ends there. */
  | { readonly type: 'head'; readonly stream: string; readonly seq: number; readonly hash: string | undefined }
  | { readonly type: 'closed'; readonly stream: string }
  | {
      readonly type: 'lost';
      readonly stream: string;
      readonly firstSeq: number;
      readonly lastSeq: number;
      readonly reason: string;
    }
  | { readonly type: 'key'; readonly keyMadeBy: 'owner' | 'agent' }
  | { readonly type: 'result'; readonly seq: number; readonly at: string; readonly result: ControlResult };

/** At most so many heads of one event are read; the harness names far fewer. */
const MAX_HEADS = 1_024;

/** The facts in one decoded event; broken payloads say nothing. */
export function streamFacts(event: ObserverEvent): readonly StreamFact[] {
  const { stream } = event;
  if (stream === undefined) return [];
  switch (event.kind) {
    case 'heads':
      return headsIn(payloadOf<Heads>(event)?.streams);
    case 'snapshot':
      return headsIn(payloadOf<Snapshot>(event)?.streams);
    case 'turn_liveness':
      return headsIn([payloadOf<TurnLiveness>(event)?.head]);
    case 'stream_opened':
      return headsIn([payloadOf<StreamOpened>(event)?.continues]);
    case 'stream_closed': {
      const closed = payloadOf<StreamClosed>(event);
      const head = { stream, seq: closed?.lastSeq, hash: closed?.hash };
      return [...headsIn([head]), { type: 'closed', stream }];
    }
    case 'harness_started': {
      const keyMadeBy = payloadOf<HarnessStarted>(event)?.keyMadeBy;
      return keyMadeBy === 'owner' || keyMadeBy === 'agent' ? [{ type: 'key', keyMadeBy }] : [];
    }
    case 'observer_telemetry_gap': {
      const gap = payloadOf<TelemetryGap>(event);
      const [firstSeq, lastSeq] = [gap?.firstSeq, gap?.lastSeq];
      if (!isSeq(firstSeq) || !isSeq(lastSeq) || firstSeq > lastSeq) return [];
      const counts = gap?.reasonCounts;
      const reasons = typeof counts === 'object' && counts !== null ? Object.keys(counts).slice(0, 8) : [];
      return [{ type: 'lost', stream, firstSeq, lastSeq, reason: `lost by the harness: ${reasons.join(', ')}` }];
    }
    case 'control_result': {
      const result = payloadOf<ControlResult>(event);
      if (typeof result?.type !== 'string' || typeof result.status !== 'string') return [];
      if (result.type === 'hello' || result.type === 'replay') return [];
      return [{ type: 'result', seq: event.seq, at: event.timestamp, result: result as ControlResult }];
    }
    default:
      return [];
  }
}

function headsIn(heads: unknown): readonly StreamFact[] {
  const list: readonly (Partial<StreamHead> | null | undefined)[] = Array.isArray(heads) ? heads : [];
  return list.slice(0, MAX_HEADS).flatMap((head): StreamFact[] => {
    const [stream, seq, hash] = [head?.stream, head?.seq, head?.hash];
    if (typeof stream !== 'string' || !isSeq(seq)) return [];
    return [{ type: 'head', stream, seq, hash: typeof hash === 'string' ? hash : undefined }];
  });
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
