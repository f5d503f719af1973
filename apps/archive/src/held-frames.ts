import { createReader, type Packer, type SqlDatabase, type StoredRecord } from '@heliograph/record';
import { type Crypto, type Filter, matchFilter, type NostrEvent } from '@heliograph/wire';

/** A kept signed event, and its JSON text. */
export interface HeldFrame {
  readonly event: NostrEvent;
  readonly json: string;
}

/** Kept events as viewers ask for them. Events whose content was dropped can't be sent. */
export interface HeldFrames {
  /** Events that fit a filter, newest first, at most `limit`. */
  between(filter: Filter, limit: number): Iterable<HeldFrame>;
  /** What a viewer that has this lacks of an agent's newest streams, oldest first; bounded as a harness's answer is. */
  after(agent: string, have: readonly { readonly stream: string; readonly seq: number }[]): Iterable<HeldFrame>;
  /** Envelopes of a stream from `fromSeq` to `toSeq`, at most 1,000, and the inclusive ranges that are not here. */
  range(
    agent: string,
    stream: string,
    fromSeq: number,
    toSeq: number | undefined,
  ): { readonly frames: Iterable<HeldFrame>; readonly missing: readonly (readonly [number, number])[] };
}

const MAX_REPLAY = 1_000;
/** Envelopes of one stream that a greeting brings, and streams, the newest: more is asked for with `replay`. */
const MAX_GREETING = 256;
const MAX_STREAMS = 16;
/** Records looked at for one filter. */
const MAX_LOOKED_AT = 100_000;

/** Reads kept events through an open handle. */
export function heldFrames(db: SqlDatabase, packer: Packer, owner: string, crypto: Crypto): HeldFrames {
  const reader = createReader(db, packer, crypto);
  const record = (n: number): StoredRecord | undefined => [...reader.records({ from: n, to: n })][0];
  const frame = (n: number): readonly HeldFrame[] => {
    const found = record(n);
    return found === undefined ? [] : frameOf(found, owner);
  };
  const spans = db.prepare(
    `SELECT r.n, r.first_seq AS first, r.last_seq AS last FROM records r JOIN streams s USING (stream) JOIN agents a ON a.agent = s.agent
     JOIN bodies b USING (n) WHERE a.public_key = ? AND s.id = ? AND r.last_seq >= ? AND r.first_seq <= ? AND b.content IS NOT NULL
     ORDER BY r.first_seq, r.n LIMIT ?`,
  );

  return {
    *between(filter, limit) {
      const { since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
      const rows = db.prepare(
        `SELECT n FROM records WHERE created_at BETWEEN ? AND ? ORDER BY n DESC LIMIT ${MAX_LOOKED_AT}`,
      );
      let left = limit;
      for (const { n } of rows.all(since, until) as { n: number }[]) {
        if (left <= 0) return;
        for (const found of frame(n)) {
          if (!matchFilter(filter, found.event)) continue;
          yield found;
          left--;
        }
      }
    },
    *after(agent, have) {
      const known = new Map(have.map(({ stream, seq }) => [stream, seq]));
      const streams = db
        .prepare(
          `SELECT id FROM (SELECT s.id, (SELECT max(n) FROM records r WHERE r.stream = s.stream) AS n FROM streams s
             JOIN agents a USING (agent) WHERE a.public_key = ?) WHERE n IS NOT NULL ORDER BY n DESC LIMIT ?`,
        )
        .all(agent, MAX_STREAMS) as { id: string }[];
      const newest = db.prepare(
        `SELECT r.n FROM records r JOIN streams s USING (stream) JOIN agents a ON a.agent = s.agent
         WHERE a.public_key = ? AND s.id = ? AND r.first_seq > ? ORDER BY r.first_seq DESC LIMIT ${MAX_GREETING}`,
      );
      for (const { id } of streams.reverse()) {
        const rows = newest.all(agent, id, known.get(id) ?? 0) as { n: number }[];
        for (const { n } of rows.reverse()) yield* frame(n);
      }
    },
    range(agent, stream, fromSeq, toSeq = Number.MAX_SAFE_INTEGER) {
      const found = spans.all(agent, stream, fromSeq, toSeq, MAX_REPLAY) as {
        n: number;
        first: number;
        last: number;
      }[];
      const end = toSeq === Number.MAX_SAFE_INTEGER || found.length === MAX_REPLAY ? found.at(-1)?.last : toSeq;
      return { frames: framesOf(found, frame), missing: missingIn(found, fromSeq, end ?? fromSeq - 1) };
    },
  };
}

function* framesOf(
  rows: readonly { readonly n: number }[],
  frame: (n: number) => readonly HeldFrame[],
): Generator<HeldFrame> {
  for (const { n } of rows) yield* frame(n);
}

function frameOf(record: StoredRecord, owner: string): readonly HeldFrame[] {
  const { id, role, agent, createdAtSec, kind, tags, content, sig } = record;
  if (content === undefined) return [];
  const pubkey = role === 'control' ? owner : agent;
  const event = { id, pubkey, created_at: createdAtSec, kind, tags: JSON.parse(tags), content, sig };
  return [{ event, json: JSON.stringify(event) }];
}

function missingIn(
  found: readonly { readonly first: number; readonly last: number }[],
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  const missing: [number, number][] = [];
  let next = from;
  for (const { first, last } of found) {
    if (first > next) missing.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (to >= next) missing.push([next, to]);
  return missing;
}
