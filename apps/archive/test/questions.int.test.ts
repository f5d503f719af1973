import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filterTrouble, joinArchiveFile, type SearchQuery, searchArchive, unsealArchive } from '../src/index.ts';
import { keepArchive, madeLines, ownerSecret } from './support/kept-archive.ts';
import { MadeSession, openParts } from './support/made-session.ts';

const { crypto } = selectNodeCrypto();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-questions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('AR45, AR132, AR134: each saved question finds what it says and nothing else; filters narrow, and those that cannot be meant are told', async () => {
  const { keep, indexer, file } = openParts(join(folder, 'archive.db'), crypto);
  const run = new MadeSession('run', null, crypto);
  const session = new MadeSession('s1', 'c1', crypto);
  const write = (id: number, method: string, params: object) =>
    session.event('acp_write', { jsonrpc: '2.0', id, method, params });
  keep([await run.seal([run.event('stream_opened', { channelId: null })])]);
  const events = [
    session.event('stream_opened', { channelId: 'c1' }),
    write(1, 'session/new', { cwd: '/work/app', mcpServers: [] }),
    session.event('acp_read', { jsonrpc: '2.0', id: 1, result: { sessionId: 's' } }),
    write(2, 'session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'go' }] }),
    ...session.call('inside', 'edit', { path: '/work/app/a.ts' }, 'allow_once', true),
    ...session.call('outside', 'edit', { path: '/etc/passwd' }, 'allow_once', true),
    ...session.call('denied', 'execute', { command: 'rm -rf build' }, 'reject_once', false),
    ...session.call('defied', 'execute', { command: 'make clean' }, 'reject_once', true),
    ...session.call('again', 'execute', { command: 'rm -rf build' }, undefined, true),
    ...session.call('fetches', 'execute', { command: 'curl https://example.org' }, 'allow_once', true),
    ...session.call('tells', 'read', { path: '/work/app/.env', note: `npm_${'a1B2'.repeat(9)}` }, 'allow_once', true),
    session.event('acp_read', { jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } }),
  ];
  for (const event of events) keep([await session.seal([event])]);
  indexer.flush();
  const found = (query: Partial<SearchQuery>) =>
    searchArchive(file.db, { limit: 100, ...query })
      .filter(({ kind }) => kind === 'tool')
      .map(({ title }) => title)
      .sort();
  expect(found({ question: 'outside-cwd' })).toEqual(['outside']);
  expect(found({ question: 'denied-then-done' })).toEqual(['again', 'defied']);
  expect(found({ question: 'network' })).toEqual(['fetches']);
  expect(found({ question: 'no-decision' })).toEqual(['again']);
  expect(found({ question: 'secrets' })).toEqual(['tells']);
  expect(found({ decision: 'reject_once' })).toEqual(['defied', 'denied']);
  expect(found({ decision: 'none' })).toEqual(['again']);
  expect(found({ toolKind: 'edit', path: 'passwd' })).toEqual(['outside']);
  expect(found({ errors: true })).toEqual(['denied']);
  expect(found({ text: '"rm -rf"' })).toEqual(['again', 'denied']);
  expect(found({ text: 'rm "quoted' })).toEqual([]);
  expect(found({ from: '2026-09-21', to: '2026-09-21' })).toHaveLength(7);
  expect(found({ from: '2026-09-21T00:00:00.000Z', to: '2026-09-21T23:59:59.999Z' })).toHaveLength(7);
  expect(found({ to: '2026-09-20' })).toEqual([]);
  expect(found({ session: 2 })).toEqual([]);
  const trouble = (query: Partial<SearchQuery>) => filterTrouble(file.db, { limit: 100, ...query }) ?? 'none';
  expect(trouble({ toolKind: 'execut' })).toMatch(/^--kind execut: .*Expected one of read, /);
  expect(trouble({ decision: 'noone' })).toMatch(/^--decision noone: .*Expected one of none, /);
  expect(trouble({ from: '2026-11-30T00:00:00.000Z', to: '2026-11-29T23:59:59.999Z' })).toMatch(/is after --until/);
  expect(trouble({ session: 2 })).toMatch(/^--session 2: no session/);
  expect(trouble({ agent: 'ab'.repeat(32) })).toMatch(/^--agent abab/);
  const { agent, session: number } = searchArchive(file.db, { limit: 1, toolKind: 'edit' })[0] ?? {};
  for (const decision of ['none', 'timed_out', 'allow_once']) {
    expect(trouble({ toolKind: 'think', decision, agent, session: number ?? undefined })).toBe('none');
  }

  const keepAll = async (made: typeof events) => {
    for (const event of made) keep([await session.seal([event])]);
    indexer.flush();
  };
  const prompt = write(3, 'session/prompt', { sessionId: 's', prompt: [{ type: 'text', text: 'more' }] });
  const [tells, asks, , isDone] = session.call('waits', 'edit', {}, 'allow_once', true);
  if (tells === undefined || asks === undefined || isDone === undefined) throw new Error('no call');
  await keepAll([prompt, tells, asks]);
  expect(found({ toolKind: 'edit', text: 'waits' })).toEqual(['waits']);
  expect(found({ question: 'no-decision' })).toEqual(['again']);
  expect(found({ decision: 'none' })).toEqual(['again']);
  await keepAll([isDone]);
  expect(found({ question: 'no-decision' })).toEqual(['again', 'waits']);
  expect(found({ decision: 'none' })).toEqual(['again', 'waits']);
  file.close();
});

