import type { Watcher } from './watcher.ts';

interface Line {
  readonly seq: number;
  readonly at: string;
  readonly text: string;
}

/** The agent's lines as one viewer has them, kept in order as they come: it may be asked often. */
export class MirroredLines {
  readonly #streams = new Map<string, { lines: Line[]; isSorted: boolean }>();

  constructor(watcher: Watcher) {
    watcher.onEvent = ({ kind, stream = '', seq, timestamp, payload }) => {
      if (kind !== 'acp_read') return;
      const known = this.#streams.get(stream) ?? { lines: [], isSorted: true };
      known.isSorted &&= (known.lines.at(-1)?.seq ?? 0) < seq;
      known.lines.push({ seq, at: timestamp, text: payload });
      this.#streams.set(stream, known);
    };
  }

  /** How many lines of a stream came. */
  size(stream: string): number {
    return this.#streams.get(stream)?.lines.length ?? 0;
  }

  /** The lines of the streams of one run, in the order they were read. */
  of(streams: readonly string[]): string[] {
    const all = streams.flatMap((stream) => this.#inOrder(stream));
    return all.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ text }) => text);
  }

  #inOrder(stream: string): readonly Line[] {
    const known = this.#streams.get(stream);
    if (known === undefined) return [];
    if (!known.isSorted) known.lines.sort((a, b) => a.seq - b.seq);
    known.isSorted = true;
    return known.lines;
  }
}
