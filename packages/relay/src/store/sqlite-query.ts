import { type Filter, tagFilters } from '@heliograph/wire';
import { queryWords } from '../search.ts';
import { PRIVATE_KINDS, type Reader } from '../visibility.ts';
import type { Asker } from './event-store.ts';
import { join, type Sql, sql } from './sql.ts';

/**
 * Above this many values a list is looked up as a set and the matches are sorted. Below, every value is its own index
 * scan (an arm), and SQLite merges those lazily (UNION with ORDER BY): the cost is that of the rows given, not of the
 * rows that match.
 */
const MAX_ARMS = 64;

const PRIVATE_KIND_LIST = [...PRIVATE_KINDS].join(',');

/** `key` names the table whose created_at, id and kind lead the index in use. */
interface Lead {
  readonly key: 'e' | 't';
  readonly from: string;
  /** The filter members the arms stand for; the others are checked row by row. */
  readonly members: readonly string[];
  readonly arms: readonly Sql[];
  /** Whether one arm can find an event twice. */
  readonly repeats: boolean;
}

/** Selects the `seq` (as s) of the events that match `filter` and are visible to the asker, newest first, ties by lowest id. */
export function selectSeqs(filter: Filter, asker: Asker, maxEvents: number): Sql {
  return join('', [matching(filter, asker), sql(' ORDER BY c DESC, i LIMIT ?', maxEvents)]);
}

/**
 * Selects created_at, id (as hex, which costs less than bytes do on their way out) and json of the events `selectSeqs`
 * gives, in its order: the inner LIMIT keeps SQLite from dropping the inner ORDER BY, and CROSS JOIN from turning the
 * join round. The order is found without the texts.
 */
export function selectEvents(filter: Filter, asker: Asker, maxEvents: number): Sql {
  const seqs = selectSeqs(filter, asker, maxEvents);
  const text = `SELECT q.c, lower(hex(q.i)), e.json FROM (${seqs.text}) q CROSS JOIN events e ON e.seq = q.s`;
  return { text, params: seqs.params };
}

/** Counts (as n) the events that match any of the filters and are visible to the asker, up to `maxCount`. */
export function countMatching(filters: readonly Filter[], asker: Asker, maxCount: number): Sql {
  const each = filters.map((filter) => join('', [sql('SELECT s FROM ('), matching(filter, asker), sql(')')]));
  return join('', [sql('SELECT COUNT(*) AS n FROM ('), join(' UNION ', each), sql(' LIMIT ?)', maxCount)]);
}

/** The matching events as c (created_at), i (id), s (seq), each once, in no order. */
function matching(filter: Filter, asker: Asker): Sql {
  const lead = chooseLead(filter);
  const select = sql(
    `SELECT ${lead.repeats ? 'DISTINCT ' : ''}${lead.key}.created_at AS c, ${lead.key}.id AS i, e.seq AS s FROM ${lead.from} WHERE `,
  );
  const rest = restOf(filter, asker, lead);
  // An empty list matches nothing, and leaves no arm.
  const arms = lead.arms.length > 0 ? lead.arms : [sql('FALSE')];
  return join(
    ' UNION ',
    arms.map((arm) => join('', [select, join(' AND ', [arm, ...rest])])),
  );
}

