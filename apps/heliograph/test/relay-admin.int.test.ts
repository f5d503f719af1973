import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { encodeNpub, eventSigner } from '@heliograph/wire';
import { expect, it, onTestFinished } from 'vitest';
import { start } from './heliograph-process.ts';

const { crypto } = selectNodeCrypto();
const friend = eventSigner(new Uint8Array(32).fill(9), crypto);
const npub = encodeNpub(friend.publicKey);

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'heliograph-admin-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function run(home: string, words: readonly string[], input?: string) {
  const running = start(words, { home, ...(input === undefined ? {} : { input }) });
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** A home with an owner's key and a relay that runs. */
async function startRelayAt(home: string, ...flags: string[]) {
  await run(home, ['keys', 'new', '--out', 'owner.key']);
  const relay = start(['relay', '--port', '0', ...flags], { home });
  const { url = '' } = await relay.ready('relay');
  return { relay, url };
}

it('RL46, RL61, RL123: keys are decided on and doctor finds all well while the relay runs, with a verify worker', async () => {
  const home = newHome();
  expect(await run(home, ['relay', 'list'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no relay in .*--data/),
  });
  const { relay, url } = await startRelayAt(home, '--verify-workers', '1');
  await relay.says(/"verifyWorkers":\s*1/);
  expect(await run(home, ['relay', 'allow', npub, '--reason', 'a friend'])).toMatchObject({
    code: 0,
    stdout: `${npub} is allowed\n`,
  });
  expect((await run(home, ['relay', 'list'])).stdout).toBe(`allow ${npub} a friend\n`);
  expect((await run(home, ['relay', 'deny', friend.publicKey])).code).toBe(0);
  expect((await run(home, ['relay', 'list'])).stdout).toBe(`deny  ${npub}\n`);
  expect((await run(home, ['relay', 'forget', npub])).stdout).toMatch(/no more/);
  expect((await run(home, ['relay', 'list', '--data', join(home, 'relay')])).stdout).toBe('');
  expect((await run(home, ['relay', 'allow', 'nobody'])).code).toBe(2);

  const well = await run(home, ['doctor', url]);
  expect(well.stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
  for (const check of ['name', 'HTTP', 'WebSocket', 'AUTH', 'echo', 'NIP-11', 'limits', 'readiness']) {
    expect(well.stdout).toMatch(new RegExp(`^ok   ${check}: `, 'm'));
  }
  expect(well.code).toBe(0);
  relay.signal('SIGTERM');
  await relay.ended;
  const ill = await run(home, ['doctor', url]);
  expect(ill).toMatchObject({ code: 1, stdout: expect.stringMatching(/^FAIL HTTP: .*nothing listens there/m) });
});

it('RL61: doctor names the public URL that is missing, and a key that is not admitted', async () => {
  const home = newHome();
  const { relay, url } = await startRelayAt(home, '--host', '0.0.0.0', '--public-url', 'wss://relay.example.org');
  expect(url).toBe('wss://relay.example.org');
  const { port = '' } = /"port":\s*(?<port>\d+)/.exec(relay.stderr())?.groups ?? {};
  const strange = await run(home, ['doctor', `ws://127.0.0.2:${port}`]);
  expect(strange.stdout).toMatch(/^FAIL AUTH: the relay knows itself as wss:.*--public-url ws:\/\/127\.0\.0\.2/m);
  await run(home, ['keys', 'new', '--out', 'other.key']);
  const foreign = await run(home, ['doctor', `ws://127.0.0.1:${port}`, '--owner-key', 'other.key']);
  expect(foreign.stdout).toMatch(/^FAIL AUTH: restricted: npub1.* is not admitted/m);
});

it('RL157: doctor says of a certificate that nobody known signed how it is to be trusted, and that is so', async () => {
  const home = newHome();
  const made = (end: string) => join(import.meta.dirname, `../../../fixtures/servers/self-made.${end}`);
  const server = createServer({ key: readFileSync(made('key')), cert: readFileSync(made('pem')) }, (_, response) =>
    response.end(),
  );
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `wss://localhost:${(server.address() as AddressInfo).port}`;
  const ask = async (env: Record<string, string>) => {
    const asked = start(['doctor', url], { home, env });
    await asked.ended;
    return asked.stdout();
  };
  expect(await ask({})).toMatch(/^FAIL TLS and HTTP: self-signed certificate: .*NODE_EXTRA_CA_CERTS=FILE/m);
  expect(await ask({ NODE_EXTRA_CA_CERTS: made('pem') })).not.toMatch(/certificate/);
});

it('RL51, RL52, RL53: backup and export while it runs, restore, import and compact when it does not', async () => {
  const home = newHome();
  const first = await startRelayAt(home);
  expect(await run(home, ['relay', 'import', '-'], '')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/in use/),
  });
  expect(await run(home, ['relay', 'compact'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/in use/) });
  first.relay.signal('SIGTERM');
  await first.relay.ended;

  const note = (content: string, kind = 1) => friend.sign({ kind, created_at: 1_700_000_000, tags: [], content }).json;
  const [one, two] = [note('one'), note('two')];
  const lines = [one, two, one, '', '{"no":"event"}', note('live', 20_001), note('x').replace('"x"', '"y"')];
  const imported = await run(home, ['relay', 'import', '-'], lines.join('\n'));
  expect(imported.code).toBe(1);
  expect(imported.stdout).toMatch(/^2 stored, 1 were there, .* 3 refused \(first: line 5, /);

  const second = await startRelayAt(home);
  const copy = join(home, 'copy.db');
  expect((await run(home, ['relay', 'backup', 'copy.db'])).stdout).toContain(copy);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(await run(home, ['relay', 'backup', 'copy.db'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/exists/),
  });
  expect((await run(home, ['relay', 'export', '-'])).stdout).toBe(`${one}
${two}
`);
  second.relay.signal('SIGTERM');
  await second.relay.ended;

  await run(home, ['relay', 'import', '-'], note('three'));
  expect((await run(home, ['relay', 'export', 'all.jsonl'])).code).toBe(0);
  expect(readFileSync(join(home, 'all.jsonl'), 'utf8').trim().split('\n')).toHaveLength(3);
  expect((await run(home, ['relay', 'export', 'all.jsonl'])).code).toBe(2);
  expect((await run(home, ['relay', 'restore', 'copy.db'])).stdout).toMatch(/kept as .*relay-before-restore-/);
  expect((await run(home, ['relay', 'export', '-'])).stdout.trim().split('\n')).toHaveLength(2);
  writeFileSync(join(home, 'broken.db'), 'x'.repeat(9_000));
  expect(await run(home, ['relay', 'restore', 'broken.db'])).toMatchObject({ code: 1 });
  expect((await run(home, ['relay', 'export', '-'])).stdout.trim().split('\n')).toHaveLength(2);
  expect((await run(home, ['relay', 'compact'])).stdout).toMatch(/^\d+ bytes became \d+\n$/);
});

