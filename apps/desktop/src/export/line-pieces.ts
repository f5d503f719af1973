import type { ObserverEvent } from '@heliograph/wire';
import { acrossPieces, type Piece, type PieceSecret } from './joined-pieces.ts';
import { jsonStrings } from './json-strings.ts';
import { toldProgress } from './told-progress.ts';

/** Where updates carry what is told in pieces, and what says of which text they are one. */
const UPDATE = '/params/update/';
const KIND = `${UPDATE}sessionUpdate`;
const NAMES = new Set([KIND, `${UPDATE}messageId`, `${UPDATE}toolCallId`]);

/** The texts that an agent tells in pieces over many lines (messages, output), put together by what they belong to. */
export class LinePieces {
  readonly #texts = new Map<string, Piece<number>[]>();

  /** `at`: its place among the lines. */
  add(at: number, { kind, payload, stream, turnId }: ObserverEvent): void {
    if (kind !== 'acp_read' || !payload.includes('"session/update"')) return;
    const names: string[] = [];
    const pieces: (readonly [pointer: string, start: number, end: number])[] = [];
    for (const { pointer, start, end } of jsonStrings(payload)) {
      if (!pointer.startsWith(UPDATE)) continue;
      // A call and what is told of it later are one text.
      if (NAMES.has(pointer)) names.push(payload.slice(start, end).replace(/_update$/, ''));
      else pieces.push([pointer, start, end]);
    }
    const line = JSON.stringify([stream, turnId, names]);
    for (const [pointer, start, end] of pieces) {
      const key = line + pointer;
      const text = { source: at, text: payload.slice(start, end), start };
      const known = this.#texts.get(key);
      if (known === undefined) this.#texts.set(key, [text]);
      else known.push(text);
    }
  }

  /** The secrets that go over several lines; yields how far it is, 0 to 1. */
  *secrets(): Generator<number, readonly (readonly [number, PieceSecret])[]> {
    const found: (readonly [number, PieceSecret])[] = [];
    let done = 0;
    for (const pieces of this.#texts.values()) {
      for (const one of yield* toldProgress(acrossPieces(pieces), () => done / this.#texts.size)) found.push(one);
      done++;
    }
    return found;
  }
}
