/**
 * What keeping, asking and proving cost, as ratios in processor time of one run: `npm run bench:archive [-- LINES]`
 * (1,300,000 by default). Sessions of 10 turns are made, sealed and signed as a harness does; making them is not counted.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedEvent } from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { ArchiveVerifier, createReader, SCHEMA } from '@heliograph/record';
import { verifyEvent } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { packer, QUESTIONS, type Question, searchArchive } from '../src/index.ts';
import { MAX_BATCH } from '../src/keeper.ts';
import { MadeSession, openParts } from './support/made-session.ts';

const { crypto, report } = selectNodeCrypto();
const lines = Number(process.argv[2] ?? 1_300_000);
const folder = mkdtempSync(join(tmpdir(), 'heliograph-archive-bench-'));
const LINES_PER_FRAME = 8;
const CHUNKS = 94;
const TURNS = 10;
/** A keeper with more to do than it can shows what it kept once a second. */
const LINES_BETWEEN_INDEXING = 10_000;
const WORDS = 'the quick agent reads a file writes another runs tests and says what it found in plain words'.split(' ');

/** Seconds of this process's processor time. */
function cpuOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function words(seed: number): string {
  return Array.from({ length: 6 }, (_, at) => WORDS[(seed * 7 + at * 13) % WORDS.length]).join(' ');
}

/** Something asked for in each turn: mostly allowed, now and then denied and done again; a file outside and a secret, rarely. */
function asked(session: MadeSession, number: number, turn: number) {
  const id = `asked-${turn}`;
  const input = { command: `curl -o part-${turn % 3} https://example.org`, number };
  if (turn === 4) return session.call(id, 'execute', input, 'reject_once', false);
  if (turn === 7) return session.call(id, 'execute', input, undefined, true);
  const secret = number % 20 === 0 && turn === 1 ? { token: `ghp_${'a1B2'.repeat(9)}` } : {};
  return session.call(id, 'edit', { path: `/work/part-${turn}`, ...secret }, 'allow_once', true);
}

async function sessionFrames(number: number): Promise<ReceivedEvent[]> {
  const session = new MadeSession(`stream-${number}`, `channel-${number}`, crypto);
  const frames = [await session.seal([session.event('stream_opened', { channelId: session.channelId })])];
  for (let turn = 1; turn <= TURNS; turn++) {
    const events = [
      ...session.turn(turn, CHUNKS, (chunk) => `${words(chunk + turn)} n${number}t${turn}c${chunk} `),
      ...asked(session, number, turn),
    ];
    for (let at = 0; at < events.length; at += LINES_PER_FRAME) {
      frames.push(await session.seal(events.slice(at, at + LINES_PER_FRAME)));
    }
  }
  return frames;
}

const path = join(folder, 'archive.db');
const { keep, indexer, store, file } = openParts(path, crypto);
let [kept, frameCount, plainBytes, ingestSec, shown] = [0, 0, 0, 0, 0];
let waiting: ReceivedEvent[] = [];

/** What a keeper does while more comes than it can write: full batches, and what is shown brought up to date now and then. */
function ingest(isLast: boolean): void {
  ingestSec += cpuOf(() => {
    for (; waiting.length >= (isLast ? 1 : MAX_BATCH); waiting = waiting.slice(MAX_BATCH)) {
      keep(waiting.slice(0, MAX_BATCH));
    }
    if (!isLast && kept - shown < LINES_BETWEEN_INDEXING) return;
    indexer.flush();
    shown = kept;
  });
}
for (let number = 1; kept < lines; number++) {
  const frames = await sessionFrames(number);
  for (const { envelope } of frames) {
    kept += envelope?.events.length ?? 0;
    plainBytes += Buffer.byteLength(envelope?.text ?? '');
  }
  frameCount += frames.length;
  waiting.push(...frames);
  ingest(kept >= lines);
}
store.checkpoint(1_790_000_000);
file.db.pragma('wal_checkpoint(TRUNCATE)');

