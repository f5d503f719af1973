import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExportDigest, type ExportScope } from '@heliograph/record';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportJsonl } from '../src/export/export-jsonl.ts';
import { writeWholeFile } from '../src/export/whole-file.ts';
import {
  type ExportFormat,
  exportArchive,
  exportToCollector,
  importArchive,
  joinArchiveFile,
  verifyArchiveFile,
  verifyExportFile,
} from '../src/index.ts';
import { crypto, keepArchive, madeLines, owner, recording } from './support/kept-archive.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const token = `ghp_${'a1B2'.repeat(9)}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-export-'));
  const secret = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `use ${token}` } };
  await keepArchive(at('archive.db'), [recording('claude-shell'), recording('codex-edit'), madeLines([secret])]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function textOf(scope: ExportScope = {}, events: 'sealed' | 'redacted' = 'sealed', file = 'archive.db'): string {
  const db = joinArchiveFile(at(file));
  if (!db.ok) throw new Error(db.error.message);
  try {
    return [...exportJsonl(db.value, { scope, events, crypto })].join('');
  } finally {
    db.value.close();
  }
}

function written(name: string, text: string): string {
  writeFileSync(at(name), text);
  return at(name);
}

function verified(path: string, witnesses: readonly string[] = []) {
  const outcome = verifyExportFile(path, { crypto, owner: owner.publicKey, witnesses });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

const SEALED = { atRest: 'sealed' } as const;

/** What a redacted export of an archive is refused with. */
function redactedOf(file: string): string | undefined {
  const db = joinArchiveFile(at(file));
  if (!db.ok) throw new Error(db.error.message);
  const to = at(`${file}.redacted`);
  const done = exportArchive(db.value, { format: 'jsonl', scope: {}, events: 'redacted', to, crypto });
  db.value.close();
  return done.ok ? undefined : done.error.code;
}

const imported = (from: string, to: string) => importArchive({ crypto, from, to: at(to), owner: owner.publicKey });

describe('JSONL exports', () => {
  it('AR80: an export of the whole archive verifies elsewhere, and the same archive gives the same bytes', () => {
    const text = textOf();
    expect(textOf()).toBe(text);
    const { report, links, manifest } = verified(written('whole.jsonl', text));
    expect(report.problems).toEqual([]);
    const own = verifyArchiveFile(at('archive.db'), { crypto, owner: owner.publicKey });
    expect(own.ok && own.value).toEqual({ ...report, views: { state: 'match' } });
    expect([links, manifest.scope, manifest.events]).toEqual([0, undefined, 'sealed']);
    expect(text.split('\n', 1)[0]).toContain('howToVerify');
    expect(text).not.toContain(token);
  });

  it('AR81: an export of a session, an agent or a time verifies up to the next checkpoint, and names the others by their heads', () => {
    const db = new Database(at('archive.db'), { readonly: true });
    const agents = db.prepare('SELECT public_key FROM agents ORDER BY agent').pluck().all() as string[];
    const middle = db
      .prepare('SELECT n, received_ms AS ms FROM records WHERE agent = 2 ORDER BY n LIMIT 1 OFFSET 2')
      .get() as { n: number; ms: number };
    const count = (where: string) => db.prepare(`SELECT count(*) FROM records WHERE ${where}`).pluck().get() as number;
    const checkpoint = db.prepare("SELECT id FROM statements WHERE type = 'checkpoint' AND s = 2").pluck().get();
    const cases: [ExportScope, number][] = [
      [{ session: 2 }, count('agent = 2')],
      [{ agent: agents[0] }, count('agent = 1')],
      [{ since: new Date(middle.ms).toISOString() }, count(`n >= ${middle.n}`)],
      [{ until: new Date(middle.ms).toISOString(), agent: agents[1] }, 3],
    ];
    db.close();
    for (const [scope, records] of cases) {
      const text = textOf(scope);
      const { report, coveredTo, manifest } = verified(written('part.jsonl', text), [checkpoint as string]);
      expect(report.problems).toEqual([]);
      expect(report.records.count).toBe(records);
      expect(coveredTo).toBeGreaterThanOrEqual(report.records.last ?? Number.NaN);
      expect(manifest.scope).toEqual(scope);
    }
    const until = textOf({ until: new Date(middle.ms).toISOString(), agent: agents[1] });
    expect(until.match(/"type":"link"/g)?.length).toBeGreaterThan(0);
  });

  it('AR82: a byte flipped anywhere in an export is found, and so is a line removed, doubled, swapped or cut off', () => {
    const text = textOf({ session: 2 });
    const lines = text.trimEnd().split('\n');
    const holds = (changed: string) => {
      const outcome = verifyExportFile(written('bad.jsonl', changed), { crypto, owner: owner.publicKey });
      return outcome.ok && outcome.value.report.ok;
    };
    expect(holds(text)).toBe(true);
    for (let place = 7; place < text.length; place += Math.floor(text.length / 40)) {
      const flipped = String.fromCharCode(text.charCodeAt(place) ^ 1);
      expect(holds(text.slice(0, place) + flipped + text.slice(place + 1)), `character ${place}`).toBe(false);
    }
    const records = lines.findIndex((line) => line.startsWith('{"type":"record"'));
    const joined = (changed: readonly string[]) => `${changed.join('\n')}\n`;
    expect(holds(joined(lines.toSpliced(records + 1, 1)))).toBe(false);
    expect(holds(joined(lines.toSpliced(records, 0, lines[records] ?? '')))).toBe(false);
    expect(holds(joined(lines.toSpliced(records, 2, lines[records + 1] ?? '', lines[records] ?? '')))).toBe(false);
    expect(holds(joined(lines.slice(0, -1)))).toBe(false);
    // A record told by its head alone, with an end that fits.
    const { content, opening, text: shown, tags, kind, sig, ...head } = JSON.parse(lines[records + 2] ?? '');
    const changed = lines.toSpliced(records + 2, 1, JSON.stringify({ ...head, type: 'link' })).slice(0, -1);
    const digest = new ExportDigest(crypto);
    for (const line of changed) digest.add(line);
    const end = JSON.stringify({ type: 'end', lines: digest.lines, digest: digest.value });
    const { report } = verified(written('bad.jsonl', joined([...changed, end])));
    expect(report.problems).toMatchObject([{ code: 'missing', n: head.n }]);
    expect([content, opening, shown, tags, kind, sig]).not.toContain(undefined);
  });

  it('AR83: a redacted export holds no sealed event and no opening, says so, and its texts stand on the checkpoint', () => {
    const text = textOf({}, 'redacted');
    for (const line of text.trimEnd().split('\n').slice(1, -1)) {
      const value = JSON.parse(line) as Record<string, unknown>;
      expect(value.content ?? value.opening).toBeUndefined();
    }
    const { report, manifest } = verified(written('redacted.jsonl', text));
    expect(report.problems).toEqual([]);
    expect(manifest.events).toBe('redacted');
    expect(report.texts.proved).toBe(0);
    expect(report.texts.unproved).toBeGreaterThan(5);
    expect(text).toContain('[redacted:github-token]');
    const lied = text.replace('use [redacted', 'the [redacted');
    expect(verified(written('redacted.jsonl', lied)).report.problems[0]?.code).toBe('text');
    expect(imported(at('redacted.jsonl'), 'never.db')).toMatchObject({ ok: false, error: { code: 'unfit' } });
  });

  it('AR83: a redacted export does not verify where no checkpoint covers its last records', () => {
    copyFileSync(at('archive.db'), at('open.db'));
    const db = new Database(at('open.db'));
    db.prepare("DELETE FROM statements WHERE type = 'checkpoint'").run();
    db.close();
    const { problems } = verified(written('open.jsonl', textOf({}, 'redacted', 'open.db'))).report;
    expect(problems).toContainEqual(
      expect.objectContaining({ code: 'checkpoint', message: expect.stringContaining('no checkpoint covers') }),
    );
  });

  it('AR84: an import has the same chain and checkpoints, verifies the same, shows the same, and exports the same bytes', () => {
    const from = written('whole.jsonl', textOf());
    const outcome = imported(from, 'again.db');
    expect(outcome).toMatchObject({ ok: true });
    expect(statSync(at('again.db')).mode & 0o777).toBe(0o600);
    const reports = ['archive.db', 'again.db'].map((file) => {
      const report = verifyArchiveFile(at(file), { crypto, owner: owner.publicKey });
      return report.ok ? report.value : report.error;
    });
    expect(reports[1]).toEqual(reports[0]);
    for (const view of [
      'sessions',
      'turns',
      'messages',
      'tool_calls',
      'permissions',
      'commands_run',
      'controls',
      'gaps',
    ]) {
      const rows = ['archive.db', 'again.db'].map((file) => {
        const db = new Database(at(file), { readonly: true });
        const all = db.prepare(`SELECT * FROM ${view} ORDER BY 1`).all();
        db.close();
        return all;
      });
      expect(rows[1], view).toEqual(rows[0]);
    }
    expect(textOf({}, 'sealed', 'again.db')).toBe(textOf());
    expect(imported(from, 'again.db')).toMatchObject({ ok: false, error: { code: 'exists' } });
  });

  it('AR85: ciphertext-only and content-dropping archives come back from their exports as they were', async () => {
    const secret = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `use ${token}` } };
    for (const settings of [SEALED, { secrets: 'drop' }] as const) {
      const name = JSON.stringify(settings).replace(/\W/g, '');
      await keepArchive(at(`${name}.db`), [madeLines([secret])], settings);
      expect(redactedOf(`${name}.db`)).toBe(settings === SEALED ? 'none' : undefined);
      const text = textOf({}, 'sealed', `${name}.db`);
      expect(text).not.toContain(token);
      expect(imported(written(`${name}.jsonl`, text), `${name}-again.db`)).toMatchObject({ ok: true });
      expect(textOf({}, 'sealed', `${name}-again.db`)).toBe(text);
    }
  });

  it('AR86: what is no whole export, or hostile, is refused by the number of its line, and leaves nothing behind', () => {
    const lines = textOf().trimEnd().split('\n');
    const record = lines.findIndex((line) => line.startsWith('{"type":"record"'));
    const put = (place: number, line: string) => `${lines.toSpliced(place, 1, line).join('\n')}\n`;
    const bad: [string, string][] = [
      ['', 'is empty'],
      ['{"type":"record"}\n', 'line 1: n must'],
      ['{}\n', 'line 1: its type'],
      ['[]\n', 'line 1: it is no JSON object'],
      [put(0, '{"type":"manifest","format":"x"}'), 'line 1: it is no export'],
      [put(1, '{"type":"agent","agent":1}'), 'line 2: agent'],
      [put(2, '\u0000'), 'line 3: it is no JSON'],
      [put(record, '{"__proto__":{"type":"record"}}'), `line ${record + 1}: its type`],
      [put(record, lines[0] ?? ''), `line ${record + 1}: a manifest line can't stand here`],
      [put(record, (lines[record] ?? '').replace(/"opening":"./, '"opening":"?')), `line ${record + 1}: opening`],
      [put(record, (lines[record] ?? '').replace(/"n":\d+/, '"n":-1')), `line ${record + 1}: n must`],
      [put(record + 1, lines[record] ?? ''), `line ${record + 2}: it is there twice`],
      [`${lines.join('\n')}\n{"type":"end"}\n`, `line ${lines.length + 1}: lines must`],
      [`${lines.join('\n')}\n${lines.at(-1)}\n`, `line ${lines.length + 1}: something follows`],
      [put(record, 'x'.repeat(30_000_000)), `line ${record + 1}: it is`],
      [put(record, (lines[record] ?? '').replace(/"hash":"./, '"hash":"g')), `line ${record + 1}: prev, hash`],
      [lines.slice(0, -1).join('\n'), 'does not verify'],
    ];
    const before = readdirSync(folder).length;
    for (const [text, why] of bad) {
      const from = written('hostile.jsonl', text);
      const outcome = imported(from, 'hostile.db');
      expect(outcome.ok ? '' : outcome.error.message).toContain(why);
    }
    writeFileSync(at('hostile.jsonl'), Buffer.from([0x7b, 0xff, 0x0a]));
    expect(imported(at('hostile.jsonl'), 'hostile.db')).toMatchObject({ ok: false, error: { code: 'line' } });
    expect(imported(written('hostile.jsonl', textOf({ session: 1 })), 'hostile.db')).toMatchObject({
      ok: false,
      error: { code: 'unfit' },
    });
    expect(readdirSync(folder).length).toBe(before + 1);
  });

  it('AR87: an export is written whole, for this user alone, and never over what is there', () => {
    expect(writeWholeFile(at('new.jsonl'), [textOf()])).toEqual({ ok: true, value: undefined });
    expect(statSync(at('new.jsonl')).mode & 0o777).toBe(0o600);
    const before = readFileSync(at('new.jsonl'), 'utf8');
    expect(writeWholeFile(at('new.jsonl'), ['other'])).toMatchObject({ ok: false, error: { code: 'exists' } });
    expect(readFileSync(at('new.jsonl'), 'utf8')).toBe(before);
    function* breaks() {
      yield 'half';
      throw new RangeError('no more');
    }
    expect(() => writeWholeFile(at('half.jsonl'), breaks())).toThrow('no more');
    expect(readdirSync(folder).filter((name) => name.includes('half') || name.endsWith('.part'))).toEqual([]);
    expect(writeWholeFile(at('nowhere/x.jsonl'), [''])).toMatchObject({ ok: false, error: { code: 'not-writable' } });
  });
});

it('AR91: CSV has a file for every documented view, in scope, with no formula in it', async () => {
  const evil = '=HYPERLINK("http://evil.example","x")';
  const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: evil, kind: 'execute', status: 'completed' };
  await keepArchive(at('evil.db'), [
    madeLines([{ ...call, rawInput: { command: evil } }], evil),
    madeLines([], 'other'),
  ]);
  const db = joinArchiveFile(at('evil.db'));
  if (!db.ok) throw new Error(db.error.message);
  const done = exportArchive(db.value, {
    format: 'csv',
    scope: { session: 1 },
    events: 'sealed',
    to: at('csv'),
    crypto,
  });
  db.value.close();
  expect(done.ok).toBe(true);
  expect(statSync(at('csv')).mode & 0o777).toBe(0o700);
  const files = readdirSync(at('csv'));
  expect(files).toHaveLength(12);
  const read = (view: string) => readFileSync(join(at('csv'), `${view}.csv`), 'utf8');
  for (const name of files) expect(readFileSync(join(at('csv'), name), 'utf8')).not.toMatch(/(^|,|\n)"?=/);
  expect(read('messages')).toContain(`"'${evil.replaceAll('"', '""')}"`);
  expect(read('messages')).not.toContain('other');
  expect(read('sessions').trim().split('\r\n')).toHaveLength(2);
  expect(read('commands_run')).toContain("'=HYPERLINK");
});

const SESSION_FORMATS: readonly ExportFormat[] = ['html', 'markdown', 'claude', 'asciicast', 'otlp'];

it('AR98: a session is exported in every format, the same bytes each time; several are refused by name where one fits', () => {
  const db = joinArchiveFile(at('archive.db'));
  if (!db.ok) throw new Error(db.error.message);
  const write = (format: ExportFormat, name: string, scope: ExportScope) =>
    exportArchive(db.value, { format, scope, events: 'sealed', to: at(name), crypto });
  for (const format of SESSION_FORMATS) {
    for (const name of ['one', 'two'])
      expect(write(format, `${name}.${format}`, { session: 1 })).toMatchObject({ ok: true });
    const text = readFileSync(at(`one.${format}`), 'utf8');
    expect(readFileSync(at(`two.${format}`), 'utf8')).toBe(text);
    expect(text.length).toBeGreaterThan(200);
  }
  expect(readFileSync(at('one.markdown'), 'utf8')).toContain('Ran ');
  expect(write('html', 'all.html', {})).toMatchObject({
    ok: false,
    error: { code: 'which', message: expect.stringContaining('--session 2') },
  });
  expect(write('html', 'none.html', { session: 99 })).toMatchObject({ ok: false, error: { code: 'none' } });
  expect(write('markdown', 'secret.md', { session: 3 })).toMatchObject({ ok: true });
  expect(readFileSync(at('secret.md'), 'utf8')).toContain('use [redacted:github-token]');
  db.value.close();
});

it('AR99: spans go to a collector, a request for each turn and session; one that refuses is named', async () => {
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const db = joinArchiveFile(at('archive.db'));
  if (!db.ok) throw new Error(db.error.message);
  const sent = await exportToCollector(db.value, { scope: {}, url, crypto });
  expect(sent).toEqual({ ok: true, value: bodies.length });
  expect(bodies.length).toBeGreaterThan(5);
  expect(bodies[0]).toMatch(/^POST \/v1\/traces application\/json \{"resourceSpans":/);
  status = 503;
  const refused = await exportToCollector(db.value, { scope: { session: 1 }, url, crypto });
  expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('it answered 503') } });
  await new Promise((resolve) => server.close(resolve));
  const gone = await exportToCollector(db.value, { scope: { session: 1 }, url, crypto });
  expect(gone).toMatchObject({ ok: false, error: { message: expect.stringContaining('did not take the spans') } });
  db.value.close();
});
