import type { ObserverEvent } from '@heliograph/wire';
import { acrossPieces, type Piece, type PieceSecret } from './joined-pieces.ts';
import { jsonStrings } from './json-strings.ts';
import { toldProgress } from './told-progress.ts';

/** Where updates carry what is told in pieces, and what says of which text they are one. */
const UPDATE = '/params/update/';
const KIND = `${UPDATE}sessionUpdate`;
const NAMES = new Set([KIND, `${UPDATE}messageId`, `${UPDATE}toolCallId`, `${UPDATE}terminalId`]);
/** What a terminal of ACP 2 showed: bytes in base64. */
const BYTES = { kind: 'terminal_output_chunk', pointer: `${UPDATE}data` };

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
      const isBytes = pointer === BYTES.pointer && names.includes(BYTES.kind);
      const shown = isBytes ? textOfBase64(payload.slice(start, end)) : undefined;
      const text =
        shown === undefined
          ? { source: at, text: payload.slice(start, end), start }
          : { source: at, text: shown, start, wholeTo: end };
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

/** Undefined for what is no base64. */
function textOfBase64(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
