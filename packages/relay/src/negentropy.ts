import { type Crypto, concatBytes, err, hexDecode, hexEncode, ok, type Result } from '@heliograph/wire';
import type { EventReference } from './store/event-store.ts';

/** A message that breaks the protocol: it ends too soon, or holds a mode or bound that there is none of. */
export interface NegentropyError {
  readonly code: 'malformed';
  readonly message: string;
}

/** Negentropy protocol version 1, as NIP-77 speaks it. */
const VERSION = 0x61;
const ID_BYTES = 32;
const FINGERPRINT_BYTES = 16;
const MODE = { skip: 0, fingerprint: 1, idList: 2 };
/** A range that differs is cut into so many, or its ids are named when it has fewer than twice as many. */
const BUCKETS = 16;
/** Bytes of one answer; what does not fit is left as one fingerprint, and the client asks again. */
const MAX_ANSWER_BYTES = 60_000;

/** The upper end of a range, not included: events before this time, and at it those with ids below the prefix. */
interface Bound {
  /** Infinity: no end. */
  readonly createdAtSec: number;
  readonly prefix: Uint8Array;
}

const NO_PREFIX = new Uint8Array(0);
const END: Bound = { createdAtSec: Number.POSITIVE_INFINITY, prefix: NO_PREFIX };

/**
 * The relay's side of range-based set reconciliation: answers each message so that both sides narrow down where their
 * sets differ. The set is held in 40 bytes an event, oldest first; an answer costs one pass over the ranges it is about.
 */
export class Reconciler {
  readonly #times: Float64Array;
  readonly #ids: Uint8Array;
  readonly #lanes: DataView;
  readonly #count: number;
  readonly #crypto: Pick<Crypto, 'sha256'>;

  constructor(references: readonly EventReference[], crypto: Pick<Crypto, 'sha256'>) {
    const ordered = [...references].sort((a, b) => a.createdAtSec - b.createdAtSec || compareBytes(a.id, b.id));
    this.#count = ordered.length;
    this.#times = Float64Array.from(ordered, (reference) => reference.createdAtSec);
    this.#ids = new Uint8Array(ordered.length * ID_BYTES);
    for (const [index, { id }] of ordered.entries()) this.#ids.set(id, index * ID_BYTES);
    this.#lanes = new DataView(this.#ids.buffer);
    this.#crypto = crypto;
  }

  /** The answer to a message, both in hex. Another protocol version is answered with ours, as the protocol says. */
  answer(messageHex: string): Result<string, NegentropyError> {
    const reader = new Reader(hexDecode(messageHex.toLowerCase()));
    const writer = new Writer();
    try {
      const version = reader.byte();
      if (version < 0x60 || version > 0x6f) throw new Malformed('it has no protocol version');
      if (version === VERSION) this.#reconcile(reader, writer);
      return ok(hexEncode(writer.bytes()));
    } catch (error) {
      if (error instanceof Malformed) return err({ code: 'malformed', message: error.message });
      throw error;
    }
  }

  #reconcile(reader: Reader, writer: Writer): void {
    let lower = 0;
    let from: Bound = { createdAtSec: 0, prefix: NO_PREFIX };
    let isSkipping = false;
    while (!reader.isAtEnd) {
      const bound = reader.bound();
      const mode = reader.varint();
      const upper = this.#indexOf(bound, lower);
      const theirFingerprint = mode === MODE.fingerprint ? reader.take(FINGERPRINT_BYTES) : undefined;
      if (mode === MODE.idList) reader.take(reader.varint() * ID_BYTES);
      else if (mode !== MODE.skip && mode !== MODE.fingerprint) throw new Malformed(`it has a range of mode ${mode}`);

      const differs =
        theirFingerprint !== undefined && compareBytes(theirFingerprint, this.#fingerprint(lower, upper)) !== 0;
      if (mode !== MODE.idList && !differs) {
        isSkipping = true;
      } else {
        if (isSkipping) writer.range(from, MODE.skip);
        isSkipping = false;
        const reached = differs ? this.#split(lower, upper, bound, writer) : this.#name(lower, upper, bound, writer);
        if (reached < upper || writer.length > MAX_ANSWER_BYTES) {
          if (reached < this.#count || bound.createdAtSec !== Number.POSITIVE_INFINITY) {
            writer.range(END, MODE.fingerprint, this.#fingerprint(reached, this.#count));
          }
          return;
        }
      }
      lower = upper;
      from = bound;
    }
  }

  /** A range that differs: fingerprints of its parts, or its ids when they are few. Gives the index it got to. */
  #split(lower: number, upper: number, bound: Bound, writer: Writer): number {
    const count = upper - lower;
    if (count < 2 * BUCKETS) return this.#name(lower, upper, bound, writer);
    let start = lower;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const end = start + Math.floor(count / BUCKETS) + (bucket < count % BUCKETS ? 1 : 0);
      writer.range(end === upper ? bound : this.#boundBefore(end), MODE.fingerprint, this.#fingerprint(start, end));
      start = end;
    }
    return upper;
  }

