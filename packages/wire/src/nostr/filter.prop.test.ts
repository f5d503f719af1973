import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NostrEvent } from './event.ts';
import { compileFilter, type Filter, matchFilter, parseFilter } from './filter.ts';

// A small world, so that filters and events meet often.
const hex64 = fc.constantFrom('0', '1', '2').map((digit) => digit.repeat(64));
const value = fc.oneof(hex64, fc.constantFrom('', 'x', 'y'));
const events: fc.Arbitrary<NostrEvent> = fc.record({
  id: hex64,
  pubkey: hex64,
  created_at: fc.nat(5),
  kind: fc.nat(3),
  tags: fc.array(
    fc.tuple(fc.constantFrom('e', 'p', 't', 'd', 'T', 'tt'), value).map(([name, x]) => (x === '' ? [name] : [name, x])),
  ),
  content: fc.constant(''),
  sig: fc.constant('0'.repeat(128)),
});
const filters: fc.Arbitrary<Filter> = fc.record(
  {
    ids: fc.array(hex64),
    authors: fc.array(hex64),
    kinds: fc.array(fc.nat(3)),
    since: fc.nat(5),
    until: fc.nat(5),
    limit: fc.nat(5),
    '#e': fc.array(hex64),
    '#p': fc.array(hex64),
    '#t': fc.array(value),
    '#T': fc.array(value),
  },
  { requiredKeys: [] },
);

/** NIP-01's sentence on filters, word for word and slow. */
function obviousMatch(filter: Filter, event: NostrEvent): boolean {
  return Object.entries(filter).every(([member, condition]) => {
    if (member === 'since') return event.created_at >= (condition as number);
    if (member === 'until') return event.created_at <= (condition as number);
    if (member === 'limit') return true;
    const has: Record<string, readonly (string | number | undefined)[]> = {
      ids: [event.id],
      authors: [event.pubkey],
      kinds: [event.kind],
      ...Object.fromEntries(
        event.tags.map(([name]) => [`#${name}`, event.tags.filter((tag) => tag[0] === name).map((tag) => tag[1])]),
      ),
    };
    return (condition as readonly (string | number)[]).some((wanted) => has[member]?.includes(wanted) === true);
  });
}

test('NO10: the compiled matcher, the plain one and the obvious one always agree', () => {
  fc.assert(
    fc.property(filters, fc.array(events), (filter, candidates) => {
      const compiled = compileFilter(filter);
      for (const event of candidates) {
        const expected = obviousMatch(filter, event);
        expect(matchFilter(filter, event)).toBe(expected);
        expect(compiled(event)).toBe(expected);
      }
    }),
    { numRuns: 500 },
  );
});

test('NO9: a parsed filter is the filter, and parsing never throws', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      expect(parseFilter(JSON.parse(JSON.stringify(filter)))).toEqual({ ok: true, value: filter });
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(parseFilter(value)).toHaveProperty('ok');
    }),
  );
});
