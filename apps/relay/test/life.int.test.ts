import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeNpub } from '@heliograph/wire';
import { expect, it, onTestFinished } from 'vitest';
import { connectAs, owner, RawClient, startTestRelay, template, temporaryFolder } from './relay-under-test.ts';

it('RL9: what was acknowledged is there after a restart', async () => {
  const dataDir = temporaryFolder();
  const first = await startTestRelay({ dataDir });
  const client = await connectAs(owner, first);
  const answers = await Promise.all([1, 2, 3].map((n) => client.publish(owner, template({ content: `${n}` }))));
  expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
  await first.close();
  const second = await startTestRelay({ dataDir });
  const again = await connectAs(owner, second);
  expect(new Set(await again.ask('a', {}))).toEqual(new Set(answers.map(({ id }) => id)));
});

it('RL10: a second relay on the same folder is refused with a sentence, and the first goes on', async () => {
  const first = await startTestRelay();
  await expect(startTestRelay({ dataDir: first.dataDir })).rejects.toMatchObject({
    code: 'in-use',
    message: expect.stringMatching(/in use by another relay.*--data/),
  });
  const client = await connectAs(owner, first);
  expect(await client.publish(owner, template())).toMatchObject({ ok: true });
});

it('RL10: the folder of another process is refused, and free again when that process was killed', async () => {
  const dataDir = temporaryFolder();
  const script = `import { openSqliteStore } from '@heliograph/relay';
    const store = openSqliteStore(${JSON.stringify(dataDir)});
    console.log(store.ok ? 'holding' : store.error.message);
    setInterval(() => {}, 1_000);`;
  const holder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    holder.kill('SIGKILL');
  });
  const [line] = (await once(holder.stdout, 'data')) as [Buffer];
  expect(line.toString()).toBe('holding\n');
  await expect(startTestRelay({ dataDir })).rejects.toMatchObject({ code: 'in-use' });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const relay = await startTestRelay({ dataDir });
  expect(await connectAs(owner, relay)).toBeDefined();
});

it('RL29: a port in use is named, with the flag, and nothing is left locked', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void blocker.close());
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  const dataDir = temporaryFolder();
  await expect(startTestRelay({ port, dataDir })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: expect.stringMatching(new RegExp(`${port}.*--port`)),
  });
  await startTestRelay({ dataDir });
});

it('RL138: takes a free port where its own is in use, if it is told to', async () => {
  const first = await startTestRelay();
  const port = Number(new URL(first.url).port);
  const second = await startTestRelay({ port, orFreePort: true });
  expect(second.url).not.toBe(first.url);
  expect((await fetch(second.url.replace('ws:', 'http:'))).status).toBe(200);
});

it('RL29: an address that is not ours is named, with the flag', async () => {
  await expect(startTestRelay({ host: '192.0.2.1' })).rejects.toMatchObject({
    code: 'EADDRNOTAVAIL',
    message: expect.stringMatching(/192\.0\.2\.1.*--host/),
  });
});

it('RL29: refuses owners and public URLs that are none, and takes npub as well as hex', async () => {
  await expect(startTestRelay({ owners: ['npub1nope'] })).rejects.toThrow(/--owner.*npub1/);
  await expect(startTestRelay({ publicUrl: 'https://relay.example' })).rejects.toThrow(/--public-url.*wss:\/\//);
  const relay = await startTestRelay({ owners: [encodeNpub(owner.publicKey)] });
  expect(await connectAs(owner, relay)).toBeDefined();
});

it('RL29: says so when nobody is an owner', async () => {
  const relay = await startTestRelay({ owners: [] });
  expect(relay.log).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringMatching(/--owner/) }),
  );
});

it('RL35: closing tells clients to come back, commits, and waits for nobody long', async () => {
  const relay = await startTestRelay();
  const client = await connectAs(owner, relay);
  const deaf = await connectAs(owner, relay);
  deaf.socket.pause();
  const startedMs = Date.now();
  await Promise.all([relay.close(), relay.close()]);
  expect(Date.now() - startedMs).toBeLessThan(4_000);
  expect(await client.closed).toEqual({ code: 1012, reason: 'the relay is stopping' });
  await expect(fetch(relay.httpUrl)).rejects.toThrow();
});

it('RL22: NIP-11 on any path, with CORS, to who asks for it', async () => {
  const relay = await startTestRelay({ name: 'Ours', limits: { maxFilters: 3 } });
  for (const path of ['/', '/some/where?x=1']) {
    const response = await fetch(relay.httpUrl + path, {
      headers: { accept: 'text/html, Application/Nostr+JSON;q=0.9' },
    });
    expect(response.headers.get('content-type')).toBe('application/nostr+json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({
      name: 'Ours',
      version: '0.1.0',
      supported_nips: expect.arrayContaining([1, 11, 42, 77]),
      limitation: { max_filters: 3, auth_required: true, restricted_writes: true },
    });
  }
  const preflight = await fetch(relay.httpUrl, { method: 'OPTIONS' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toBe('*');
});

it('RL36: tells browsers what this is, answers health checks, and refuses the rest', async () => {
  const relay = await startTestRelay();
  const page = await fetch(relay.httpUrl);
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain(relay.url);
  const health = await fetch(`${relay.httpUrl}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  expect((await fetch(`${relay.httpUrl}/nothing`)).status).toBe(404);
  expect((await fetch(relay.httpUrl, { method: 'POST', body: 'x' })).status).toBe(405);
  const head = await fetch(relay.httpUrl, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

it('RL36: leaves pages to a UI that is handed in, and keeps its own', async () => {
  const relay = await startTestRelay({
    ui: (request, response) => {
      response.end(`ui ${request.url}`);
    },
  });
  expect(await (await fetch(`${relay.httpUrl}/a?b`)).text()).toBe('ui /a?b');
  expect((await fetch(`${relay.httpUrl}/healthz`)).headers.get('content-type')).toBe('application/json');
  expect(await connectAs(owner, relay)).toBeDefined();
});

it('RL12: behind a proxy the public URL counts beside the names of loopback, and no other', async () => {
  const relay = await startTestRelay({ publicUrl: 'wss://relay.example' });
  expect(relay.url).toBe('wss://relay.example');
  const port = relay.log.find(({ message }) => message === 'relay is listening')?.fields.port;
  const local = `ws://127.0.0.1:${port}`;
  for (const [relayUrl, accepted] of [
    ['wss://relay.example/', true],
    [`ws://localhost:${port}`, true],
    ['wss://other.example', false],
    ['ws://relay.example', false],
  ] as const) {
    const client = new RawClient(local, { host: 'relay.example' });
    expect((await client.authenticate(owner, undefined, relayUrl))[2], relayUrl).toBe(accepted);
  }
  expect(relay.log.filter(({ message }) => message.includes('--public-url'))).toEqual([]);
});

it('RL34: warns once, with the mend, about clients that come under a name the relay does not know', async () => {
  const relay = await startTestRelay();
  const foreign = { host: 'relay.example', 'x-forwarded-proto': 'https' };
  for (const headers of [foreign, foreign, {}]) await new RawClient(relay.url, headers).until('AUTH');
  const warnings = relay.log.filter(({ level }) => level === 'warn');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.message).toContain('--public-url wss://relay.example');
  const { port } = new URL(relay.url);
  const localhost = new RawClient(`ws://localhost:${port}`);
  expect(await localhost.authenticate(owner)).toEqual(['OK', expect.any(String), true, '']);
});
