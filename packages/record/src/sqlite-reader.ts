import { type Crypto, decodeEnvelope, hexEncode, type ObserverEvent, utf8Decode } from '@heliograph/wire';
import type { ArchivedAgent, ArchivedSession, ArchiveReader, LineCursor, SessionFilter } from './reader.ts';
import type { Role, StoredRecord } from './record.ts';
import { withRedactedMarks } from './redacted-marks.ts';
import type { Packer, SqlDatabase, SqlValue } from './sql.ts';
import { parseStatement, type Statement } from './statement.ts';

/** No kept text is longer: NIP-44's largest plaintext, and what a replacement may add to it. */
const MAX_TEXT_BYTES = 1_048_576;
/** Records looked at in one step of a page. */
const PAGE_RECORDS = 64;

interface RecordRow {
  readonly n: number;
  readonly id: Uint8Array;
  readonly role: Role;
  readonly agent: string;
  readonly stream: string | null;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  readonly created_at: number;
  readonly received_ms: number;
  readonly envelope: Uint8Array | null;
  readonly text_sha: Uint8Array | null;
  readonly hash: Uint8Array;
  readonly prev: Uint8Array | null;
  readonly kind: number | null;
  readonly tags: string | null;
  readonly sig: Uint8Array | null;
  readonly content: Uint8Array | string | null;
  readonly opening: Uint8Array | null;
  readonly text: Uint8Array | null;
}

interface TextRow {
  readonly n: number;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly envelope: Uint8Array | null;
  readonly text: Uint8Array | null;
}

const RECORDS = `
  SELECT r.n, r.id, r.role, a.public_key AS agent, s.id AS stream, r.first_seq, r.last_seq, r.created_at, r.received_ms,
    r.envelope, r.text_sha, r.hash, (SELECT p.hash FROM records p WHERE p.n = r.n - 1) AS prev,
    b.kind, b.tags, b.sig, b.content, b.opening, b.text
  FROM records r LEFT JOIN agents a USING (agent) LEFT JOIN streams s ON s.stream = r.stream LEFT JOIN bodies b ON b.n = r.n`;

const TEXTS = `
  SELECT r.n, r.first_seq, r.last_seq, r.envelope, b.text FROM records r JOIN bodies b USING (n)
  WHERE r.role = 'telemetry' AND r.stream = ?`;

