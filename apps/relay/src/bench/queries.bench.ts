// How long a store takes to answer over many events; the time for a REQ is this and a message.
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { openSqliteStore, type SqliteStore, type StorableEvent } from '@heliograph/relay';
import type { Filter } from '@heliograph/wire';

/** One kind of question: median and 95th percentile in milliseconds, processor time of one, and events per answer. */
export interface QueryTimes {
  readonly question: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly cpuMs: number;
  readonly events: number;
}

/** Events of a transaction. */
const BATCH = 5_000;
/** What every question should take at most, in milliseconds. */
export const QUERY_GOALS = { p50Ms: 4, p95Ms: 10 };

/** Fills a store with `count` events of 1 KB of a hundred authors and asks it. */
export function measureQueries(dataDir: string, count: number): QueryTimes[] {
  const opened = openSqliteStore(dataDir);
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  const startedMs = performance.now();
  for (let at = 0; at < count; at += BATCH) {
    store.write(Array.from({ length: Math.min(BATCH, count - at) }, (_, i) => madeUp(at + i)));
    if (at % 100_000 === 0) {
      process.stderr.write(`filled ${at} in ${Math.round((performance.now() - startedMs) / 1_000)} s\n`);
    }
  }
  const at = (share: number): number => START_SEC + Math.floor(count * share);
  const questions: [string, (n: number) => Filter][] = [
    ['author', (n) => ({ authors: [keyOf(n)] })],
    ['author and kind', (n) => ({ authors: [keyOf(n)], kinds: [1] })],
    ['#p', (n) => ({ '#p': [keyOf(n)] })],
    ['10 authors and 2 kinds', (n) => ({ authors: Array.from({ length: 10 }, (_, i) => keyOf(n + i)), kinds: [1, 7] })],
    ['kind', (n) => ({ kinds: [KINDS[n % 4] ?? 1] })],
    ['since and until', (n) => ({ since: at((n % 90) / 100), until: at((n % 90) / 100 + 0.05) })],
    ['#p, kind and until', (n) => ({ '#p': [keyOf(n)], kinds: [9], until: at((n % 100) / 100) })],
    ['author and #p', (n) => ({ authors: [keyOf(n * 13)], '#p': [keyOf(n * 7 + 3)] })],
    [
      'author, kinds, #p, since and until, of which none is',
      (n) => ({ authors: [keyOf(n)], kinds: [1, 7], '#p': [keyOf(n + 1)], since: at(0.01), until: at(0.99) }),
    ],
    ['author and #t', (n) => ({ authors: [keyOf(n)], '#t': [`t${n % 1_000}`] })],
    ['#p and #t', (n) => ({ '#p': [keyOf(n)], '#t': [`t${(n * 3) % 1_000}`] })],
    ['#t', (n) => ({ '#t': [`t${n % 1_000}`] })],
    ['one word (search)', (n) => ({ search: `word${n % 5_000}` })],
  ];
  const times = questions.map(([question, make]) => ask(store, question, make, keyOf(0)));
  store.close();
  return times;
}

const START_SEC = 1_700_000_000;
const KINDS = [1, 7, 9, 1111];

/** One of a hundred keys. */
function keyOf(n: number): string {
  return createHash('sha256')
    .update(`${n % 100}`)
    .digest('hex');
}

/**
 * An event that nobody signed: a store checks neither signatures nor ids, and ids in a row are written many times faster than
 * those that lie anywhere. No question here goes by them.
 */
function madeUp(n: number): StorableEvent {
  const event = {
    id: n.toString(16).padStart(64, '0'),
    pubkey: keyOf(n * 13),
    created_at: START_SEC + n,
    kind: KINDS[n % 4] ?? 1,
    tags: [
      ['p', keyOf(n * 7 + 3)],
      ['t', `t${n % 1_000}`],
    ],
    content: `word${n % 5_000} and some text ${n} `.padEnd(500, 'lorem ipsum '),
    sig: '0'.repeat(128),
  };
  return { ...event, json: JSON.stringify(event) } as unknown as StorableEvent;
}

function ask(store: SqliteStore, question: string, make: (n: number) => Filter, reader: string): QueryTimes {
  const asker = { reader: { pubkey: reader, kinds: undefined }, nowSec: 1_800_000_000 };
  const spent: number[] = [];
  let events = 0;
  const before = process.cpuUsage();
  for (let n = 0; n < 200; n++) {
    const startedMs = performance.now();
    events += store.query(make(n * 31), { ...asker, maxEvents: 500, maxBytes: 8e6 }).length;
    spent.push(performance.now() - startedMs);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 200_000;
  spent.sort((a, b) => a - b);
  return { question, p50Ms: spent[100] ?? 0, p95Ms: spent[190] ?? 0, cpuMs, events: Math.round(events / 200) };
}
