import { EventEmitter, once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { err, ok } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DesktopHost, type DesktopHostOptions, readDesktopState, startDesktopHost } from '../src/host/index.ts';

const AGENT = 'ab'.repeat(32);
const INVITED = 'cd'.repeat(32);
const SECRET = new Uint8Array(32).fill(7);
const OWNER = '07'.repeat(32).replace(/^07/, 'f0');

let folder: string;
let host: DesktopHost;
/** Tells when a question without an end came, and when it was dropped. */
const endless = new EventEmitter();
const logged: string[] = [];
const note = (fields: object, message: string) => logged.push(`${JSON.stringify(fields)} ${message}`);

const options = (): DesktopHostOptions => ({
  host: '127.0.0.1',
  port: 0,
  uiDir: join(folder, 'ui'),
  stateFile: join(folder, 'config', 'desktop.json'),
  ownerKey: SECRET,
  owner: OWNER,
  relays: ['ws://127.0.0.1:7447'],
  agents: [],
  crypto: nobleCrypto,
  log: { debug: note, info: note, warn: note, error: note },
  version: '1.2.3',
  archive: async (question, signal) => {
    if (question.ask === 'search' && question.query.text === 'without end') {
      endless.emit('asked');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      endless.emit('dropped');
    }
    return question.ask === 'search'
      ? ok({ hits: [], isMore: question.query.text === 'many' } as never)
      : err({ message: 'no archive here' });
  },
  invite: async ({ name }) =>
    name === 'refuse me'
      ? err({ message: 'no relay admits it' })
      : ok({ text: 'helio1secret', agent: { publicKey: INVITED, name } }),
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'desktop-host-'));
  mkdirSync(join(folder, 'ui', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'ui', 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(folder, 'ui', 'assets', 'app-1a2b.js'), 'export {}');
  writeFileSync(join(folder, 'ui', '.hidden'), 'secret');
  writeFileSync(join(folder, 'outside.txt'), 'secret');
  logged.length = 0;
  host = await startDesktopHost(options());
});

afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

