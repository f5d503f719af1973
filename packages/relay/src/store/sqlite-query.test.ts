import type { Filter } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { type Choice, selectEvents } from './sqlite-query.ts';
import { SCHEMA } from './sqlite-schema.ts';

const [alice, bob, carol] = ['aa'.repeat(32), 'bb'.repeat(32), 'cc'.repeat(32)] as const;
const asker = { reader: { pubkey: carol, kinds: undefined }, nowSec: 0 };

/** Alice wrote much that names nobody, everybody else named Bob once in a while, and one event of Alice's does too. */
function filled(): Database.Database {
  const db = new Database(':memory:');
  db.exec(SCHEMA);
  const event = db.prepare(
    'INSERT INTO events (seq, id, pubkey, kind, created_at, json) VALUES (?, ?, unhex(?), 1, ?, ?)',
  );
  const tag = db.prepare('INSERT INTO tags (name, value, created_at, id, kind, seq) VALUES (?, ?, ?, ?, 1, ?)');
  for (let seq = 1; seq <= 3_000; seq++) {
    const id = Buffer.alloc(32);
    id.writeUInt32BE(seq * 7_919);
    event.run(seq, id, seq % 100 === 0 ? carol : alice, seq, `{"seq":${seq}}`);
    if (seq % 100 === 0 || seq === 1) tag.run('p', bob, seq, id, seq);
    tag.run('t', 'common', seq, id, seq);
  }
  return db;
}

/** How SQLite would find a filter's events, and how many it finds. */
function plan(db: Database.Database, filter: Filter): { steps: string[]; rows: number } {
  const choose: Choice = (counts) => {
    const rows = counts.map(
      ({ text, params }) =>
        db
          .prepare(text)
          .pluck()
          .get(...params) as number,
    );
    return rows.indexOf(Math.min(...rows));
  };
  const { text, params } = selectEvents(filter, asker, 500, choose);
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...params) as { detail: string }[];
  return { steps: steps.map(({ detail }) => detail), rows: db.prepare(text).all(...params).length };
}

describe('how events are found', () => {
  const db = filled();
  afterAll(() => db.close());

  it.each<[string, Filter, lead: RegExp, rows: number]>([
    [
      'a rare tag of a busy author by the tag',
      { authors: [alice], '#p': [bob] },
      /t USING PRIMARY KEY \(name=\? AND value=\?/,
      1,
    ],
    [
      'a common tag of a quiet author by the author',
      { authors: [carol], '#t': ['common'] },
      /e USING .*INDEX events_by_author \(pubkey=\?/,
      30,
    ],
    [
      'the same within a kind',
      { authors: [carol], kinds: [1], '#t': ['common'] },
      /e USING .*INDEX events_by_author_kind/,
      30,
    ],
    [
      'of two tags by the rarer, whichever is named first',
      { '#t': ['common'], '#p': [bob] },
      /t USING PRIMARY KEY/,
      31,
    ],
    [
      'by what is rare in the time asked for',
      { authors: [alice], '#t': ['common'], since: 5, until: 8 },
      /created_at>\? AND created_at<\?/,
      4,
    ],
  ])('RL130: %s', (_, filter, lead, rows) => {
    const found = plan(db, filter);
    const first = found.steps.find((step) => /^SEARCH [et] /.test(step));
    expect(first).toMatch(lead);
    expect(found.rows).toBe(rows);
  });

  it('RL130: of two tags the index of the rarer is read, and the other looked up', () => {
    const read = (filter: Filter): unknown => {
      let chosen = -1;
      selectEvents(filter, asker, 500, (counts) => {
        const rows = counts.map(
          ({ text, params }) =>
            db
              .prepare(text)
              .pluck()
              .get(...params) as number,
        );
        chosen = rows.indexOf(Math.min(...rows));
        return chosen;
      });
      return chosen;
    };
    expect(read({ '#t': ['common'], '#p': [bob] })).toBe(1);
    expect(read({ '#p': [bob], '#t': ['common'] })).toBe(0);
  });

  it.each<[string, Filter]>([
    ['author', { authors: [alice] }],
    ['author and kind', { authors: [alice], kinds: [1] }],
    ['kind', { kinds: [1] }],
    ['tag', { '#t': ['common'] }],
    ['time', { since: 5, until: 2_000 }],
    ['everything', {}],
  ])(
    'RL130: by %s the index gives the order: nothing is sorted, and no event is read that is not given',
    (_, filter) => {
      const { steps } = plan(db, filter);
      expect(steps.join('\n')).not.toMatch(/TEMP B-TREE FOR ORDER BY/);
      expect(
        steps.filter((step) => /^(SEARCH|SCAN) [et] /.test(step)).map((step) => step.replace(/ \(.*/, '')),
      ).toEqual([
        expect.stringMatching(/USING (COVERING )?(INDEX|PRIMARY KEY)|^SCAN e USING/),
        'SEARCH e USING INTEGER PRIMARY KEY',
      ]);
    },
  );
});
