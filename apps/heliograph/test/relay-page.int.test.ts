import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { run, start } from './heliograph-process.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A request with these headers and no others: fetch would unpack the answer. */
function ask(base: string, path: string, headers: Record<string, string> = HTML, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** The first message over a WebSocket at this address. */
function greeting(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.on('error', reject);
    socket.on('message', (text) => {
      socket.close();
      resolve(String(text));
    });
  });
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'heliograph-page-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A relay that runs; `base` is where it listens, as http, and `script` the page's own below it. */
async function startRelay(home: string, ...flags: string[]) {
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  const relay = start(['relay', '--port', '0', ...flags], { home });
  await relay.ready('relay');
  await relay.says(/relay is listening/);
  const [, port] = /"?port"?: ?(\d+)/.exec(relay.stderr()) ?? [];
  const base = `http://127.0.0.1:${port}`;
  const script = /<script[^>]* src="\.\/([^"]+)"/.exec(`${(await ask(base, '/')).body}`)?.[1] ?? '';
  return { base, script };
}

it('RL70, RL72: on one port browsers get the page, programs the document and its health, clients the relay', async () => {
  const { base, script } = await startRelay(newHome(), '--name', 'Ours');
  const page = await ask(base, '/?from=phone');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(`${page.body}`).toContain('<div id="root">');
  const document = await ask(base, '/', { accept: 'application/nostr+json' });
  expect(JSON.parse(`${document.body}`)).toMatchObject({ name: 'Ours' });
  expect((await ask(base, '/healthz')).headers['content-type']).toBe('application/json');
  expect(await greeting(base.replace('http', 'ws'))).toContain('"AUTH"');
  const head = await ask(base, '/', HTML, 'HEAD');
  expect([head.status, head.body.length]).toEqual([200, 0]);
  for (const path of ['/api/session', '/api/health', '/../package.json', '/assets/', `/${script}.br`, '//etc/passwd']) {
    expect([(await ask(base, path)).status, path]).toEqual([404, path]);
  }
  expect((await ask(base, '/api/session', HTML, 'POST')).status).toBe(405);

  // The strict policy and no CORS, whatever Host it is asked by.
  for (const [path, host] of [
    ['/', 'relay.example'],
    [`/${script}`, '192.0.2.1:7447'],
    ['/nothing', 'localhost'],
  ] as const) {
    const { headers } = await ask(base, path, { ...HTML, host });
    const policy = `${headers['content-security-policy']}`;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self' ws: wss:;");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  }
});

it('DT64, RL73, RL74: files come as small as the browser takes them, and not at all when it has them; doctor says that they come', async () => {
  const home = newHome();
  const { base, script } = await startRelay(home);
  const plain = await ask(base, `/${script}`);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const zipped = await ask(base, `/${script}`, { ...HTML, 'accept-encoding': 'gzip, deflate' });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
  const small = await ask(base, `/${script}`, { ...HTML, 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(small.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(small.body).equals(plain.body)).toBe(true);
  expect(small.body.length).toBeLessThan(plain.body.length / 3);
  const refusing = await ask(base, `/${script}`, { ...HTML, 'accept-encoding': 'br;q=0, gzip;q=0.0, identity' });
  expect(refusing.headers['content-encoding']).toBeUndefined();
  expect(new Set([plain, zipped, small].map(({ headers }) => headers.etag)).size).toBe(3);

  const page = await ask(base, '/');
  expect(page.headers['cache-control']).toBe('no-cache');
  expect(page.headers.vary).toBe('Accept, Accept-Encoding');
  const etag = `${page.headers.etag}`;
  for (const held of [etag, `"other", W/${etag}`]) {
    const again = await ask(base, '/', { ...HTML, 'if-none-match': held });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect(again.headers['content-security-policy']).toContain("default-src 'none'");
  }
  expect((await ask(base, '/', { ...HTML, 'if-none-match': '"other"' })).status).toBe(200);
  const { stdout, code } = await run(['doctor', base.replace('http', 'ws')], { home });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`ok   page: served whole at ${base}/`)]);
  // As the guide has it: on the relay's machine, where the owner's key is not.
  const elsewhere = newHome();
  const guest = await run(['doctor', base.replace('http', 'ws')], { home: elsewhere });
  expect(guest.code).toBe(0);
  expect(guest.stdout).toMatch(/^ok {3}AUTH: a passing key is refused.*--owner-key FILE$/m);
  expect(guest.stdout).not.toContain('echo:');
  expect(existsSync(join(elsewhere, 'owner.key'))).toBe(false);
});

it('RL71: below a path everything is found, whether the proxy takes the path off or not', async () => {
  const { base, script } = await startRelay(newHome(), '--public-url', 'wss://relay.example/team/agents/');
  for (const path of ['/', '/team/agents/', '/team/agents/?x']) {
    expect(`${(await ask(base, path)).body}`).toContain('<div id="root">');
  }
  for (const path of [`/${script}`, `/team/agents/${script}`]) {
    expect((await ask(base, path)).headers['content-type']).toContain('javascript');
  }
  expect((await ask(base, '/team/agents/healthz')).headers['content-type']).toBe('application/json');
  const bare = await ask(base, '/team/agents?x');
  expect([bare.status, bare.headers.location]).toEqual([308, 'agents/']);
  const document = await ask(base, '/team/agents', { accept: 'application/nostr+json' });
  expect(document.status).toBe(200);
  expect((await ask(base, '/team/agentsx/')).status).toBe(404);
  for (const path of ['/team/agents', '/team/agents/', '/']) {
    expect(await greeting(base.replace('http', 'ws') + path)).toContain('"AUTH"');
  }
});

it('CL30, RL73: --no-ui and HELIOGRAPH_NO_UI leave a word about the relay, and doctor says so', async () => {
  const home = newHome();
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  for (const [flags, env] of [
    [['--no-ui'], {}],
    [[], { HELIOGRAPH_NO_UI: '1' }],
  ] as const) {
    const quiet = start(['relay', '--port', '0', '--data', `quiet${flags.length}`, ...flags], { home, env });
    const { url = '' } = await quiet.ready('relay');
    const http = url.replace('ws', 'http');
    const page = await ask(http, '/');
    expect(`${page.body}`).toContain(`Connect to <code>${url}</code>`);
    expect((await ask(http, '/assets/x.js')).status).toBe(404);
    const { stdout } = await run(['doctor', url], { home });
    expect(stdout).toContain('ok   page: none is served');
    quiet.signal('SIGTERM');
    expect((await quiet.ended).code).toBe(0);
  }
});
