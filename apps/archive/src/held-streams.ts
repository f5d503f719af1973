import type { HeldSegment, HeldStream } from '@heliograph/client';
import type { SqlDatabase } from '@heliograph/record';
import { hexEncode } from '@heliograph/wire';

/** Streams of one agent that a viewer is told of; the newest. What is held of older ones falls out when it is written. */
const MAX_STREAMS = 512;

/** What an archive holds of an agent's streams, oldest first: so that only what is missing is asked for. */
export function heldStreams(db: SqlDatabase, agent: string): readonly HeldStream[] {
  const streams = db
    .prepare(
      `SELECT * FROM (SELECT s.stream, s.id, e.channel_id AS channelId, s.head_seq AS head,
         (SELECT max(n) FROM records r WHERE r.stream = s.stream) AS n
       FROM streams s JOIN agents a USING (agent) LEFT JOIN session_rows e ON e.session = s.session
       WHERE a.public_key = ?) WHERE n IS NOT NULL ORDER BY n DESC LIMIT ${MAX_STREAMS}`,
    )
    .all(agent) as { stream: number; id: string; channelId: string | null; head: number }[];
  const links = db.prepare(
    'SELECT first_seq AS first, last_seq AS last, envelope FROM records WHERE stream = ? ORDER BY first_seq, n',
  );
  const hash = db.prepare('SELECT envelope FROM records WHERE stream = ? AND first_seq = ? ORDER BY n LIMIT 1');
  const pruned = db.prepare("SELECT 1 FROM statements WHERE type = 'tombstone' LIMIT 1").get() !== undefined;
  return streams.reverse().map(({ stream, id, channelId, head }) => ({
    stream: id,
    channelId,
    head,
    segments: segmentsOf(links.iterate(stream) as Iterable<Link>, pruned),
    hashAt: (firstSeq) => {
      const row = hash.get(stream, firstSeq) as { envelope: Uint8Array | null } | undefined;
      return row?.envelope ? hexEncode(row.envelope) : undefined;
    },
  }));
}

interface Link {
  readonly first: number;
  readonly last: number;
  readonly envelope: Uint8Array | null;
}

function segmentsOf(links: Iterable<Link>, pruned: boolean): readonly HeldSegment[] {
  const segments: { first: number; last: number; firstPrev: undefined; lastHash: string | undefined }[] = [];
  for (const { first, last, envelope } of links) {
    const lastHash = envelope === null ? undefined : hexEncode(envelope);
    const before = segments.at(-1);
    if (before !== undefined && first <= before.last) continue;
    if (before !== undefined && first === before.last + 1) Object.assign(before, { last, lastHash });
    else segments.push({ first, last, firstPrev: undefined, lastHash });
  }
  // What retention removed is not missing.
  const oldest = segments[0];
  if (pruned && oldest !== undefined && oldest.first > 1) oldest.first = 1;
  return segments;
}
