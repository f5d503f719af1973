import { closeSync, openSync, readSync } from 'node:fs';

/** A line of a file, from 1; `text` is `undefined` where it is too long or no UTF-8. */
export interface FileLine {
  readonly number: number;
  readonly text: string | undefined;
}

const CHUNK_BYTES = 65_536;

/** The lines of a file, one after another, each at most `maxBytes` long: one that is longer ends the reading. Throws what the system throws. */
export function* linesOf(path: string, maxBytes: number): Generator<FileLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const file = openSync(path, 'r');
  let number = 0;
  const lineOf = (bytes: Uint8Array): FileLine => {
    try {
      return { number: ++number, text: decoder.decode(bytes) };
    } catch {
      return { number, text: undefined };
    }
  };
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let held: Buffer[] = [];
    let size = 0;
    for (;;) {
      const read = readSync(file, chunk);
      if (read === 0) break;
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < read; end = chunk.indexOf(10, from)) {
        yield lineOf(Buffer.concat([...held, chunk.subarray(from, end)]));
        [held, size, from] = [[], 0, end + 1];
      }
      size += read - from;
      if (size > maxBytes) return yield { number: number + 1, text: undefined };
      if (from < read) held.push(Buffer.from(chunk.subarray(from, read)));
    }
    if (size > 0) yield lineOf(Buffer.concat(held));
  } finally {
    closeSync(file);
  }
}
