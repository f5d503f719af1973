import { type Filter, tagFilters } from '@heliograph/wire';
import { PRIVATE_KINDS } from '../visibility.ts';

type Param = string | number | Buffer;

/** SQL with its parameters, in order. */
export interface Sql {
  readonly text: string;
  readonly params: readonly Param[];
}

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
  /** The filter members the arms stand for; the others are checked row by row. */
  readonly members: readonly string[];
  readonly arms: readonly Sql[];
  /** Whether one arm can find an event twice. */
  readonly repeats: boolean;
}

/** Selects the `seq` (as s) of the events that match `filter` and are visible to `reader`, newest first, ties by lowest id. */
export function selectSeqs(filter: Filter, reader: string, maxEvents: number): Sql {
  const lead = chooseLead(filter);
  const from = lead.key === 'e' ? 'events e' : 'tags t CROSS JOIN events e ON e.seq = t.seq';
  const select = sql(
    `SELECT ${lead.repeats ? 'DISTINCT ' : ''}${lead.key}.created_at AS c, ${lead.key}.id AS i, e.seq AS s FROM ${from} WHERE `,
  );
  const rest = restOf(filter, reader, lead);
  // An empty list matches nothing, and leaves no arm.
  const arms = lead.arms.length > 0 ? lead.arms : [sql('FALSE')];
  return join('', [
    join(
      ' UNION ',
      arms.map((arm) => join('', [select, join(' AND ', [arm, ...rest])])),
    ),
    sql(' ORDER BY c DESC, i LIMIT ?', maxEvents),
  ]);
}

/** Picks the index: ids, then the shortest tag list, then authors (with kinds), then kinds, then time alone. */
function chooseLead(filter: Filter): Lead {
  const { ids, authors, kinds } = filter;
  const tag = tagFilters(filter).sort((a, b) => a[1].length - b[1].length)[0];
  const byEvent = (members: readonly string[], arms: readonly Sql[]): Lead => ({
    key: 'e',
    members,
    arms,
    repeats: false,
  });
  if (ids !== undefined) return byEvent(['ids'], [inSet('e.id', ids, 'unhex')]);
  if (tag !== undefined) {
    const [name, values] = tag;
    const arms = armsOf('t.value', values, '').map((arm) => join(' AND ', [sql('t.name = ?', name), arm]));
    return { key: 't', members: [`#${name}`], arms, repeats: values.length > MAX_ARMS };
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

/** Everything the lead does not stand for: the other members, the times, and what this reader may see. */
function restOf(filter: Filter, reader: string, { key, members }: Lead): Sql[] {
  const { authors, kinds, since, until } = filter;
  const rest: Sql[] = [];
  if (since !== undefined) rest.push(sql(`${key}.created_at >= ?`, since));
  if (until !== undefined) rest.push(sql(`${key}.created_at <= ?`, until));
  if (kinds !== undefined && !members.includes('kinds')) rest.push(inSet(`${key}.kind`, kinds, ''));
  if (authors !== undefined && !members.includes('authors')) rest.push(inSet('e.pubkey', authors, 'unhex'));
  for (const [name, values] of tagFilters(filter)) {
    if (!members.includes(`#${name}`)) rest.push(hasTag(key, name, inSet('x.value', values, '')));
  }
  const own = join(' OR ', [sql('e.pubkey = unhex(?)', reader), hasTag(key, 'p', sql('x.value = ?', reader))]);
  rest.push(join('', [sql(`(${key}.kind NOT IN (${PRIVATE_KIND_LIST}) OR `), own, sql(')')]));
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

function sql(text: string, ...params: Param[]): Sql {
  return { text, params };
}

function join(separator: string, parts: readonly Sql[]): Sql {
  return { text: parts.map((part) => part.text).join(separator), params: parts.flatMap((part) => part.params) };
}
