import {
  type AgentLine,
  createReader,
  ExportDigest,
  type ExportLine,
  type ExportScope,
  encodeExportLine,
  type Finding,
  type SqlDatabase,
  type StreamLine,
} from '@heliograph/record';
import { type Crypto, hexEncode } from '@heliograph/wire';
import { packer } from '../packer.ts';
import { givenScope, rangeOf, recordsIn } from './selection.ts';

/** Lost ranges told of one stream at most; the records show them all. */
const MAX_LOST = 65_536;

/**
 * An archive's records as JSONL, with what proves them. `redacted` leaves the signed events' contents out. The caller
 * holds one read transaction, so that all of it is of one moment; the same archive and scope always give the same lines.
 */
export function* exportJsonl(
  db: SqlDatabase,
  {
    scope: given,
    events,
    crypto,
  }: {
    readonly scope: ExportScope;
    readonly events: 'sealed' | 'redacted';
    readonly crypto: Crypto;
  },
): Generator<string> {
  const digest = new ExportDigest(crypto);
  const write = (line: ExportLine): string => {
    const text = encodeExportLine(line, crypto);
    digest.add(text);
    return `${text}\n`;
  };
  const reader = createReader(db, packer, crypto);
  const { chain, owner, atRest, secrets } = reader.about();
  const scope = givenScope(given);
  const range = rangeOf(db, given);
  const first = range === undefined ? undefined : { n: range.first, prev: hashBefore(db, range.first, chain) };
  yield write({ type: 'manifest', manifest: { chain, owner, atRest, secrets, events, scope, first } });
  if (range !== undefined) {
    for (const line of streamLines(db, given)) yield write(line);
  }
  for (const { json } of db.prepare('SELECT json FROM statements ORDER BY s').iterate() as Iterable<{ json: string }>) {
    yield write({ type: 'statement', json });
  }
  if (range !== undefined) {
    const { sql, values } = recordsIn(given);
    const isAsked = db.prepare(`SELECT 1 FROM records r WHERE r.n = ? AND ${sql}`);
    const findings = db.prepare(
      'SELECT kind, digest FROM redaction_rows WHERE n = ? AND item IS NULL ORDER BY redaction',
    );
    const to = scope === undefined ? Number.MAX_SAFE_INTEGER : range.to;
    let prev = first?.prev ?? '';
    for (const kept of reader.records({ from: range.first, to })) {
      const record = { ...kept, prev };
      prev = kept.hash;
      if (scope !== undefined && isAsked.get(record.n, ...values) === undefined) {
        yield write({ type: 'link', head: record });
        continue;
      }
      const shown = events === 'sealed' ? record : { ...record, content: undefined, opening: undefined };
      yield write({ type: 'record', record: shown, findings: findings.all(record.n) as Finding[] });
    }
  }
  yield `${encodeExportLine({ type: 'end', lines: digest.lines, digest: digest.value }, crypto)}\n`;
}

/** Hash of the record before; where retention removed it, its tombstone's; before the first, the chain's id. */
function hashBefore(db: SqlDatabase, n: number, chain: string): string {
  const row = db.prepare('SELECT hash FROM records WHERE n = ?').get(n - 1) as { hash: Uint8Array } | undefined;
  if (row !== undefined) return hexEncode(row.hash);
  const pruned = db.prepare("SELECT value FROM meta WHERE name = 'pruned_hash'").get() as { value: string } | undefined;
  return pruned?.value ?? chain;
}

function* streamLines(db: SqlDatabase, scope: ExportScope): Generator<AgentLine | StreamLine> {
  const { sql, values } = recordsIn(scope);
  const agents = db.prepare(
    `SELECT public_key AS agent, name, key_made_by AS keyMadeBy FROM agents a
     WHERE agent IN (SELECT r.agent FROM records r WHERE ${sql}) ORDER BY agent`,
  );
  const all = agents.all(...values) as Omit<AgentLine, 'type'>[];
  for (const agent of all) yield { type: 'agent', ...agent };
  const lost = db.prepare(
    `SELECT first_seq AS first, last_seq AS last, reason FROM lost_rows WHERE stream = ? ORDER BY first_seq, last_seq LIMIT ${MAX_LOST}`,
  );
  // Streams that are only told of (a head, a loss) count in a whole export: gaps stand on them.
  const where = givenScope(scope) === undefined ? '1' : `s.stream IN (SELECT r.stream FROM records r WHERE ${sql})`;
  const streams = db.prepare(
    `SELECT s.stream AS ref, a.public_key AS agent, s.id AS stream, e.channel_id AS channelId, s.head_seq AS headSeq,
       s.head_hash AS headHash, s.closed FROM streams s JOIN agents a USING (agent) LEFT JOIN session_rows e USING (session)
     WHERE ${where} ORDER BY s.stream`,
  );
  const rows = streams.iterate(...(where === '1' ? [] : values)) as Iterable<
    Omit<StreamLine, 'type' | 'lost' | 'closed'> & { readonly ref: number; readonly closed: number }
  >;
  for (const { ref, closed, ...stream } of rows) {
    const ranges = lost.all(ref) as { first: number; last: number; reason: string }[];
    yield {
      type: 'stream',
      ...stream,
      closed: closed === 1,
      lost: ranges.map(({ first, last, reason }) => [first, last, reason] as const),
    };
  }
}
