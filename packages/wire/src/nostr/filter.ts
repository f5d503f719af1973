import { err, ok, type Result } from '../result.ts';
import { isHex64, isWellFormed } from './bytes.ts';
import type { NostrEvent } from './event.ts';

/** What is wrong with a filter: a member of the wrong type, or one that NIP-01 and NIP-50 do not name. */
export interface FilterError {
  readonly code: 'malformed' | 'unsupported';
  readonly message: string;
}

/** A NIP-01 filter: lists are "any of", members are "all of", times are inclusive Unix seconds. `search` is NIP-50's. */
export interface Filter {
  readonly ids?: readonly string[];
  readonly authors?: readonly string[];
  readonly kinds?: readonly number[];
  readonly since?: number;
  readonly until?: number;
  readonly limit?: number;
  readonly search?: string;
  readonly [tag: `#${string}`]: readonly string[];
}

/** The filter in an untrusted JSON value; an unknown member is 'unsupported' rather than silently matching too much. */
export function parseFilter(value: unknown): Result<Filter, FilterError> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return malformed('a filter must be an object');
  const filter: Record<string, unknown> = {};
  for (const [member, x] of Object.entries(value)) {
    const expected = expectation(member, x);
    if (expected === undefined) {
      return err({
        code: 'unsupported',
        message: `filter member ${JSON.stringify(member.slice(0, 40))} is not supported`,
      });
    }
    if (expected !== '') return malformed(`${member} must be ${expected}`);
    filter[member] = x;
  }
  return ok(filter as Filter);
}

/** What a member should have been; '' when it is that, undefined when nobody knows such a member. */
function expectation(member: string, x: unknown): string | undefined {
  switch (member) {
    case 'ids':
    case 'authors':
    case '#e':
    case '#p':
      return isArrayOf(x, isHex64) ? '' : 'an array of 64-character lower-case hex strings';
    case 'kinds':
      return isArrayOf(x, isKind) ? '' : 'an array of integers from 0 to 65535';
    case 'since':
    case 'until':
    case 'limit':
      return Number.isSafeInteger(x) && (x as number) >= 0 ? '' : 'a non-negative integer';
    case 'search':
      return isText(x) ? '' : 'a string';
    default:
      if (!/^#[A-Za-z]$/.test(member)) return undefined;
      return isArrayOf(x, isText) ? '' : 'an array of strings';
  }
}

function isArrayOf(x: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(x) && x.every(isItem);
}

function isKind(x: unknown): boolean {
  return Number.isInteger(x) && (x as number) >= 0 && (x as number) <= 65_535;
}

function isText(x: unknown): boolean {
  return typeof x === 'string' && isWellFormed(x);
}

function malformed(message: string): { readonly ok: false; readonly error: FilterError } {
  return err({ code: 'malformed', message });
}

/** The tag filters of a filter as [tag name, accepted values]. */
export function tagFilters(filter: Filter): [name: string, values: readonly string[]][] {
  return Object.entries(filter)
    .filter(([member]) => member.startsWith('#'))
    .map(([member, values]) => [member.slice(1), values as readonly string[]]);
}

/** Whether an event passes a filter (NIP-01); `limit` and `search` are the store's business. An empty list matches nothing. */
export function matchFilter(filter: Filter, event: NostrEvent): boolean {
  if (filter.ids !== undefined && !filter.ids.includes(event.id)) return false;
  if (filter.authors !== undefined && !filter.authors.includes(event.pubkey)) return false;
  if (filter.kinds !== undefined && !filter.kinds.includes(event.kind)) return false;
  if (filter.since !== undefined && event.created_at < filter.since) return false;
  if (filter.until !== undefined && event.created_at > filter.until) return false;
  return tagFilters(filter).every(([name, values]) =>
    event.tags.some((tag) => tag[0] === name && tag[1] !== undefined && values.includes(tag[1])),
  );
}

/** `matchFilter` made ready for many events: its cost does not grow with the lengths of the filter's lists. */
export function compileFilter(filter: Filter): (event: NostrEvent) => boolean {
  const ids = filter.ids && new Set(filter.ids);
  const authors = filter.authors && new Set(filter.authors);
  const kinds = filter.kinds && new Set(filter.kinds);
  const since = filter.since ?? 0;
  const until = filter.until ?? Number.POSITIVE_INFINITY;
  const tags = tagFilters(filter).map(([name, values]) => ({ name, values: new Set(values) }));
  return (event) => {
    if (event.created_at < since || event.created_at > until) return false;
    if (kinds !== undefined && !kinds.has(event.kind)) return false;
    if (authors !== undefined && !authors.has(event.pubkey)) return false;
    if (ids !== undefined && !ids.has(event.id)) return false;
    for (const { name, values } of tags) if (!hasTag(event, name, values)) return false;
    return true;
  };
}

function hasTag(event: NostrEvent, name: string, values: ReadonlySet<string>): boolean {
  for (const tag of event.tags) {
    if (tag[0] === name && tag[1] !== undefined && values.has(tag[1])) return true;
  }
  return false;
}
