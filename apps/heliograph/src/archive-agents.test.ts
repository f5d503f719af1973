import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { archiveAgents } from './archive-agents.ts';
import type { Context } from './context.ts';

const key = (digit: string) => digit.repeat(64);

/** Two agents that the archive knows by name, and two sessions of agents that name themselves. */
function archive(): Database.Database {
  const db = new Database(':memory:');
  db.exec(`CREATE TABLE about (owner TEXT); INSERT INTO about VALUES ('${key('0')}');
    CREATE TABLE agents (agent INTEGER PRIMARY KEY, public_key TEXT, name TEXT);
    CREATE TABLE session_rows (agent INTEGER, agent_name TEXT);
    INSERT INTO agents VALUES (1, '${key('a')}', 'Builder'), (2, '${key('b')}', 'Builder'), (3, '${key('c')}', NULL), (4, '${key('d')}', 'Tester');
    INSERT INTO session_rows VALUES (1, 'claude'), (3, 'codex'), (3, 'codex 2'), (4, 'claude');`);
  return db;
}
const context = { places: { desktopFile: '/nowhere/desktop.json' } } as unknown as Context;

test('AR139: an agent is meant by its key, by the beginning of it, or by a name that only one has', async () => {
  const agents = await archiveAgents(archive(), context);
  expect(agents.keyOf(key('f'))).toBe(key('f'));
  expect(agents.keyOf('cccccccc')).toBe(key('c'));
  expect(agents.keyOf('tester')).toBe(key('d'));
  expect(agents.keyOf('codex 2')).toBe(key('c'));
  // What an agent calls itself is not its name where its owner gave it one.
  expect(() => agents.keyOf('claude')).toThrow(
    /--agent claude: no agent of this archive is called so.*Tester \(dddddddd\)/,
  );
  expect(() => agents.keyOf('builder')).toThrow(
    /several agents are called so.*Builder \(aaaaaaaa\), Builder \(bbbbbbbb\)$/,
  );
  expect(() => agents.keyOf('ccc')).toThrow(/no agent of this archive/);
  expect(agents.nameOf(key('c'), null)).toBe('an agent');
});
