import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { encodeNpub, eventSigner } from '@heliograph/wire';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../../../fixtures/servers/postgres-server.ts';
import { run, start, startProgram } from './heliograph-process.ts';

const { crypto } = selectNodeCrypto();
const friend = eventSigner(new Uint8Array(32).fill(9), crypto);
const npub = encodeNpub(friend.publicKey);

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.close());

/** A home with a private file that holds the URL of an empty database. */
function newHome(): { home: string; url: string } {
  const home = mkdtempSync(join(tmpdir(), 'heliograph-postgres-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const url = server.database();
  writeFileSync(join(home, 'database.url'), `${url}\n`, { mode: 0o600 });
  return { home, url };
}

it('CL33: a relay keeps its events in the database that a private file or the setting names, and leaves no data folder', async () => {
  const { home, url } = newHome();
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  const relay = start(['relay', '--port', '0', '--postgres', '@database.url'], { home });
  const { url: address = '' } = await relay.ready('relay');
  const http = address.replace(/^ws/, 'http');
  expect(await (await fetch(`${http}/readyz`)).json()).toMatchObject({ ready: true });
  const env = { HELIOGRAPH_POSTGRES: url };
  expect(await run(['relay', 'allow', npub, '--reason', 'a friend'], { home, env })).toMatchObject({ code: 0 });
  expect((await run(['relay', 'list', '--postgres', '@database.url'], { home })).stdout).toBe(
    `allow ${npub} a friend\n`,
  );
  relay.signal('SIGTERM');
  expect(await relay.ended).toEqual({ code: 0 });
  expect((await run(['relay', 'list'], { home })).stderr).toMatch(/no relay in/);
  expect(relay.stderr()).not.toContain('tests%20know');
});

it('CL33: export and import go through the database; backup, restore and compact name what does it there', async () => {
  const { home } = newHome();
  const lines = ['1', '2'].map((content) => friend.sign({ kind: 1, created_at: 5, tags: [], content }).json);
  writeFileSync(join(home, 'in.jsonl'), `${lines.join('\n')}\n{"forged":1}\n`);
  const database = ['--postgres', '@database.url'];
  expect(await run(['relay', 'import', 'in.jsonl', ...database], { home })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^2 stored, .*1 refused \(first: line 3/),
  });
  expect(await run(['relay', 'import', 'in.jsonl', ...database], { home })).toMatchObject({
    stdout: expect.stringMatching(/^0 stored, 2 were there/),
  });
  expect((await run(['relay', 'export', 'out.jsonl', ...database], { home })).code).toBe(0);
  expect(readFileSync(join(home, 'out.jsonl'), 'utf8').trim().split('\n').sort()).toEqual([...lines].sort());
  for (const words of [['backup', 'b.db'], ['restore', 'b.db'], ['compact']]) {
    expect(await run(['relay', ...words, ...database], { home })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--postgres.*pg_dump/),
    });
  }
});

it('CL33: a password on the command line, a file others can read, and what is no such URL are refused with exit 2', async () => {
  const { home, url } = newHome();
  for (const words of [
    ['--postgres', url],
    [`--postgres=${url}`],
    ['--postgres', 'postgres://h/d?password=tests%20know'],
    ['--nats', 'nats://a-token@127.0.0.1:4222'],
  ]) {
    const refused = await run(['relay', ...words], { home });
    expect(refused, words.join(' ')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/process list.*@FILE, or set HELIOGRAPH_(POSTGRES|NATS)/),
    });
    expect(refused.stderr).not.toMatch(/tests%20know|a-token/);
  }
  writeFileSync(join(home, 'open.url'), url, { mode: 0o644 });
  const cases: [string, RegExp][] = [
    ['@open.url', /others can read .*open\.url.*chmod 600/],
    ['@missing.url', /there is no file .*missing\.url/],
    ['mysql://h/d', /--postgres is no URL.*postgres:\/\/user@host\/database/],
    ['postgres://127.0.0.1:1/d', /127\.0\.0\.1:1\/d.*ECONNREFUSED/],
  ];
  for (const [value, message] of cases) {
    const refused = await run(['relay', '--owner', npub, '--postgres', value], { home });
    expect(refused.stderr, value).toMatch(message);
    expect(refused.code, value).toBe(value.startsWith('postgres:') ? 1 : 2);
  }
});

it('CL34: --nats without --postgres is refused with exit 2 and why', async () => {
  const { home } = newHome();
  expect(await run(['relay', '--owner', npub, '--nats', 'nats://127.0.0.1:4222'], { home })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--nats: .*share one database.*--postgres/),
  });
});

it('CL35: a relay without these flags loads neither driver', async () => {
  const { home } = newHome();
  const guard = join(home, 'guard.mjs');
  writeFileSync(
    guard,
    `import { register } from 'node:module';
     register('data:text/javascript,' + encodeURIComponent(\`
       export async function resolve(specifier, context, next) {
         if (/^pg$|^@nats-io|[/]postgres$/.test(specifier)) throw new Error('loaded ' + specifier);
         return next(specifier, context);
       }\`));`,
  );
  const program = `import { startRelay } from '@heliograph/app-relay';
    import { selectNodeCrypto } from '@heliograph/crypto/node';
    const quiet = () => {};
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const options = { host: '127.0.0.1', port: 0, owners: [], crypto: selectNodeCrypto().crypto, log };
    const relay = await startRelay({ ...options, dataDir: process.argv[1] });
    console.log('listening', relay.url);
    await relay.close();
    await startRelay({ ...options, postgres: 'postgres://127.0.0.1:1/none', dataDir: process.argv[1] });`;
  const args = ['--import', 'tsx', '--import', guard, '--input-type=module', '-e', program, join(home, 'data')];
  const running = startProgram(process.execPath, args, { home, cwd: import.meta.dirname });
  const { code } = await running.ended;
  expect(running.stdout()).toMatch(/^listening ws:/);
  expect(running.stderr()).toMatch(/loaded @heliograph\/relay\/postgres/);
  expect(code).toBe(1);
});