it('RL57 RL121: SIGHUP reads the configuration again, and a broken one changes nothing', async () => {
  const home = newHome();
  const config = join(home, 'relay.json');
  writeFileSync(config, JSON.stringify({ owners: [npub], public: ['read:1'], retention: ['1:30d'] }));
  const { relay, url } = await startRelayAt(home, '--config', 'relay.json', '--no-ui');
  const document = async () => {
    const response = await fetch(url.replace(/^ws/, 'http'), { headers: { accept: 'application/nostr+json' } });
    return (await response.json()) as { retention?: unknown; limitation: { auth_required: boolean } };
  };
  expect(await document()).toMatchObject({
    retention: [{ kinds: [1], time: 2_592_000 }],
    limitation: { auth_required: false },
  });
  writeFileSync(config, '{');
  relay.signal('SIGHUP');
  await relay.says(/configuration stays as it was/);
  writeFileSync(config, JSON.stringify({ owners: [npub], public: [] }));
  relay.signal('SIGHUP');
  await expect.poll(async () => (await document()).limitation.auth_required).toBe(true);
  writeFileSync(config, JSON.stringify({ owners: [npub], port: 1, name: 'Never' }));
  relay.signal('SIGHUP');
  await relay.says(/which can't change while the relay runs. Give it as --port/);
  const limits = { eventBurst: 7, maxContentLength: 1_234 };
  writeFileSync(config, JSON.stringify({ limits, publicUrl: 'wss://new.test', name: 'Renamed' }));
  relay.signal('SIGHUP');
  await expect.poll(document).toMatchObject({ name: 'Renamed', limitation: { max_content_length: 1_234 } });
  expect(await (await fetch(url.replace(/^ws/, 'http'))).text()).toContain('wss://new.test');
  writeFileSync(config, JSON.stringify({ owners: [npub], limits: { bursts: 1 } }));
  relay.signal('SIGHUP');
  await relay.says(/there is no \W*bursts/);
  expect(await run(home, ['relay', '--port', '0', '--config', 'relay.json'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^heliograph: .*no "bursts"; there are maxMessageBytes, /),
  });
  writeFileSync(config, JSON.stringify({ owners: [] }));
  relay.signal('SIGHUP');
  await relay.says(/is empty, so nobody could use the relay\. Name at least one npub, or leave it out/);
  writeFileSync(config, JSON.stringify({ owner: [] }));
  const wrong = await run(home, ['relay', '--port', '0', '--config', 'relay.json']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/--config: .*"owner"/) });
  for (const flag of ['--verify-workers=x', '--public=1', '--retention=1', '--trusted-proxy=me']) {
    expect((await run(home, ['relay', '--port', '0', flag])).stderr, flag).toContain(flag.split('=')[0]);
  }
});
