import type { Clock } from '@heliograph/client';
import {
  emptyTranscript,
  type Transcript,
  TranscriptDiffer,
  type TranscriptFold,
  TranscriptWindow,
} from '@heliograph/transcript';
import type { SessionChanges } from './session-told.ts';

/** Items told of a session that nobody looks at: what a list of sessions, an inbox and a count of news need. */
export const LISTED_ITEMS = 160;
/** Folding that takes no longer than this may be done as often as the page paints … */
const QUICK_MS = 8;
/** … and what takes longer, as when a long turn is read from its end, in one part of so many of the time. */
const SHARE = 5;
/** However long it took, and whatever the clock was set to, no longer than this is waited. */
const MAX_REST_MS = 5_000;

interface Channel {
  told: Transcript;
  readonly window: TranscriptWindow;
  readonly differ: TranscriptDiffer;
}

/** Knows what the page was told of one agent's sessions, and says what is other now. */
export class SessionTeller {
  readonly #agent: string;
  readonly #fold: TranscriptFold;
  readonly #clock: Clock;
  readonly #channels = new Map<string | null, Channel>();
  #ids: readonly string[] = [];
  #isChanged = false;
  #dueMs = 0;
  #wake: (() => void) | undefined;

  constructor(agent: string, fold: TranscriptFold, clock: Clock) {
    this.#agent = agent;
    this.#fold = fold;
    this.#clock = clock;
  }

  /** There may be something to tell. */
  changed(): void {
    this.#isChanged = true;
  }

  /** Somebody waits for it: it is told whatever that takes. */
  hurry(): void {
    this.#isChanged = true;
    this.#dueMs = 0;
  }

  /** What is told of a channel from now on. */
  window(channelId: string | null): TranscriptWindow {
    return this.#channel(channelId).window;
  }

  /** What the page has of a channel. */
  told(channelId: string | null): Transcript {
    return this.#channel(channelId).told;
  }

  /** What is other than was told, which from now on is told; undefined: nothing. `later` calls when it is worth asking again. */
  changes(later: () => void): SessionChanges | undefined {
    if (!this.#isChanged) return undefined;
    const startMs = this.#clock.nowMs();
    const restMs = this.#dueMs - startMs;
    if (restMs > 0 && restMs <= MAX_REST_MS) {
      this.#wake ??= this.#clock.setTimer(restMs, () => {
        this.#wake = undefined;
        later();
      });
      return undefined;
    }
    this.#isChanged = false;
    const ids = this.#fold.channels();
    const transcripts = [null, ...ids].flatMap((channelId) => this.#patchOf(channelId) ?? []);
    const isOther = ids !== this.#ids;
    this.#ids = ids;
    const endMs = this.#clock.nowMs();
    if (endMs - startMs > QUICK_MS) this.#dueMs = endMs + Math.min((endMs - startMs) * (SHARE - 1), MAX_REST_MS);
    if (!isOther && transcripts.length === 0) return undefined;
    return { agent: this.#agent, transcripts, ...(isOther ? { channels: ids } : {}) };
  }

  #patchOf(channelId: string | null) {
    const channel = this.#channel(channelId);
    const next = channel.window.view(this.#fold.transcript(channelId));
    if (
      next === channel.told ||
      (next.turns.length === 0 && channel.told.turns.length === 0 && next.streams.length === 0)
    )
      return undefined;
    const patch = channel.differ.diff(channel.told, next);
    channel.told = next;
    return patch;
  }

  #channel(channelId: string | null): Channel {
    let channel = this.#channels.get(channelId);
    if (channel === undefined) {
      const window = new TranscriptWindow(LISTED_ITEMS);
      channel = { told: emptyTranscript(channelId), window, differ: new TranscriptDiffer() };
      this.#channels.set(channelId, channel);
    }
    return channel;
  }
}
