import type { ItemRow, SessionFacts, StretchChange, TurnChange } from '@heliograph/record';
import { type Item, TranscriptFold, type Turn } from '@heliograph/transcript';
import type { ObserverEvent } from '@heliograph/wire';
import { itemRow, type ShowContext, sessionFacts, turnRow } from './item-rows.ts';

/** A secret that no single line held whole: where its pieces are, by the seqs of the item it was seen in. */
export interface CutSecret {
  readonly kind: string;
  readonly secret: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** What changed since the last look. */
export interface WindowChange extends StretchChange {
  readonly session: SessionFacts;
  readonly cutSecrets: readonly CutSecret[];
}

/** Events in a window at most, between turns: then the next turn begins a new one. */
const MAX_WINDOW_EVENTS = 4_000;
/** Where no turn ever ends: in the middle of whatever it is. */
const MAX_ENDLESS_EVENTS = 40_000;

/**
 * A stretch of one stream, folded: from a turn's beginning on. Memory is that of the stretch, not of the stream; what
 * lies before it has been shown and is folded again only when something of it comes late.
 */
export class TurnWindow {
  readonly #fold = new TranscriptFold();
  readonly #channelId: string | null;
  readonly #show: Omit<ShowContext, 'cwd'>;
  readonly #shown = new Map<string, Turn>();
  #fromSeq: number | undefined;
  #count = 0;

  /** `shared`: events of the harness stream that tell every channel something. */
  constructor(channelId: string | null, show: Omit<ShowContext, 'cwd'>, shared: readonly ObserverEvent[]) {
    this.#channelId = channelId;
    this.#show = show;
    this.share(shared);
  }

  /** The first seq it holds; `undefined` before any. */
  get fromSeq(): number | undefined {
    return this.#fromSeq;
  }

  /** Takes events of the harness stream that tell every channel something; those it has change nothing. */
  share(events: readonly ObserverEvent[]): void {
    for (const event of events) this.#fold.insert(event);
  }

  insert(event: ObserverEvent): void {
    if (this.#fromSeq === undefined || event.seq < this.#fromSeq) this.#fromSeq = event.seq;
    if (this.#fold.insert(event) !== 'duplicate') this.#count++;
  }

  /** Turns and items that are not as they were at the last look. Cost: what changed, and one comparison an item of the window's open turns. */
  take(): WindowChange {
    const transcript = this.#fold.transcript(this.#channelId);
    const show: ShowContext = { ...this.#show, cwd: transcript.session.cwd };
    const turns: TurnChange[] = [];
    const cutSecrets: CutSecret[] = [];
    const ids = new Set(transcript.turns.map(({ id }) => id));
    const goneTurns = [...this.#shown.keys()].filter((id) => !ids.has(id));
    for (const id of goneTurns) this.#shown.delete(id);
    for (const turn of transcript.turns) {
      const before = this.#shown.get(turn.id);
      if (before === turn) continue;
      this.#shown.set(turn.id, turn);
      const row = turnRow(turn, show.stream);
      // What stands in front of the window as missing was shown before: a turn of nothing else is none.
      const isNone =
        turn.source === 'none' && turn.items.length > 0 && turn.items.every((item) => this.#isBefore(item));
      if (row === undefined || isNone || row.lastSeq < (this.#fromSeq ?? 0)) continue;
      const items: ItemRow[] = [];
      const known = new Map(before?.items.map((item) => [item.id, item]));
      for (const item of turn.items) {
        const old = known.get(item.id);
        known.delete(item.id);
        const shown = old === item || this.#isBefore(item) ? undefined : itemRow(item, show);
        if (shown === undefined) continue;
        items.push(shown.row);
        const { firstSeq, lastSeq } = shown.row;
        for (const { kind, secret } of shown.secrets) cutSecrets.push({ kind, secret, firstSeq, lastSeq });
      }
      turns.push({ turn: row, items, gone: [...known.keys()] });
    }
    return { turns, goneTurns, session: sessionFacts(transcript.session), cutSecrets };
  }

  /** Whether the next event should begin a new window. */
  get isFull(): boolean {
    if (this.#count < MAX_WINDOW_EVENTS) return false;
    if (this.#count >= MAX_ENDLESS_EVENTS) return true;
    return this.#fold.transcript(this.#channelId).turns.at(-1)?.status === 'ended';
  }

  /** A gap that reaches up to the window is no gap: it was shown before. */
  #isBefore(item: Item): boolean {
    return item.kind === 'gap' && item.stream === this.#show.stream && item.lastSeq < (this.#fromSeq ?? 0);
  }
}
