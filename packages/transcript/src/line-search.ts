import type { EventLog } from './event-log.ts';
import type { LogEvent } from './log-event.ts';
import { Needle } from './needle.ts';
import { lineSources, lineText } from './raw-lines.ts';
import { MAX_HITS } from './transcript-search.ts';

/** A line that holds the needle. */
export interface LineHit {
  readonly stream: string;
  readonly seq: number;
}

/** Lines that hold the needle: how many in all, and the first MAX_HITS of them in the order of the wire. */
export interface FoundLines {
  readonly count: number;
  readonly hits: readonly LineHit[];
}

/** Lines and characters looked at between two chances to do something else. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 500_000;

/** A needle looked for, exactly as it is written, in raw lines. Asked again, it reads only lines that it has not read. */
export class LineSearch {
  readonly #needle: Needle;
  readonly #lines = new WeakMap<LogEvent, boolean>();
  #found: FoundLines = { count: 0, hits: [] };

  constructor(needle: string) {
    this.#needle = new Needle(needle, true);
  }

  /** What the last run found; while the first is under way, nothing. */
  get found(): FoundLines {
    return this.#found;
  }

  /** Looks through the lines of these streams (foreign ones by `FOREIGN_STREAM` and `channelId`), yielding often. */
  *run(log: EventLog, streams: readonly string[], channelId: string | null): Generator<undefined, FoundLines> {
    const found: (LineHit & { readonly timestamp: string })[] = [];
    let [lines, characters] = [0, 0];
    for (const source of lineSources(log, streams, channelId)) {
      for (let index = 0; index < source.length(); index++) {
        const line = source.at(index);
        if (line === undefined) continue;
        let holds = this.#lines.get(line);
        if (holds === undefined) {
          const text = lineText(line);
          characters += text.length;
          holds = this.#needle.isIn(text);
          this.#lines.set(line, holds);
        }
        if (holds) found.push({ stream: source.stream, seq: line.seq, timestamp: line.timestamp });
        if (++lines >= MAX_LINES || characters >= MAX_CHARACTERS) {
          [lines, characters] = [0, 0];
          yield;
        }
      }
    }
    if (streams.length > 1)
      found.sort((a, b) => (a.timestamp === b.timestamp ? 0 : a.timestamp < b.timestamp ? -1 : 1));
    const hits = found.slice(0, MAX_HITS).map(({ stream, seq }) => ({ stream, seq }));
    this.#found = { count: found.length, hits };
    return this.#found;
  }
}
