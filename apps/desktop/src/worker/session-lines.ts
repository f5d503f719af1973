import type { RawLines, TranscriptFold } from '@heliograph/transcript';
import { sessionLines, streamsOf } from '../export/raw-files.ts';
import type { LinesOf } from './reader-protocol.ts';

/** A session's lines as they are whenever somebody looks. */
export class SessionLines {
  readonly #fold: TranscriptFold;
  readonly #of: LinesOf;
  readonly #streams: () => readonly string[];
  #view:
    | { readonly streams: readonly string[]; readonly run: string | undefined; readonly lines: RawLines }
    | undefined;

  /** `streams`: those of the session, as the page was told them. */
  constructor(fold: TranscriptFold, of: LinesOf, streams: () => readonly string[]) {
    this.#fold = fold;
    this.#of = of;
    this.#streams = streams;
  }

  /** The harness stream whose lines stand among them. */
  get run(): string | undefined {
    return this.#of.run ?? this.#fold.agent().run;
  }

  /** Its streams and that one. */
  get streams(): readonly string[] {
    return streamsOf(this.#streams(), this.run);
  }

  /** How often lines of them were let go or came back. */
  get moves(): number {
    return this.streams.reduce((sum, stream) => sum + (this.#fold.log.stream(stream)?.moves ?? 0), 0);
  }

  get lines(): RawLines {
    const [streams, run] = [this.#streams(), this.run];
    if (this.#view?.streams !== streams || this.#view.run !== run) {
      const lines = sessionLines(this.#fold.log, streams, run, this.#of.session.channelId);
      this.#view = { streams, run, lines };
    }
    return this.#view.lines;
  }
}