const origin = () => new URL(host.url).origin;
const tokenOf = (url: string) => new URL(url).hash.slice(1);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** A request as the page makes it; `headers` replace its own, undefined leaves one out. */
function ask(
  path: string,
  body?: unknown,
  headers: Record<string, string | undefined> = {},
  method?: string,
): Promise<Answer> {
  const { hostname, port, host: own } = new URL(host.url);
  const all = {
    Host: own,
    Origin: origin(),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  };
  const sent = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return new Promise((resolve, reject) => {
    const req = request(
      { hostname, port, path, method: method ?? (body === undefined ? 'GET' : 'POST'), headers: sent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = `${response.headers['content-type']}`.startsWith('application/json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson && text !== '' ? JSON.parse(text) : {},
          });
        });
      },
    );
    req.on('error', reject);
    req.end(typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Opens a session and returns the header that authorizes the other requests. */
async function authorize(): Promise<{ Authorization: string }> {
  const { json } = await ask('/api/session', { token: tokenOf(host.url) });
  return { Authorization: `Bearer ${json.apiToken}` };
}

test('DT20: a link hands out the key once; the token it returns opens the page once more', async () => {
  const token = tokenOf(host.url);
  const first = await ask('/api/session', { token });
  expect(first.status).toBe(200);
  expect(first.headers['cache-control']).toBe('no-store');
  expect(first.json).toMatchObject({ secretKeyHex: '07'.repeat(32), relays: ['ws://127.0.0.1:7447'], agents: [] });
  expect(first.json.viewerId).toMatch(/^[0-9a-f-]{36}$/);

  expect((await ask('/api/session', { token })).status).toBe(401);
  const again = await ask('/api/session', { token: first.json.nextToken });
  expect(again.status).toBe(200);
  expect(again.json.viewerId).toBe(first.json.viewerId);
  expect((await ask('/api/session', { token: first.json.nextToken })).json).toMatchObject({ code: 'used-link' });
});

test('DT20: every link is its own; a wrong, missing or odd token opens nothing', async () => {
  expect(tokenOf(host.link())).not.toBe(tokenOf(host.link()));
  expect((await ask('/api/session', { token: tokenOf(host.link()) })).status).toBe(200);
  for (const token of ['', 'x', 7, undefined, null]) expect((await ask('/api/session', { token })).status).toBe(401);
  // None of those tries spent the first link.
  expect((await ask('/api/session', { token: tokenOf(host.url) })).status).toBe(200);
});

test('DT20: a key under a passphrase leaves the host as it is in its file', async () => {
  await host.close();
  host = await startDesktopHost({ ...options(), ownerKey: { ncryptsec: 'ncryptsec1abc' } });
  const { json } = await ask('/api/session', { token: tokenOf(host.url) });
  expect(json.ncryptsec).toBe('ncryptsec1abc');
  expect(json.secretKeyHex).toBeUndefined();
});

test('DT21: other names for this address are refused (DNS rebinding)', async () => {
  const { port } = new URL(host.url);
  for (const name of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.2:${port}`,
    `127.0.0.1:${port}.evil.example`,
  ]) {
    const answer = await ask('/', undefined, { Host: name });
    expect([answer.status, name]).toEqual([421, name]);
    expect(answer.text).not.toContain('<title>');
  }
  for (const name of [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, `127.0.0.1:${port}`]) {
    expect((await ask('/', undefined, { Host: name })).status).toBe(200);
  }
});

test('DT21: a foreign origin reaches nothing, and what hands out secrets needs our own', async () => {
  const token = tokenOf(host.url);
  for (const foreign of ['https://evil.example', 'null', origin().replace('http:', 'https:'), `${origin()}0`]) {
    expect((await ask('/api/session', { token }, { Origin: foreign })).status).toBe(403);
    expect((await ask('/api/health', undefined, { Origin: foreign })).status).toBe(403);
  }
  expect((await ask('/api/session', { token }, { Origin: undefined })).status).toBe(403);
  expect((await ask('/', undefined, { Origin: undefined })).status).toBe(200);
  expect((await ask('/api/session', { token })).status).toBe(200);
});

test('DT22: every answer carries the strict headers, also errors', async () => {
  for (const path of ['/', '/assets/app-1a2b.js', '/nothing', '/api/health', '/api/nothing']) {
    const { headers } = await ask(path);
    const csp = `${headers['content-security-policy']}`;
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("script-src 'self';");
    expect(csp).toContain("style-src 'self';");
    expect(csp).toContain("require-trusted-types-for 'script'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(csp).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('DT23: only the built files are served, however a path is written', async () => {
  expect((await ask('/')).text).toContain('<title>page');
  expect((await ask('/?a=1')).text).toContain('<title>page');
  const asset = await ask('/assets/app-1a2b.js');
  expect(asset.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(asset.headers['cache-control']).toContain('immutable');
  const head = await ask('/', undefined, {}, 'HEAD');
  expect([head.status, head.text]).toEqual([200, '']);
  const ways = [
    '/../outside.txt',
    '/assets/../../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '//etc/passwd',
    '/assets\\..\\..\\outside.txt',
    '/.hidden',
    '/assets/',
    '/assets',
    '/%00',
  ];
  for (const path of ways) {
    const answer = await ask(path);
    expect([answer.status, path]).toEqual([404, path]);
    expect(answer.text).not.toContain('secret');
  }
  expect((await ask('/', {})).status).toBe(405);
  expect(await rawRequest(`GET /../outside.txt HTTP/1.1\r\nHost: ${new URL(host.url).host}`)).toMatch(
    /^HTTP\/1\.1 404/,
  );
  expect(await rawRequest('GET / HTTP/1.0')).toMatch(/^HTTP\/1\.1 421/);
});

/** A request that no HTTP client would send. */
function rawRequest(head: string): Promise<string> {
  const { hostname, port } = new URL(host.url);
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(port), hostname, () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

test('DT24: bodies are JSON objects of at most 64 KiB', async () => {
  expect((await ask('/api/session', 'x'.repeat(70_000))).status).toBe(413);
  expect((await ask('/api/session', 'nonsense')).status).toBe(400);
  expect((await ask('/api/session', '[]')).status).toBe(400);
  expect((await ask('/api/session', '{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await ask('/api/session')).status).toBe(405);
  expect((await ask('/api/session', { token: tokenOf(host.url) })).status).toBe(200);
});

test('DT25: naming and revoking an agent is kept, in a file for the owner alone', async () => {
  const headers = await authorize();
  expect((await ask('/api/agents', { publicKey: AGENT, name: 'Claude' })).status).toBe(401);
  expect((await ask('/api/agents', { publicKey: AGENT, name: 'Claude' }, headers)).json.agents).toEqual([
    { publicKey: AGENT, name: 'Claude' },
  ]);
  await ask('/api/agents', { publicKey: AGENT, revoked: true }, headers);
  for (const body of [
    { publicKey: 'x' },
    { publicKey: AGENT, name: '' },
    { publicKey: AGENT, name: 'a\nb' },
    { publicKey: AGENT, name: 'x'.repeat(65) },
    { publicKey: AGENT, revoked: 1 },
  ]) {
    expect((await ask('/api/agents', body, headers)).status).toBe(400);
  }
  const path = join(folder, 'config', 'desktop.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o700);
  const kept = readFileSync(path, 'utf8');
  expect(JSON.parse(kept).owners[OWNER].agents).toEqual([{ publicKey: AGENT, name: 'Claude', revoked: true }]);
  expect(kept).not.toContain('07'.repeat(32));

  const agents = [
    { publicKey: AGENT, name: 'from the command line' },
    { publicKey: INVITED, name: 'new' },
  ];
  await host.close();
  host = await startDesktopHost({ ...options(), relays: [], agents });
  const { json } = await ask('/api/session', { token: tokenOf(host.url) });
  expect(json.relays).toEqual(['ws://127.0.0.1:7447']);
  expect(json.agents).toEqual([
    { publicKey: AGENT, name: 'Claude', revoked: true },
    { publicKey: INVITED, name: 'new' },
  ]);
});

test('DT129: owners who share a machine see nothing of each other, also while both desktops run', async () => {
  const headers = await authorize();
  await ask('/api/agents', { publicKey: AGENT, name: 'Mine', revoked: true }, headers);
  const other = 'e1'.repeat(32);
  const second = await startDesktopHost({ ...options(), owner: other, relays: [], agents: [] });
  try {
    await ask('/api/agents', { publicKey: INVITED, name: 'Mine too' }, headers);
    const path = join(folder, 'config', 'desktop.json');
    const { owners } = JSON.parse(readFileSync(path, 'utf8'));
    expect(owners[OWNER].agents.map(({ name }: { name: string }) => name)).toEqual(['Mine', 'Mine too']);
    expect(owners[other]).toMatchObject({ relays: [], agents: [] });
    expect(owners[other].viewerId).not.toBe(owners[OWNER].viewerId);
    expect(await readDesktopState(path, other)).toEqual(owners[other]);
  } finally {
    await second.close();
  }
});

test('DT129: a file of before becomes the part of who opens it, without agents that another vouched for', async () => {
  const path = join(folder, 'old.json');
  const authTag = (owner: string) => ['auth', owner, '', 'a'.repeat(128)];
  const named = { publicKey: AGENT, name: 'Named', revoked: true };
  const mine = { publicKey: INVITED, name: 'Mine', authTag: authTag(OWNER) };
  const theirs = { publicKey: 'ef'.repeat(32), name: 'Theirs', authTag: authTag('e1'.repeat(32)) };
  writeFileSync(path, JSON.stringify({ viewerId: 'v', relays: ['ws://r'], agents: [named, mine, theirs] }));
  const state = await readDesktopState(path, OWNER);
  expect(state).toEqual({ viewerId: 'v', relays: ['ws://r'], agents: [named, mine] });
  writeFileSync(path, JSON.stringify({ owners: { nobody: state } }));
  await expect(readDesktopState(path, OWNER)).rejects.toMatchObject({ code: 'BAD_STATE' });
});

test('DT26: an invite comes once, makes its agent known, and is written nowhere', async () => {
  const headers = await authorize();
  const relays = ['ws://h:7447'];
  expect((await ask('/api/invites', { name: 'Claude', relays })).status).toBe(401);
  const made = await ask('/api/invites', { name: 'Claude', relays }, headers);
  expect(made.json).toMatchObject({ invite: 'helio1secret', agents: [{ publicKey: INVITED, name: 'Claude' }] });
  expect(made.headers['cache-control']).toBe('no-store');
  for (const body of [
    { name: 'a', relays: [] },
    { name: 'a', relays: ['http://h'] },
    { name: '', relays },
    { name: 'a', relays: 'ws://h' },
  ]) {
    expect((await ask('/api/invites', body, headers)).status).toBe(400);
  }
  expect(await ask('/api/invites', { name: 'refuse me', relays }, headers)).toMatchObject({
    status: 409,
    json: { message: 'no relay admits it' },
  });
  expect(readFileSync(join(folder, 'config', 'desktop.json'), 'utf8')).not.toContain('helio1');
  expect(logged.join('\n')).not.toMatch(/helio1|0707|Bearer/);
});

test('DT160: the archive is asked only by this page, and only what can be asked', async () => {
  const headers = await authorize();
  expect((await ask('/api/archive', { ask: 'state' })).status).toBe(401);
  const found = await ask('/api/archive', { ask: 'search', query: { text: 'many' } }, headers);
  expect(found).toMatchObject({ status: 200, json: { hits: [], isMore: true } });
  expect(await ask('/api/archive', { ask: 'state' }, headers)).toMatchObject({
    status: 409,
    json: { message: 'no archive here' },
  });
  for (const body of [
    {},
    { ask: 'delete' },
    { ask: 'switch', isOn: 'yes' },
    { ask: 'keep', agent: 'x', isKept: true },
    { ask: 'keep', agent: INVITED, isKept: 1 },
    { ask: 'search', query: { question: 'what' } },
    { ask: 'search', query: { text: 'x'.repeat(1_001) } },
    { ask: 'search', query: { agent: 'npub' } },
    { ask: 'search', query: { from: 'yesterday' } },
    { ask: 'search', query: { to: '2026-11-31T00:00:00.000Z' } },
    { ask: 'lines', session: 'one' },
    { ask: 'lines', session: 1, after: { stream: 1, seq: 1 } },
  ]) {
    const refused = await ask('/api/archive', body, headers);
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('expected')]);
  }
});

test('AR138: a page that waits no more for the archive ends its question', async () => {
  const headers = await authorize();
  const leaving = new AbortController();
  const [came, dropped] = [once(endless, 'asked'), once(endless, 'dropped')];
  const asking = fetch(new URL('/api/archive', origin()), {
    method: 'POST',
    headers: { ...headers, Origin: origin(), 'Content-Type': 'application/json' },
    body: JSON.stringify({ ask: 'search', query: { text: 'without end' } }),
    signal: leaving.signal,
  });
  await came;
  leaving.abort();
  await expect(asking).rejects.toThrow();
  await dropped;
});

test('DT27: a port in use names the port and the flag', async () => {
  const { port } = new URL(host.url);
  const second = startDesktopHost({ ...options(), stateFile: join(folder, 'other.json'), port: Number(port) });
  await expect(second).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: expect.stringMatching(new RegExp(`${port}.*--port`)),
  });
});

test('DT27: a missing page and a broken state file say how to mend them', async () => {
  await expect(startDesktopHost({ ...options(), uiDir: join(folder, 'none') })).rejects.toMatchObject({
    code: 'UI_MISSING',
    message: expect.stringContaining('npm run build'),
  });
  writeFileSync(join(folder, 'broken.json'), '{"viewerId": 1}');
  await expect(startDesktopHost({ ...options(), stateFile: join(folder, 'broken.json') })).rejects.toMatchObject({
    code: 'BAD_STATE',
    message: expect.stringContaining('broken.json'),
  });
});

test('DT27: health answers without a key', async () => {
  expect((await ask('/api/health')).json).toEqual({ ok: true, version: '1.2.3' });
});
