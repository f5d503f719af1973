import type { Clock } from '@heliograph/client';
import {
  isSameItem,
  pauseMs,
  Replay,
  type Transcript,
  TranscriptDiffer,
  type TranscriptFold,
  TranscriptWindow,
} from '@heliograph/transcript';
import type { LinePlace } from '../line-place.ts';
import type { ReaderAnswer, ReaderFollowing } from './reader-protocol.ts';
import { replayMarks } from './replay-marks.ts';
import type { Slices } from './slices.ts';
import type { Standing } from './standing.ts';

/** How often it is told how much there is, while that grows. */
const TELL_MS = 500;
/** Lines that went by within this are shown in one step: a screen shows no more. */
const TICK_MS = 40;
/** Items shown of a past: its newest, more where somebody reads further back. */
const PAST_ITEMS = 400;
const MORE_ITEMS = 300;

export interface StandingReplayOptions {
  readonly agent: string;
  readonly channelId: string | null;
  readonly id: number;
  readonly fold: TranscriptFold;
  /** What the page has of the present when the next answer comes to it. */
  readonly told: () => Transcript;
  readonly clock: Clock;
  readonly slices: Slices;
  readonly post: (answer: ReaderAnswer) => void;
}

/** The past of one session: goes to a position, plays from there, and says how far it goes. */
export class StandingReplay implements Standing {
  readonly agent: string;
  readonly #options: StandingReplayOptions;
  readonly #replay: Replay;
  readonly #differ = new TranscriptDiffer(isSameItem);
  readonly #window = new TranscriptWindow(PAST_ITEMS);
  #giveUp: (() => void) | undefined;
  /** Calls off the next look; while one is waited for, no other is begun. */
  #rest: (() => void) | undefined;
  #isDue = false;
  #tick: (() => void) | undefined;
  /** Where somebody wants to be that no keyframe is near yet. */
  #wanted: number | undefined;
  /** What is shown. */
  #shown: { readonly position: number; readonly isPlaying: boolean } | undefined;

  constructor(options: StandingReplayOptions) {
    this.agent = options.agent;
    this.#options = options;
    this.#replay = new Replay(options.fold.order(options.channelId), options.channelId);
  }

  changed(): void {
    this.#isDue = true;
    // A session that grows is told of now and then, not at every line.
    this.#rest ??= this.#options.clock.setTimer(0, () => this.#look());
  }

  stop(): void {
    for (const callOff of [this.#giveUp, this.#rest, this.#tick]) callOff?.();
  }

  receive(more: ReaderFollowing): void {
    if (more.type === 'seek') this.#seek(more.to);
    if (more.type === 'play') {
      this.#pause();
      this.#step(more.from, Math.max(1, more.speed));
    }
    if (more.type === 'pause') this.#pause();
    if (more.type === 'more') this.#readBack(more.before);
  }

  /** The same place with more of what was before it, until another is gone to. */
  #readBack(before: Extract<ReaderFollowing, { readonly type: 'more' }>['before']): void {
    if (this.#shown === undefined) return;
    this.#window.hold(true);
    this.#window.extend(before, MORE_ITEMS);
    this.#show(this.#shown.position, this.#shown.isPlaying);
  }

  #seek(to: number | LinePlace): void {
    this.#pause();
    this.#window.hold(false);
    this.#replay.sync();
    this.#go(typeof to === 'number' ? to : this.#replay.positionOf(to.stream, to.seq));
  }

  #pause(): void {
    this.#tick?.();
    this.#tick = undefined;
    this.#wanted = undefined;
  }

  #step(from: number, speed: number): void {
    const length = this.#replay.sync();
    let [position, waitMs] = [from, 0];
    while (position < length && waitMs < TICK_MS) {
      waitMs += pauseMs(this.#replay.gapMs(position)) / speed;
      position++;
    }
    this.#tick = this.#options.clock.setTimer(Math.max(TICK_MS, waitMs), () => {
      const isPlaying = position < length;
      this.#window.hold(false);
      this.#show(position, isPlaying);
      if (isPlaying) this.#step(position, speed);
    });
  }

  #go(position: number): void {
    if (position <= this.#replay.prepared) this.#show(position, false);
    else this.#wanted = position;
  }

  #show(position: number, isPlaying: boolean): void {
    const { id, told, post } = this.#options;
    this.#shown = { position, isPlaying };
    // What came since the last look may belong before this place.
    const isNow = position >= this.#replay.sync();
    const patch = this.#differ.diff(told(), this.#window.view(this.#replay.at(position)));
    post({ type: 'past', id, position, line: this.#replay.line(position), patch, isPlaying, isNow });
  }

  /** Takes what came since, tells of it, and lays the keyframes that are missing. */
  #look(): void {
    const { id, fold, channelId, clock, slices, post } = this.#options;
    const length = this.#replay.sync();
    const marks = replayMarks(fold.transcript(channelId), this.#replay);
    const tell = () => post({ type: 'replay', id, length, prepared: this.#replay.prepared, marks });
    tell();
    this.#giveUp?.();
    this.#giveUp = slices.start(this.#replay.prepare(), (isDone) => {
      const isThere = this.#wanted !== undefined && (isDone || this.#wanted <= this.#replay.prepared);
      if (isThere && this.#wanted !== undefined) this.#show(this.#wanted, false);
      if (isThere) this.#wanted = undefined;
      if (isDone) tell();
    });
    this.#isDue = false;
    this.#rest = clock.setTimer(TELL_MS, () => {
      this.#rest = undefined;
      if (this.#isDue) this.#look();
    });
  }
}
