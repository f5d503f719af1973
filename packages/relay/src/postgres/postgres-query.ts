import { type Filter, tagFilters } from '@heliograph/wire';
import { queryWords } from '../search.ts';
import type { Asker, QueryScope } from '../store/event-store.ts';
import { join, type Sql, sql } from '../store/sql.ts';
import type { Reader } from '../visibility.ts';
import { tagKey, wordKey } from './event-record.ts';
import { PRIVATE_KIND_LIST } from './postgres-schema.ts';

/**
 * Up to so many values of a list are each an index scan of its own that ends at the limit (LATERAL): the cost is that of
 * the rows given, not of the rows that match. Longer lists are looked up as a set, and the matches sorted.
 */
const MAX_ARMS = 64;

/** What was stored within this time may come live yet: its commit, or word of it from another relay, may be on the way. */
const FRESH = "interval '30 seconds'";

/** `key` names the table whose created_at, id and kind lead the index in use. */
interface Lead {
  readonly key: 'e' | 't';
  /** Lists whose every pair of values is an arm; empty: one plain scan. */
  readonly arms: readonly Sql[];
  readonly where: Sql;
  /** The filter members the lead stands for; the others are checked row by row. */
  readonly members: readonly string[];
}

/** Selects created_at (c), id (i), json and fresh of the newest matching events that fit the scope's bounds, in order. */
export function selectEvents(filter: Filter, scope: QueryScope): Sql {
  return join('', [
    sql('SELECT c, i, json, fresh FROM (SELECT m.c, m.i, e.json,'),
    sql(` e.stored_at > clock_timestamp() - ${FRESH} AS fresh, sum(e.size) OVER newest AS total FROM (`),
    selectNames(filter, scope, scope.maxEvents),
    sql(') m JOIN heliograph.events e ON e.seq = m.s'),
    sql(' WINDOW newest AS (ORDER BY m.c DESC, m.i ROWS UNBOUNDED PRECEDING)) q'),
    sql(' WHERE total <= ? ORDER BY c DESC, i', scope.maxBytes),
  ]);
}

/** Selects created_at (c), id (i) and seq (s) of the newest matching events, in order. */
export function selectNames(filter: Filter, asker: Asker, maxEvents: number): Sql {
  return join('', [matching(filter, asker, maxEvents), sql(' ORDER BY c DESC, i LIMIT ?', maxEvents)]);
}

/** Counts (n) the events that match any of the filters, up to `maxCount`. */
export function countMatching(filters: readonly Filter[], asker: Asker, maxCount: number): Sql {
  const each = filters.map((filter) => {
    return join('', [sql('SELECT s FROM ('), matching(filter, asker, maxCount), sql(') m')]);
  });
  return join('', [sql('SELECT count(*) AS n FROM ('), join(' UNION ', each), sql(' LIMIT ?) u', maxCount)]);
}

/** The newest `maxEvents` of the matching events, or more, each once, in no order. */
function matching(filter: Filter, asker: Asker, maxEvents: number): Sql {
  const { key, arms, where, members } = chooseLead(filter);
  const from = key === 'e' ? 'heliograph.events e' : 'heliograph.tags t JOIN heliograph.events e ON e.seq = t.seq';
  const rows = join('', [
    sql(`SELECT ${key}.created_at AS c, ${key}.id AS i, e.seq AS s FROM ${from} WHERE `),
    join(' AND ', [where, ...restOf(filter, asker, key, members)]),
  ]);
  // Only by a tag can an event be found twice.
  const select = `SELECT ${key === 't' ? 'DISTINCT ' : ''}c, i, s FROM `;
  if (arms.length === 0) return join('', [sql(`${select}(`), rows, sql(') r')]);
  const newest = sql(` ORDER BY ${key}.created_at DESC, ${key}.id LIMIT ?) r`, maxEvents);
  return join('', [sql(select), join(' CROSS JOIN ', arms), sql(' CROSS JOIN LATERAL ('), rows, newest]);
}