it('AR112: what was asked for in a turn is found by the turn, not by ids that every session has', async () => {
  const { keep, indexer, file } = openParts(join(folder, 'archive.db'), crypto);
  const session = new MadeSession('s1', 'c1', crypto);
  keep([await session.seal([session.event('stream_opened', { channelId: 'c1' })])]);
  indexer.flush();
  const plan = (sql: string) =>
    (file.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join('\n');
  for (const view of ['tool_calls', 'commands_run', 'files_touched']) {
    const detail = plan(`SELECT decision FROM ${view}`);
    expect(detail).toMatch(
      /SEARCH j USING (?:COVERING )?INDEX sqlite_autoindex_item_rows_1 \(turn=\? AND id>\? AND id<\?\)/,
    );
    expect(detail).not.toContain('permission_rows_by_call');
  }
  const asked = (ids: readonly string[]) =>
    ids.flatMap((id) => session.call(id, 'execute', { command: id }, 'reject_once', true));
  const turn = [session.event('turn_started', { source: 'owner', triggeringEventIds: [] }), ...asked(['0', '1', '2'])];
  keep([await session.seal(turn)]);
  indexer.flush();
  expect(searchArchive(file.db, { question: 'denied-then-done', limit: 9 })).toHaveLength(3);
  expect(file.db.prepare("SELECT count(*) FROM tool_calls WHERE decision = 'rejected' AND decided").pluck().get()).toBe(
    3,
  );
  file.close();
});

it('AR105: an archive of ciphertext only is searched in memory with the key that opens it, and with no other', async () => {
  const path = join(folder, 'sealed.db');
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const says = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  await keepArchive(path, [madeLines([says('the wolpertinger '), says(`has ${token}`)])], { atRest: 'sealed' });
  const before = readFileSync(path);
  const db = joinArchiveFile(path);
  if (!db.ok) throw new Error(db.error.message);
  const found = (secret: Uint8Array, text: string) => {
    const opened = unsealArchive(db.value, secret, crypto);
    if (!opened.ok) throw new Error(opened.error.message);
    const hits = searchArchive(opened.value, { text, limit: 9 });
    opened.value.close();
    return hits.map(({ excerpt }) => excerpt);
  };
  expect(found(ownerSecret, 'wolpertinger')).toEqual(['the wolpertinger has [redacted:github-token]']);
  expect(found(ownerSecret, token)).toEqual([]);
  expect(found(new Uint8Array(32).fill(9), 'wolpertinger')).toEqual([]);
  db.value.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});
