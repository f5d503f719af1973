/** An incremental SHA-256, handed in: `digest()` gives 32 bytes and ends it. */
export interface Hash {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
}

/**
 * One NDJSON line as it was on the pipe, without its LF (a CR stays).
 * `long`: more than `maxLineBytes`; only its length, SHA-256 and both ends were kept.
 */
export type FramedLine =
  | { readonly type: 'line'; readonly bytes: Uint8Array; readonly unterminated: boolean }
  | {
      readonly type: 'long';
      readonly length: number;
      readonly sha256: Uint8Array;
      readonly head: Uint8Array;
      readonly tail: Uint8Array;
      readonly unterminated: boolean;
    };

const LF = 0x0a;
/** How much of a line over the limit is kept at each end. */
const EDGE_BYTES = 4_096;

/**
 * Cuts a byte stream into lines at LF alone (U+2028, CR and NUL are content: facts of real agents).
 * Cost is linear in the bytes however they are cut into chunks; memory is bounded by `maxLineBytes`.
 */
export class LineFramer {
  readonly #maxLineBytes: number;
  readonly #newHash: () => Hash;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #long: { hash: Hash; head: Uint8Array; tail: Uint8Array } | undefined;

  /** Throws RangeError unless `maxLineBytes` is a positive integer. */
  constructor(maxLineBytes: number, newHash: () => Hash) {
    if (!Number.isInteger(maxLineBytes) || maxLineBytes < 1) {
      throw new RangeError(`maxLineBytes must be a positive integer, got ${maxLineBytes}`);
    }
    this.#maxLineBytes = maxLineBytes;
    this.#newHash = newHash;
  }

  /**
   * The lines that this chunk completes, in order; those that lie within it are views of it. What is kept for later is
   * copied: once the lines are used the chunk may be used again.
   */
  push(chunk: Uint8Array): FramedLine[] {
    const lines: FramedLine[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end === -1) break;
      const piece = chunk.subarray(start, end);
      if (this.#length === 0 && piece.length <= this.#maxLineBytes) {
        lines.push({ type: 'line', bytes: piece, unterminated: false });
      } else {
        this.#take(piece);
        lines.push(this.#finish(false));
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
    return lines;
  }

  /** What came after the last LF, if anything did. */
  end(): FramedLine | undefined {
    return this.#length > 0 ? this.#finish(true) : undefined;
  }

  #take(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#long === undefined) {
      // Not slice(): on a Buffer that would be a view of the caller’s memory.
      this.#chunks.push(new Uint8Array(piece));
      if (this.#length <= this.#maxLineBytes) return;
      // Over the limit: from here on the line is hashed as it passes and only its ends are kept.
      const soFar = join(this.#chunks, this.#length);
      const hash = this.#newHash();
      hash.update(soFar);
      this.#long = { hash, head: soFar.slice(0, EDGE_BYTES), tail: soFar.slice(-EDGE_BYTES) };
      this.#chunks = [];
      return;
    }
    const long = this.#long;
    long.hash.update(piece);
    // A limit below the edge's size leaves the head to be filled by what comes after it.
    const room = EDGE_BYTES - long.head.length;
    if (room > 0) long.head = append(long.head, piece.subarray(0, room));
    long.tail = append(long.tail, piece.subarray(-EDGE_BYTES)).slice(-EDGE_BYTES);
  }

  #finish(unterminated: boolean): FramedLine {
    const length = this.#length;
    const long = this.#long;
    const bytes = long === undefined ? join(this.#chunks, length) : undefined;
    this.#chunks = [];
    this.#length = 0;
    this.#long = undefined;
    if (bytes !== undefined) return { type: 'line', bytes, unterminated };
    const { hash, head, tail } = long as NonNullable<typeof long>;
    return { type: 'long', length, sha256: hash.digest(), head, tail, unterminated };
  }
}

function append(a: Uint8Array, b: Uint8Array): Uint8Array {
  return join([a, b], a.length + b.length);
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const out = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}
