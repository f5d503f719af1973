import { createReader, type SqlDatabase, ViewStore } from '@heliograph/record';
import { TranscriptFold, type Turn } from '@heliograph/transcript';
import type { Crypto, ObserverEvent } from '@heliograph/wire';
import { packer } from '../packer.ts';

/** Events folded at once, between turns; where no turn ends, in the middle of whatever it is. */
const MAX_EVENTS = 4_000;
const MAX_ENDLESS_EVENTS = 40_000;
/** What the harness stream says that every channel needs stands at its beginning. */
const SHARED_EVENTS = 256;

/** A session's turns as viewers fold them, oldest first. Memory: that of a stretch, not of the session. */
export function* sessionTurns(db: SqlDatabase, session: number, crypto: Crypto): Generator<Turn> {
  const reader = createReader(db, packer, crypto);
  const views = new ViewStore(db);
  const [found] = reader.sessions({ session });
  if (found === undefined) return;
  const { agent, channelId, streams } = found;
  for (const stream of streams) {
    const ref = views.stream(agent, stream)?.stream;
    const run = ref === undefined ? undefined : views.runOf(ref);
    // How far streams go is not for a stretch to know: it would show all after it as missing.
    const shared = run === undefined ? [] : [...reader.events(agent, run, 1, SHARED_EVENTS)].filter(isNoHead);
    let stretch = new Stretch(stream, channelId, shared);
    for (const event of reader.events(agent, stream, 1, Number.MAX_SAFE_INTEGER)) {
      if (stretch.isFull) {
        yield* stretch.turns();
        stretch = new Stretch(stream, channelId, shared);
      }
      stretch.insert(event);
    }
    yield* stretch.turns();
  }
}

class Stretch {
  readonly #stream: string;
  readonly #channelId: string;
  readonly #fold = new TranscriptFold();
  #from = 1;
  #count = 0;

  constructor(stream: string, channelId: string, shared: readonly ObserverEvent[]) {
    this.#stream = stream;
    this.#channelId = channelId;
    for (const event of shared) this.#fold.insert(event);
  }

  get isFull(): boolean {
    if (this.#count < MAX_EVENTS) return false;
    if (this.#count >= MAX_ENDLESS_EVENTS) return true;
    return this.#fold.transcript(this.#channelId).turns.at(-1)?.status === 'ended';
  }

  insert(event: ObserverEvent): void {
    if (this.#count++ === 0) this.#from = event.seq;
    this.#fold.insert(event);
  }

  /** Turns of this stretch; a gap that reaches up to it is none. */
  *turns(): Generator<Turn> {
    for (const turn of this.#fold.transcript(this.#channelId).turns) {
      const isOwn = turn.refs.some(({ stream, last }) => stream === this.#stream && last >= this.#from);
      if (!isOwn) continue;
      const items = turn.items.filter((item) => item.kind !== 'gap' || item.lastSeq >= this.#from || this.#from === 1);
      if (items.length > 0) yield { ...turn, items };
    }
  }
}

function isNoHead({ kind }: ObserverEvent): boolean {
  return kind !== 'heads' && kind !== 'snapshot';
}
