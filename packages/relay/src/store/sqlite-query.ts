import { type Filter, tagFilters } from '@heliograph/wire';
import { queryWords } from '../search.ts';
import { PRIVATE_KINDS, type Reader } from '../visibility.ts';
import type { Asker } from './event-store.ts';
import { join, type Sql, sql } from './sql.ts';
import { indexedWord } from './word-index.ts';

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

/** Given for each way into a filter's events the SQL that counts (as n) what it would look through, says which to take. */
export type Choice = (counts: readonly Sql[]) => number;

/** Selects the `seq` (as s) of the events that match `filter` and are visible to the asker, newest first, ties by lowest id. */
export function selectSeqs(filter: Filter, asker: Asker, maxEvents: number, choose: Choice): Sql {
  return join('', [matching(filter, asker, choose), sql(' ORDER BY c DESC, i LIMIT ?', maxEvents)]);
}

/**
 * Selects created_at, id (as hex, which costs less than bytes do on their way out) and json of the events `selectSeqs`
 * gives, in its order: the inner LIMIT keeps SQLite from dropping the inner ORDER BY, and CROSS JOIN from turning the
 * join round. The order is found without the texts.
 */
export function selectEvents(filter: Filter, asker: Asker, maxEvents: number, choose: Choice): Sql {
  const seqs = selectSeqs(filter, asker, maxEvents, choose);
  const text = `SELECT q.c, lower(hex(q.i)), e.json FROM (${seqs.text}) q CROSS JOIN events e ON e.seq = q.s`;
  return { text, params: seqs.params };
}

/** Counts (as n) the events that match any of the filters and are visible to the asker, up to `maxCount`. */
export function countMatching(filters: readonly Filter[], asker: Asker, maxCount: number, choose: Choice): Sql {
  const each = filters.map((filter) => join('', [sql('SELECT s FROM ('), matching(filter, asker, choose), sql(')')]));
  return join('', [sql('SELECT COUNT(*) AS n FROM ('), join(' UNION ', each), sql(' LIMIT ?)', maxCount)]);
}

/** The matching events as c (created_at), i (id), s (seq), each once, in no order. */
function matching(filter: Filter, asker: Asker, choose: Choice): Sql {
  const lead = chooseLead(filter, choose);
  const { key } = lead;
  const select = sql(
    `SELECT ${lead.repeats ? 'DISTINCT ' : ''}${key}.created_at AS c, ${key}.id AS i, ${key}.seq AS s FROM ${lead.from} WHERE `,
  );
  const rest = restOf(filter, asker, lead);
  // An empty list matches nothing, and leaves no arm.
  const arms = lead.arms.length > 0 ? lead.arms : [sql('FALSE')];
  return join(
    ' UNION ',
    arms.map((arm) => join('', [select, join(' AND ', [arm, ...rest])])),
  );
}

/** The only sensible way in, or of several the one that is chosen: an author's events may be the many and a tag's the few, or the reverse. */
function chooseLead(filter: Filter, choose: Choice): Lead {
  const leads = leadsOf(filter);
  const [only] = leads;
  if (only === undefined) return byEvent([], [sql('TRUE')]);
  if (leads.length === 1) return only;
  return leads[choose(leads.map((lead) => countLead(filter, lead)))] ?? only;
}

/** Above so many it does not matter which of two ways in has more. */
const MAX_COUNTED = 2_000;

function countLead(filter: Filter, lead: Lead): Sql {
  const times = timesOf(filter, lead.key);
  const arms = lead.arms.map((arm) =>
    join('', [sql(`SELECT 1 FROM ${lead.from} WHERE `), join(' AND ', [arm, ...times])]),
  );
  const rows = arms.length === 0 ? sql('SELECT 1 WHERE FALSE') : join(' UNION ALL ', arms);
  return join('', [sql('SELECT COUNT(*) AS n FROM ('), rows, sql(' LIMIT ?)', MAX_COUNTED)]);
}

function byEvent(members: readonly string[], arms: readonly Sql[]): Lead {
  return { key: 'e', from: 'events e', members, arms, repeats: false };
}