/** Picks the index: words, ids, then the shortest tag list, then authors (with kinds), then kinds, then time alone. */
function chooseLead(filter: Filter): Lead {
  const { ids, authors, kinds, search } = filter;
  const tag = tagFilters(filter).sort((a, b) => a[1].length - b[1].length)[0];
  if (search !== undefined) {
    const words = queryWords(search).map(wordKey);
    const where = words.length > 0 ? sql('e.words @> ?::text[]', words) : sql('FALSE');
    return { key: 'e', arms: [], where, members: ['search'] };
  }
  if (ids !== undefined) return { key: 'e', arms: [], where: inIds('e.id', ids), members: ['ids'] };
  if (tag !== undefined) {
    const [name, values] = tag;
    const keys = sql(
      '?::bytea[]',
      unique(values).map((value) => tagKey(name, value)),
    );
    return { key: 't', members: [`#${name}`], ...scan(keys, values.length, 't.tag', 'tag') };
  }
  if (authors !== undefined && kinds !== undefined && authors.length * kinds.length <= MAX_ARMS) {
    const arms = [unnest(bytesOf(authors), 'author'), unnest(numbersOf(kinds), 'kind')];
    const where = sql('e.pubkey = author.v AND e.kind = kind.v');
    return { key: 'e', arms, where, members: ['authors', 'kinds'] };
  }
  if (authors !== undefined) {
    return { key: 'e', members: ['authors'], ...scan(bytesOf(authors), authors.length, 'e.pubkey', 'author') };
  }
  if (kinds !== undefined) {
    return { key: 'e', members: ['kinds'], ...scan(numbersOf(kinds), kinds.length, 'e.kind', 'kind') };
  }
  return { key: 'e', arms: [], where: sql('TRUE'), members: [] };
}

function scan(list: Sql, length: number, column: string, name: string): Pick<Lead, 'arms' | 'where'> {
  return length <= MAX_ARMS
    ? { arms: [unnest(list, name)], where: sql(`${column} = ${name}.v`) }
    : { arms: [], where: join('', [sql(`${column} = ANY (`), list, sql(')')]) };
}

function unnest(list: Sql, name: string): Sql {
  return join('', [sql('unnest('), list, sql(`) AS ${name}(v)`)]);
}

/** Everything the lead does not stand for: the other members, the times, and what this asker may see now. */
function restOf(filter: Filter, { reader, nowSec }: Asker, key: Lead['key'], members: readonly string[]): Sql[] {
  const { authors, kinds, since, until, ids } = filter;
  const rest: Sql[] = [];
  if (since !== undefined) rest.push(sql(`${key}.created_at >= ?`, since));
  if (until !== undefined) rest.push(sql(`${key}.created_at <= ?`, until));
  if (ids !== undefined && !members.includes('ids')) rest.push(inIds(`${key}.id`, ids));
  if (kinds !== undefined && !members.includes('kinds')) rest.push(sql(`${key}.kind = ANY (?::integer[])`, kinds));
  if (authors !== undefined && !members.includes('authors')) rest.push(inIds('e.pubkey', authors));
  for (const [name, values] of tagFilters(filter)) {
    if (!members.includes(`#${name}`))
      rest.push(
        sql(
          'e.tags && ?::bytea[]',
          values.map((value) => tagKey(name, value)),
        ),
      );
  }
  rest.push(...visibleTo(reader), sql('(e.expires_at IS NULL OR e.expires_at > ?)', nowSec));
  return rest;
}

/** The SQL of `isVisible`. */
function visibleTo({ pubkey, kinds }: Reader): Sql[] {
  const isPlain = `e.kind NOT IN (${PRIVATE_KIND_LIST})`;
  const rest: Sql[] = [];
  if (pubkey === undefined) rest.push(sql(isPlain));
  else {
    const own = sql('e.pubkey = ? OR ? = ANY (e.tags)', Buffer.from(pubkey, 'hex'), tagKey('p', pubkey));
    rest.push(join('', [sql(`(${isPlain} OR `), own, sql(')')]));
  }
  if (kinds !== undefined) {
    const ranges = kinds.map(([first, last]) => sql('e.kind BETWEEN ? AND ?', first, last));
    rest.push(ranges.length === 0 ? sql('FALSE') : join('', [sql('('), join(' OR ', ranges), sql(')')]));
  }
  return rest;
}

function inIds(column: string, hex: readonly string[]): Sql {
  return join('', [sql(`${column} = ANY (`), bytesOf(hex), sql(')')]);
}

function bytesOf(hex: readonly string[]): Sql {
  return sql(
    '?::bytea[]',
    unique(hex).map((text) => Buffer.from(text, 'hex')),
  );
}

function numbersOf(values: readonly number[]): Sql {
  return sql('?::integer[]', unique(values));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