/** Picks the index: words, ids, then the shortest tag list, then authors (with kinds), then kinds, then time alone. */
function chooseLead(filter: Filter): Lead {
  const { ids, authors, kinds, search } = filter;
  const tag = tagFilters(filter).sort((a, b) => a[1].length - b[1].length)[0];
  const byEvent = (members: readonly string[], arms: readonly Sql[]): Lead => ({
    key: 'e',
    from: 'events e',
    members,
    arms,
    repeats: false,
  });
  if (search !== undefined) {
    const words = queryWords(search);
    const arms = words.length > 0 ? [sql('search MATCH ?', words.map((word) => `"${word}"`).join(' '))] : [];
    return { ...byEvent(['search'], arms), from: 'search CROSS JOIN events e ON e.seq = search.rowid' };
  }
  if (ids !== undefined) return byEvent(['ids'], [inSet('e.id', ids, 'unhex')]);
  if (tag !== undefined) {
    const [name, values] = tag;
    const arms = armsOf('t.value', values, '').map((arm) => join(' AND ', [sql('t.name = ?', name), arm]));
    const from = 'tags t CROSS JOIN events e ON e.seq = t.seq';
    return { key: 't', from, members: [`#${name}`], arms, repeats: values.length > MAX_ARMS };
  }
  if (authors !== undefined && kinds !== undefined && authors.length * kinds.length <= MAX_ARMS) {
    const byKind = armsOf('e.kind', kinds, '');
    const arms = armsOf('e.pubkey', authors, 'unhex').flatMap((a) => byKind.map((k) => join(' AND ', [a, k])));
    return byEvent(['authors', 'kinds'], arms);
  }
  if (authors !== undefined) return byEvent(['authors'], armsOf('e.pubkey', authors, 'unhex'));
  if (kinds !== undefined) return byEvent(['kinds'], armsOf('e.kind', kinds, ''));
  return byEvent([], [sql('TRUE')]);
}

/** Everything the lead does not stand for: the other members, the times, and what this asker may see now. */
function restOf(filter: Filter, { reader, nowSec }: Asker, { key, members }: Lead): Sql[] {
  const { authors, kinds, since, until, ids } = filter;
  const rest: Sql[] = [];
  if (since !== undefined) rest.push(sql(`${key}.created_at >= ?`, since));
  if (until !== undefined) rest.push(sql(`${key}.created_at <= ?`, until));
  if (ids !== undefined && !members.includes('ids')) rest.push(inSet('e.id', ids, 'unhex'));
  if (kinds !== undefined && !members.includes('kinds')) rest.push(inSet(`${key}.kind`, kinds, ''));
  if (authors !== undefined && !members.includes('authors')) rest.push(inSet('e.pubkey', authors, 'unhex'));
  for (const [name, values] of tagFilters(filter)) {
    if (!members.includes(`#${name}`)) rest.push(hasTag(key, name, inSet('x.value', values, '')));
  }
  rest.push(...visibleTo(reader, key));
  // Few events expire, and those that have are swept soon: the list is short, and made once.
  rest.push(sql('e.seq NOT IN (SELECT seq FROM expirations WHERE at <= ?)', nowSec));
  return rest;
}

/** The SQL of `isVisible`. */
function visibleTo({ pubkey, kinds }: Reader, key: Lead['key']): Sql[] {
  const isPlain = `${key}.kind NOT IN (${PRIVATE_KIND_LIST})`;
  const rest: Sql[] = [];
  if (pubkey === undefined) rest.push(sql(isPlain));
  else {
    const own = join(' OR ', [sql('e.pubkey = unhex(?)', pubkey), hasTag(key, 'p', sql('x.value = ?', pubkey))]);
    rest.push(join('', [sql(`(${isPlain} OR `), own, sql(')')]));
  }
  if (kinds !== undefined) {
    const ranges = kinds.map(([first, last]) => sql(`${key}.kind BETWEEN ? AND ?`, first, last));
    rest.push(ranges.length === 0 ? sql('FALSE') : join('', [sql('('), join(' OR ', ranges), sql(')')]));
  }
  return rest;
}

function hasTag(key: Lead['key'], name: string, value: Sql): Sql {
  const same = `x.created_at = ${key}.created_at AND x.id = ${key}.id`;
  return join('', [sql(`EXISTS (SELECT 1 FROM tags x WHERE ${same} AND x.name = ? AND `, name), value, sql(')')]);
}

/** One arm per value, or one for the whole list when it is long. */
function armsOf(column: string, values: readonly (string | number)[], convert: '' | 'unhex'): Sql[] {
  if (values.length > MAX_ARMS) return [inSet(column, values, convert)];
  return [...new Set(values)].map((value) => sql(`${column} = ${convert}(?)`, value));
}

/** A list of any length as one parameter, so that a statement's text depends on the filter's shape only. */
function inSet(column: string, values: readonly (string | number)[], convert: '' | 'unhex'): Sql {
  return sql(`${column} IN (SELECT ${convert}(value) FROM json_each(?))`, JSON.stringify(values));
}