/** The ways into a filter's events, the likeliest first: words or ids alone, else tags (the shortest list first) and authors, else kinds. */
function leadsOf(filter: Filter): readonly Lead[] {
  const { ids, authors, kinds, search } = filter;
  if (search !== undefined) {
    const words = queryWords(search);
    const arms =
      words.length > 0 ? [sql('search MATCH ?', words.map((word) => `"${indexedWord(word)}"`).join(' '))] : [];
    return [{ ...byEvent(['search'], arms), from: 'search CROSS JOIN events e ON e.seq = search.rowid' }];
  }
  if (ids !== undefined) return [byEvent(['ids'], [inSet('e.id', ids, 'unhex')])];
  const leads: Lead[] = tagFilters(filter)
    .sort((a, b) => a[1].length - b[1].length)
    .map(([name, values]) => ({
      key: 't',
      from: 'tags t',
      members: [`#${name}`],
      arms: armsOf('t.value', values, '').map((arm) => join(' AND ', [sql('t.name = ?', name), arm])),
      repeats: values.length > MAX_ARMS,
    }));
  if (authors !== undefined && kinds !== undefined && authors.length * kinds.length <= MAX_ARMS) {
    const byKind = armsOf('e.kind', kinds, '');
    const arms = armsOf('e.pubkey', authors, 'unhex').flatMap((a) => byKind.map((k) => join(' AND ', [a, k])));
    leads.push(byEvent(['authors', 'kinds'], arms));
  } else if (authors !== undefined) leads.push(byEvent(['authors'], armsOf('e.pubkey', authors, 'unhex')));
  if (leads.length === 0 && kinds !== undefined) return [byEvent(['kinds'], armsOf('e.kind', kinds, ''))];
  return leads;
}

/** Everything the lead does not stand for: the other members, the times, and what this asker may see now. */
function restOf(filter: Filter, { reader, nowSec }: Asker, { key, members }: Lead): Sql[] {
  const { authors, kinds, ids } = filter;
  const rest = timesOf(filter, key);
  if (ids !== undefined && !members.includes('ids')) rest.push(inSet('e.id', ids, 'unhex'));
  if (kinds !== undefined && !members.includes('kinds')) rest.push(inSet(`${key}.kind`, kinds, ''));
  if (authors !== undefined && !members.includes('authors')) rest.push(isBy(authors, key));
  for (const [name, values] of tagFilters(filter)) {
    if (!members.includes(`#${name}`)) rest.push(hasTag(key, name, inSet('x.value', values, '')));
  }
  rest.push(...visibleTo(reader, key));
  // Few events expire, and those that have are swept soon: the list is short, and made once.
  rest.push(sql(`${key}.seq NOT IN (SELECT seq FROM expirations WHERE at <= ?)`, nowSec));
  return rest;
}

function timesOf({ since, until }: Filter, key: Lead['key']): Sql[] {
  const times: Sql[] = [];
  if (since !== undefined) times.push(sql(`${key}.created_at >= ?`, since));
  if (until !== undefined) times.push(sql(`${key}.created_at <= ?`, until));
  return times;
}

/** Of a tag the author stands in the event. One author's index is looked in instead: its pages are near each other, the events' are not. */
function isBy(authors: readonly string[], key: Lead['key']): Sql {
  const [only, ...others] = authors;
  if (key === 'e') return inSet('e.pubkey', authors, 'unhex');
  if (only === undefined || others.length > 0) {
    const isOne = inSet('x.pubkey', authors, 'unhex');
    return join('', [sql('EXISTS (SELECT 1 FROM events x WHERE x.seq = t.seq AND '), isOne, sql(')')]);
  }
  return sql(
    `EXISTS (SELECT 1 FROM events x INDEXED BY events_by_author
     WHERE x.pubkey = unhex(?) AND x.created_at = t.created_at AND x.seq = t.seq)`,
    only,
  );
}

/** The SQL of `isVisible`. */
function visibleTo({ pubkey, kinds }: Reader, key: Lead['key']): Sql[] {
  const isPlain = `${key}.kind NOT IN (${PRIVATE_KIND_LIST})`;
  const rest: Sql[] = [];
  if (pubkey === undefined) rest.push(sql(isPlain));
  else {
    const own = join(' OR ', [isBy([pubkey], key), hasTag(key, 'p', sql('x.value = ?', pubkey))]);
    rest.push(join('', [sql(`(${isPlain} OR `), own, sql(')')]));
  }
  if (kinds !== undefined) {
    const ranges = kinds.map(([first, last]) => sql(`${key}.kind BETWEEN ? AND ?`, first, last));
    rest.push(ranges.length === 0 ? sql('FALSE') : join('', [sql('('), join(' OR ', ranges), sql(')')]));
  }
  return rest;
}

function hasTag(key: Lead['key'], name: string, value: Sql): Sql {
  const same = `x.created_at = ${key}.created_at AND x.seq = ${key}.seq`;
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