/** Reads an archive through an open handle. Throws what SQLite throws, and RangeError where a stored text is damaged. */
export function createReader(db: SqlDatabase, packer: Packer, crypto: Crypto): ArchiveReader {
  const meta = (name: string) =>
    (db.prepare('SELECT value FROM meta WHERE name = ?').get(name) as { value: string } | undefined)?.value;
  const number = (sql: string, ...values: SqlValue[]) =>
    (db.prepare(sql).get(...values) as { value: number | null } | undefined)?.value ?? undefined;

  function textOf(row: Pick<TextRow, 'n' | 'text'>): string | undefined {
    if (row.text === null) return undefined;
    const text = utf8Decode(packer.unpack(row.text, MAX_TEXT_BYTES));
    if (text === undefined) throw new RangeError(`the text of record ${row.n} is damaged`);
    return text;
  }

  function eventsIn(row: TextRow): readonly ObserverEvent[] {
    const text = textOf(row);
    const decoded = text === undefined ? undefined : decodeEnvelope(text, crypto);
    if (text === undefined || decoded?.ok !== true) return [];
    const { events } = decoded.value;
    // The hash is of the text as it was signed.
    const isExact = row.envelope === null || decoded.value.hash === hexEncode(row.envelope);
    return isExact ? events : events.map(withRedactedMarks);
  }

  function streamOf(agent: string, stream: string): number | undefined {
    const sql =
      'SELECT s.stream AS value FROM streams s JOIN agents a USING (agent) WHERE a.public_key = ? AND s.id = ?';
    return number(sql, agent, stream);
  }

  function* eventsFrom(ref: number, first: number, last: number): Generator<ObserverEvent> {
    // Envelopes do not overlap but in a conflict: from the last one that begins at or before `first` on.
    const begin = number('SELECT max(first_seq) AS value FROM records WHERE stream = ? AND first_seq <= ?', ref, first);
    let next = first;
    // Page by page: whoever reads may write through the same handle meanwhile.
    const page = db.prepare(
      `${TEXTS} AND (r.first_seq, r.n) > (?, ?) AND r.first_seq <= ? ORDER BY r.first_seq, r.n LIMIT ${PAGE_RECORDS}`,
    );
    let [seq, n] = [begin ?? first, 0];
    for (;;) {
      const rows = page.all(ref, seq, n, last) as TextRow[];
      for (const row of rows) {
        for (const event of eventsIn(row)) {
          if (event.seq < next || event.seq > last) continue;
          yield event;
          next = event.seq + 1;
        }
      }
      const end = rows.at(-1);
      if (end === undefined || rows.length < PAGE_RECORDS) return;
      [seq, n] = [end.first_seq, end.n];
    }
  }

  /** The `limit` events of a stream that end before `end`, oldest first. */
  function eventsBefore(ref: number, end: number, limit: number): readonly ObserverEvent[] {
    let found: ObserverEvent[] = [];
    let before = end;
    const rows = db.prepare(`${TEXTS} AND r.first_seq < ? ORDER BY r.first_seq DESC, r.n DESC LIMIT ${PAGE_RECORDS}`);
    while (found.length < limit) {
      const page = rows.all(ref, before) as TextRow[];
      if (page.length === 0) break;
      before = Math.min(...page.map(({ first_seq }) => first_seq));
      const events = page.reverse().flatMap(eventsIn);
      found = [...events.filter(({ seq }) => seq < end), ...found];
    }
    return dedupe(found).slice(-limit);
  }

  function streamsOf(session: number): readonly { readonly stream: number; readonly id: string }[] {
    const sql = `SELECT s.stream, s.id FROM streams s WHERE s.session = ?
      ORDER BY (SELECT min(n) FROM records r WHERE r.stream = s.stream), s.stream`;
    return db.prepare(sql).all(session) as { stream: number; id: string }[];
  }

  function recordOf(row: RecordRow): StoredRecord {
    const { content } = row;
    return {
      n: row.n,
      prev: row.prev === null ? '' : hexEncode(row.prev),
      id: hexEncode(row.id),
      role: row.role,
      agent: row.agent ?? '',
      stream: row.stream,
      firstSeq: row.first_seq,
      lastSeq: row.last_seq,
      createdAtSec: row.created_at,
      receivedAtMs: row.received_ms,
      envelope: row.envelope === null ? null : hexEncode(row.envelope),
      textSha: row.text_sha === null ? null : hexEncode(row.text_sha),
      hash: hexEncode(row.hash),
      kind: row.kind ?? -1,
      tags: row.tags ?? '',
      sig: row.sig === null ? '' : hexEncode(row.sig),
      content: content === null ? undefined : typeof content === 'string' ? content : crypto.base64Encode(content),
      opening: row.opening ?? undefined,
      text: textOf(row),
    };
  }

  return {
    about() {
      const size = number('SELECT page_count * page_size AS value FROM pragma_page_count(), pragma_page_size()');
      return {
        chain: meta('chain') ?? '',
        owner: meta('owner') ?? '',
        atRest: meta('at_rest') === 'sealed' ? 'sealed' : 'open',
        secrets: meta('secrets') === 'drop' ? 'drop' : 'seal',
        records: number('SELECT count(*) AS value FROM records') ?? 0,
        firstRecord: number('SELECT min(n) AS value FROM records'),
        lastRecord: number('SELECT max(n) AS value FROM records'),
        bytes: size ?? 0,
      };
    },
    agents() {
      const sql = 'SELECT public_key AS publicKey, name, key_made_by AS keyMadeBy FROM agents ORDER BY agent';
      return (db.prepare(sql).all() as { [key in keyof ArchivedAgent]: ArchivedAgent[key] | null }[]).map((row) => ({
        publicKey: row.publicKey ?? '',
        name: row.name ?? undefined,
        keyMadeBy: row.keyMadeBy ?? undefined,
      }));
    },
    sessions(filter: SessionFilter = {}) {
      const { agent = null, session = null, from = null, to = null } = filter;
      const sql = `SELECT session, agent, channel_id AS channelId, session_id AS sessionId, title, cwd,
        started_at AS startedAt, last_at AS lastAt, turns FROM sessions
        WHERE agent = coalesce(?, agent) AND session = coalesce(?, session)
          AND coalesce(last_at >= ?, 1) AND coalesce(started_at <= ?, 1)
        ORDER BY started_at, session`;
      const rows = db.prepare(sql).all(agent, session, from, to) as {
        [key in keyof ArchivedSession]: ArchivedSession[key] | null;
      }[];
      return rows.map((row) => ({
        session: row.session ?? 0,
        agent: row.agent ?? '',
        channelId: row.channelId ?? '',
        sessionId: row.sessionId ?? undefined,
        title: row.title ?? undefined,
        cwd: row.cwd ?? undefined,
        startedAt: row.startedAt ?? undefined,
        lastAt: row.lastAt ?? undefined,
        turns: row.turns ?? 0,
        streams: streamsOf(row.session ?? 0).map(({ id }) => id),
      }));
    },
    lines(session, { before, after, limit }) {
      const streams = streamsOf(session);
      const lines: ObserverEvent[] = [];
      if (after !== undefined) {
        const start = streams.findIndex(({ id }) => id === after.stream);
        for (const { stream, id } of start < 0 ? [] : streams.slice(start)) {
          const first = id === after.stream ? after.seq : 1;
          for (const event of eventsFrom(stream, first, Number.MAX_SAFE_INTEGER)) {
            if (lines.push(event) === limit) break;
          }
          if (lines.length >= limit) break;
        }
      } else {
        const found = before === undefined ? streams.length - 1 : streams.findIndex(({ id }) => id === before.stream);
        for (const { stream, id } of streams.slice(0, found + 1).reverse()) {
          const end = id === before?.stream ? before.seq : Number.MAX_SAFE_INTEGER;
          lines.unshift(...eventsBefore(stream, end, limit - lines.length));
          if (lines.length >= limit) break;
        }
      }
      return { lines, ...neighbours(lines, streams) };
    },
    *events(agent, stream, firstSeq, lastSeq) {
      const ref = streamOf(agent, stream);
      if (ref !== undefined) yield* eventsFrom(ref, firstSeq, lastSeq);
    },
    *records({ from = 1, to = Number.MAX_SAFE_INTEGER, session } = {}) {
      const where = session === undefined ? '' : ' AND r.stream IN (SELECT stream FROM streams WHERE session = ?)';
      const rows = db.prepare(`${RECORDS} WHERE r.n BETWEEN ? AND ?${where} ORDER BY r.n`);
      const values = session === undefined ? [from, to] : [from, to, session];
      for (const row of rows.iterate(...values)) yield recordOf(row as RecordRow);
    },
    texts(stream, firstSeq, lastSeq) {
      const rows = db.prepare(`${TEXTS} AND r.first_seq <= ? AND r.last_seq >= ? ORDER BY r.n`);
      return (rows.all(stream, lastSeq, firstSeq) as TextRow[]).flatMap((row) => {
        const text = textOf(row);
        return text === undefined ? [] : [{ n: row.n, text }];
      });
    },
    newestRecord: (stream) => number('SELECT max(n) AS value FROM records WHERE stream = ?', stream) ?? 0,
    statements() {
      const rows = db.prepare('SELECT json FROM statements ORDER BY s').all() as { json: string }[];
      return rows.flatMap(({ json }): Statement[] => {
        const parsed = parseStatement(json, crypto);
        return parsed.ok ? [parsed.value] : [];
      });
    },
  };

  /** Cursors to go on from either end; `undefined` where there is nothing more. */
  function neighbours(
    lines: readonly ObserverEvent[],
    streams: readonly { readonly stream: number; readonly id: string }[],
  ): { readonly before: LineCursor | undefined; readonly after: LineCursor | undefined } {
    const [first, last] = [lines[0], lines.at(-1)];
    if (first?.stream === undefined || last?.stream === undefined) return { before: undefined, after: undefined };
    const at = (id: string) => streams.findIndex((stream) => stream.id === id);
    const holds = (index: number, test: string, seq: number) => {
      const ref = streams[index]?.stream;
      const sql = `SELECT 1 AS value FROM records WHERE stream = ? AND ${test} LIMIT 1`;
      return ref !== undefined && number(sql, ref, seq) !== undefined;
    };
    const [begin, end] = [at(first.stream), at(last.stream)];
    const isFirst = begin <= 0 && !holds(begin, 'first_seq < ?', first.seq);
    const isLast = end === streams.length - 1 && !holds(end, 'last_seq > ?', last.seq);
    return {
      before: isFirst ? undefined : { stream: first.stream, seq: first.seq },
      after: isLast ? undefined : { stream: last.stream, seq: last.seq + 1 },
    };
  }
}

function dedupe(events: readonly ObserverEvent[]): ObserverEvent[] {
  return events.filter((event, at) => at === 0 || event.seq > (events[at - 1]?.seq ?? 0));
}