/** The very rows of the archive, inserted into the same tables with nothing else done. */
function bareInserts(tables: readonly string[]): number {
  const bare = new Database(join(folder, 'bare.db'));
  bare.pragma('journal_mode = WAL');
  bare.pragma('synchronous = NORMAL');
  bare.pragma('foreign_keys = OFF');
  bare.pragma('cache_size = -32000');
  bare.pragma('wal_autocheckpoint = 4000');
  bare.exec(SCHEMA);
  let sec = 0;
  for (const table of tables) {
    const rows = file.reading.prepare(`SELECT * FROM ${table}`).raw().iterate() as Iterable<unknown[]>;
    const columns = file.reading.prepare(`SELECT * FROM ${table}`).columns().length;
    const insert = bare.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`);
    const write = bare.transaction((batch: unknown[][]) => {
      for (const row of batch) insert.run(...row);
    });
    let batch: unknown[][] = [];
    for (const row of rows) {
      batch.push(row);
      if (batch.length < 512) continue;
      const full = batch;
      sec += cpuOf(() => write(full));
      batch = [];
    }
    sec += cpuOf(() => write(batch));
  }
  bare.close();
  return sec;
}

function plainInserts(): number {
  const bare = new Database(join(folder, 'plain.db'));
  bare.pragma('journal_mode = WAL');
  bare.pragma('synchronous = NORMAL');
  bare.exec('CREATE TABLE frames (n INTEGER PRIMARY KEY, json TEXT NOT NULL)');
  const insert = bare.prepare('INSERT INTO frames (json) VALUES (?)');
  let sec = 0;
  const reader = createReader(file.reading, packer, crypto);
  let batch: string[] = [];
  const write = bare.transaction((texts: string[]) => {
    for (const text of texts) insert.run(text);
  });
  for (const { text } of reader.records()) {
    batch.push(text ?? '');
    if (batch.length < 512) continue;
    const full = batch;
    sec += cpuOf(() => write(full));
    batch = [];
  }
  sec += cpuOf(() => write(batch));
  bare.close();
  return sec;
}

const TABLES = [
  ...['agents', 'session_rows', 'streams', 'records', 'bodies', 'turn_rows', 'item_rows', 'texts', 'tool_rows'],
  ...['permission_rows', 'file_rows', 'command_rows'],
];
const bareSec = bareInserts(TABLES);
const plainSec = plainInserts();

const reader = createReader(file.reading, packer, crypto);
const timesMs = (act: (round: number) => void, rounds: number): number[] =>
  Array.from({ length: rounds }, (_, round) => cpuOf(() => act(round)) * 1_000).sort((a, b) => a - b);
const at = (sorted: readonly number[], share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
const sessions = reader.sessions().map(({ session }) => session);
const opens = timesMs((round) => reader.lines(sessions[(round * 31) % sessions.length] ?? 1, { limit: 200 }), 50);
const backs: number[] = [];
let page = reader.lines(sessions[0] ?? 1, { limit: 100 });
while (page.before !== undefined && backs.length < 200) {
  const { before } = page;
  backs.push(cpuOf(() => (page = reader.lines(sessions[0] ?? 1, { before, limit: 100 }))) * 1_000);
}
backs.sort((a, b) => a - b);
const rare = timesMs((round) => searchArchive(file.reading, { text: `n${round + 1}t3c7`, limit: 50 }), 100);
const common = timesMs(
  (round) => searchArchive(file.reading, { text: WORDS[round % WORDS.length] ?? '', limit: 50 }),
  40,
);

const questions = (Object.keys(QUESTIONS) as Question[]).map((question) => {
  let hits = 0;
  const ask = () => {
    hits = searchArchive(file.reading, { question, limit: 101 }).length;
  };
  return { question, ms: timesMs(ask, 3), hits: () => hits };
});

const statements = file.reading.prepare('SELECT json FROM statements ORDER BY s').pluck().all() as string[];
const verifier = new ArchiveVerifier({ chain: reader.about().chain, statements, crypto });
const verifySec = cpuOf(() => {
  for (const record of reader.records()) verifier.add(record);
});
const verdict = verifier.report();
let bareVerifySec = 0;
for (const record of reader.records({ to: 20_000 })) {
  const { id, agent, createdAtSec, kind, tags, content = '', sig } = record;
  const event = { id, pubkey: agent, created_at: createdAtSec, kind, tags: JSON.parse(tags), content, sig };
  bareVerifySec += cpuOf(() => void verifyEvent(event, crypto));
}
bareVerifySec *= frameCount / Math.min(frameCount, 20_000);

const sum = (sql: string) => file.reading.prepare(sql).pluck().get() as number;
const size = statSync(path).size;
const say = (name: string, value: string) => process.stdout.write(`${name.padEnd(64)}${value}\n`);
process.stdout.write(`${report}\n`);
say('lines, frames', `${kept}, ${frameCount}`);
say('kept, folded, indexed: lines per second of processor time', (kept / ingestSec).toFixed(0));
say('speed beside bare inserts into the same tables, index included', `${(bareSec / ingestSec).toFixed(2)} ×`);
say('speed beside bare inserts of the plain text into one table', `${(plainSec / ingestSec).toFixed(2)} ×`);
say('file beside the plain JSON', `${(size / plainBytes).toFixed(2)} ×`);
say('packed text beside the plain JSON', `${(sum('SELECT sum(length(text)) FROM bodies') / plainBytes).toFixed(3)} ×`);
say(
  'ciphertext beside the plain JSON',
  `${(sum('SELECT sum(length(content)) FROM bodies') / plainBytes).toFixed(2)} ×`,
);
say(
  'calls, denials',
  `${sum('SELECT count(*) FROM tool_rows')}, ${sum("SELECT count(*) FROM permission_rows WHERE option_kind = 'reject_once'")}`,
);
say('open a session (200 newest lines): median, p95 ms', `${at(opens, 0.5)}, ${at(opens, 0.95)}`);
say('page back 100 lines: median, p95 ms', `${at(backs, 0.5)}, ${at(backs, 0.95)}`);
say('search a rare word: median, p95 ms', `${at(rare, 0.5)}, ${at(rare, 0.95)}`);
say('search a word in every session: median, p95 ms', `${at(common, 0.5)}, ${at(common, 0.95)}`);
for (const { question, ms, hits } of questions)
  say(`${question}: best, worst of 3, ms; hits`, `${at(ms, 0)}, ${at(ms, 0.99)}; ${hits()}`);
say('verify: records per second of processor time', (frameCount / verifySec).toFixed(0));
say('verify beside bare signature checks', `${(bareVerifySec / verifySec).toFixed(2)} ×`);
say('verified', String(verdict.ok));
file.close();
rmSync(folder, { recursive: true, force: true });