  /** Names the ids of a range, as many as fit. Gives the index it got to. */
  #name(lower: number, upper: number, bound: Bound, writer: Writer): number {
    const room = Math.max(1, Math.floor((MAX_ANSWER_BYTES - writer.length) / ID_BYTES));
    const end = Math.min(upper, lower + room);
    const ids = this.#ids.subarray(lower * ID_BYTES, end * ID_BYTES);
    writer.range(end === upper ? bound : this.#boundBefore(end), MODE.idList, encodeVarint(end - lower), ids);
    return end;
  }

  /** The shortest bound between the event at `index` and the one before it. */
  #boundBefore(index: number): Bound {
    const createdAtSec = this.#times[index] ?? 0;
    if (createdAtSec !== this.#times[index - 1]) return { createdAtSec, prefix: NO_PREFIX };
    const id = this.#id(index);
    const before = this.#id(index - 1);
    const shared = id.findIndex((byte, at) => byte !== before[at]);
    return { createdAtSec, prefix: id.subarray(0, shared + 1) };
  }

  /** The first index at or after `from` that is not below the bound. */
  #indexOf({ createdAtSec, prefix }: Bound, from: number): number {
    let low = from;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const time = this.#times[middle] ?? 0;
      const isBelow = time < createdAtSec || (time === createdAtSec && compareBytes(this.#id(middle), prefix) < 0);
      if (isBelow) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #id(index: number): Uint8Array {
    return this.#ids.subarray(index * ID_BYTES, (index + 1) * ID_BYTES);
  }

  /** The sum of the ids, as little-endian numbers modulo 2^256, with their count, hashed and cut. */
  #fingerprint(lower: number, upper: number): Uint8Array {
    // Eight lanes of 32 bits, summed apart: doubles hold the sum of two million exactly.
    const sums = new Float64Array(ID_BYTES / 4);
    for (let at = lower * ID_BYTES; at < upper * ID_BYTES; at += ID_BYTES) {
      for (let lane = 0; lane < sums.length; lane++) {
        sums[lane] = (sums[lane] ?? 0) + this.#lanes.getUint32(at + lane * 4, true);
      }
    }
    const total = new Uint8Array(ID_BYTES);
    const view = new DataView(total.buffer);
    let carry = 0;
    for (const [lane, sum] of sums.entries()) {
      const whole = sum + carry;
      view.setUint32(lane * 4, whole % 2 ** 32, true);
      carry = Math.floor(whole / 2 ** 32);
    }
    const hash = this.#crypto.sha256(concatBytes(total, encodeVarint(upper - lower)));
    return hash.subarray(0, FINGERPRINT_BYTES);
  }
}

class Malformed extends Error {}

/** Reads a message; times are differences to the bound before. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #timeSec = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  take(count: number): Uint8Array {
    if (count > this.#bytes.length - this.#at) throw new Malformed('it ends too soon');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  varint(): number {
    let value = 0;
    for (let byte = 0x80; byte >= 0x80; ) {
      byte = this.byte();
      value = value * 128 + (byte & 0x7f);
      if (value > Number.MAX_SAFE_INTEGER) throw new Malformed('it has a number over 2^53');
    }
    return value;
  }

  bound(): Bound {
    const difference = this.varint();
    this.#timeSec = difference === 0 ? Number.POSITIVE_INFINITY : this.#timeSec + difference - 1;
    const length = this.varint();
    if (length > ID_BYTES) throw new Malformed('it has a bound longer than an id');
    return { createdAtSec: this.#timeSec, prefix: this.take(length) };
  }
}

/** Writes a message. */
class Writer {
  readonly #parts: Uint8Array[] = [new Uint8Array([VERSION])];
  #timeSec = 0;
  length = 1;

  range({ createdAtSec, prefix }: Bound, mode: number, ...payload: readonly Uint8Array[]): void {
    const difference = createdAtSec === Number.POSITIVE_INFINITY ? 0 : createdAtSec - this.#timeSec + 1;
    this.#timeSec = createdAtSec;
    const parts = [encodeVarint(difference), encodeVarint(prefix.length), prefix, encodeVarint(mode), ...payload];
    for (const part of parts) this.length += part.length;
    this.#parts.push(...parts);
  }

  bytes(): Uint8Array {
    return concatBytes(...this.#parts);
  }
}

/** Base 128, most significant digits first; all but the last byte have the high bit. */
function encodeVarint(value: number): Uint8Array {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest % 128) | 0x80);
  return Uint8Array.from(digits);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] ?? 0) - (b[at] ?? 0);
  return a.length - b.length;
}
