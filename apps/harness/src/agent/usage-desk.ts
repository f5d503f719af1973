import {
  figures,
  NO_FIGURES,
  readFigure,
  readUsageNote,
  type TurnCompleted,
  type UsageReport,
  type UsageStopReason,
} from '@heliograph/wire';
import type { SealedFile } from '../sealed-file.ts';
import type { Channel } from './channels.ts';
import { currentModel } from './session-config.ts';
import type { ReadLine } from './tap.ts';
import type { Turn } from './turn.ts';
import { endUsage, noteUsage, openUsage, type UsageSoFar, type UsageState } from './usage.ts';

export interface UsagePort {
  /** The agent's own name. */
  agentName(): string;
  now(): string;
  report(report: UsageReport): void;
  /** What earlier runs counted could not be written down. */
  failed(cause: unknown): void;
}

/** Sessions whose sums are carried on to the next run; the ones counted last. */
const MAX_KEPT = 64;
const MAX_ID_LENGTH = 256;

/** Counts what the sessions of each channel use, and makes one report of each turn (NIP-AM). */
export class UsageDesk {
  readonly #port: UsagePort;
  readonly #file: SealedFile;
  readonly #open = new Map<string, UsageState>();
  readonly #kept: Map<string, UsageSoFar>;

  constructor(port: UsagePort, file: SealedFile, kept: readonly UsageSoFar[]) {
    this.#port = port;
    this.#file = file;
    this.#kept = new Map(kept.map((one) => [one.sessionId, one]));
  }

  /** A channel has this session now. */
  opened(channel: Channel, sessionId: string, isNew: boolean): void {
    this.#open.set(channel.channelId, openUsage(sessionId, isNew, this.#kept.get(sessionId)));
  }

  /** Takes a notification of the channel's own session; what is repeated while it is opened comes before it is that. */
  noted(channel: Channel, { message, route }: ReadLine): void {
    const state = this.#open.get(channel.channelId);
    if (message.type !== 'notification' || state === undefined || channel.sessionId === null) return;
    if (route.sessionId !== channel.sessionId || state.sessionId !== channel.sessionId) return;
    const note = readUsageNote(message.method, message.params);
    if (note !== undefined) this.#open.set(channel.channelId, noteUsage(state, note, channel.turn !== undefined));
  }

  /** A turn has ended; `result` is the prompt's answer, where there was one. */
  ended(channel: Channel, turn: Turn, { outcome, stopReason }: TurnCompleted, result: unknown): void {
    const { channelId } = channel;
    const { sessionId } = turn.place;
    const state = this.#open.get(channelId);
    // A turn that never had a session used nothing that can be known.
    const counted = state !== undefined && state.sessionId === sessionId ? endUsage(state, result) : undefined;
    const { turn: used = NO_FIGURES, cumulative = NO_FIGURES, deltaReliable = true } = counted?.used ?? {};
    this.#port.report({
      harness: this.#port.agentName().slice(0, MAX_ID_LENGTH),
      model: counted?.used.model ?? currentModel(channel.config)?.slice(0, MAX_ID_LENGTH) ?? null,
      channelId,
      sessionId: sessionId !== null && sessionId.length <= MAX_ID_LENGTH ? sessionId : null,
      turnId: turn.turnId,
      turnSeq: counted?.used.turnSeq ?? null,
      timestamp: this.#port.now(),
      turn: used,
      cumulative,
      deltaReliable,
      stopReason: stopReasonOf(outcome, stopReason),
    });
    if (counted !== undefined) this.#keep(channelId, counted.state);
  }

  #keep(channelId: string, state: UsageState): void {
    this.#open.set(channelId, state);
    const { sessionId, turnSeq, sum } = state;
    this.#kept.delete(sessionId);
    this.#kept.set(sessionId, { sessionId, turnSeq, sum });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#file.write([...this.#kept.values()]).catch((cause: unknown) => this.#port.failed(cause));
  }
}

/** What the last run with this state folder counted. */
export async function readKeptUsage(file: SealedFile): Promise<readonly UsageSoFar[]> {
  const value = await file.read();
  return Array.isArray(value) ? value.flatMap(readSoFar).slice(-MAX_KEPT) : [];
}

function readSoFar(value: unknown): readonly UsageSoFar[] {
  const { sessionId, turnSeq, sum } = (value ?? {}) as Partial<UsageSoFar>;
  if (typeof sessionId !== 'string' || !Number.isSafeInteger(turnSeq)) return [];
  return [{ sessionId, turnSeq: turnSeq as number, sum: figures((key) => readFigure(key, sum?.[key])) }];
}

function stopReasonOf(outcome: TurnCompleted['outcome'], stopReason: string | null): UsageStopReason {
  if (outcome === 'cancelled' || outcome === 'killed') return 'cancelled';
  if (outcome === 'failed') return 'error';
  return stopReason === 'end_turn' || stopReason === 'max_tokens' ? stopReason : 'unknown';
}
