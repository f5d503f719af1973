// What a full and a read-only disk do to `heliograph relay`, as processes that may not write: the limit on file sizes
// stands for a full disk, and root without the right to overrule file modes for everybody else.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withAccessStore } from '@heliograph/relay';
import Database from 'better-sqlite3';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { nowSec, owner, RawClient, template, temporaryFolder } from './relay-under-test.ts';

const entry = join(import.meta.dirname, '..', '..', '..', 'heliograph.mjs');
const isRoot = process.getuid?.() === 0;
const uid = `uid ${process.getuid?.()}`;

interface RelayProcess {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** The URL once it listens, or undefined when it ended before. */
  readonly url: Promise<string | undefined>;
  readonly ended: Promise<number | null>;
}

/** `heliograph relay` on this folder, started by `wrapper`, a program that runs another with fewer rights. */
function startRelayProcess(dataDir: string, ...wrapper: string[]): RelayProcess {
  const words = [process.execPath, entry, 'relay', '--port', '0', '--data', dataDir, '--owner', owner.publicKey];
  const [program = '', ...args] = [...wrapper, ...words];
  const child = spawn(program, args, { env: { PATH: process.env.PATH, HELIOGRAPH_HOME: join(dataDir, '..', 'home') } });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let stdout = '';
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const [line, rest] = stdout.split('\n');
      if (line !== undefined && rest !== undefined) resolve((JSON.parse(line) as { url: string }).url);
    });
  });
  return { child, stderr: () => stderr, ended, url: Promise.race([ready, ended.then(() => undefined)]) };
}

async function connectOwner(url: string | undefined): Promise<RawClient> {
  if (url === undefined) throw new Error('the relay did not start');
  const client = new RawClient(url);
  expect((await client.authenticate(owner))[2]).toBe(true);
  return client;
}

const withMaxFile = (bytes: number): string[] => ['prlimit', `--fsize=${bytes}`];
/** A program that obeys file modes: root would write whatever they say. */
const obeyingModes = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

// So that no process of a test, which may not write, is the one that builds.
beforeAll(async () => {
  const building = spawn(process.execPath, [entry, '--version'], { stdio: 'ignore' });
  expect(await once(building, 'close')).toEqual([0, null]);
}, 300_000);

it('RL125: on a full disk an event is refused and said so in the log, with path and uid; what was acknowledged stays', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const relay = startRelayProcess(dataDir, ...withMaxFile(2_000_000));
  const url = await relay.url;
  const client = await connectOwner(url);
  const acknowledged: string[] = [];
  let refusal = '';
  for (let n = 0; refusal === '' && n < 500; n++) {
    const { id, ok, reason } = await client.publish(owner, template({ content: `${n}`.padEnd(5_000, 'x') }));
    if (ok) acknowledged.push(id);
    else refusal = reason;
  }
  expect(refusal).toMatch(/^error: the relay's storage failed; its log says why/);
  expect(acknowledged.length).toBeGreaterThan(10);
  await expect.poll(relay.stderr).toMatch(/events could not be stored/);
  expect(relay.stderr()).toContain(dataDir);
  expect(relay.stderr()).toMatch(new RegExp(`"?uid"?:\\s*${process.getuid?.()}`));
  // It lives on: what is there is read, what is not kept is passed on, and who asks whether it is ready hears why not.
  const ids = (await client.ask('all', { kinds: [1], limit: 1_000 })) as string[];
  expect([...ids].sort()).toEqual([...acknowledged].sort());
  await client.ask('live', { kinds: [20_001], limit: 0 });
  expect((await client.publish(owner, template({ kind: 20_001 }))).ok).toBe(true);
  // Now not even the smallest write fits: another process, which may, took what was left.
  await withAccessStore(dataDir, async (access) => {
    for (let n = 0; n < 100; n++) await access.setSetting('filler', `${n}`);
  });
  const readiness = await fetch(`${url?.replace(/^ws/, 'http')}/readyz`);
  expect(readiness.status).toBe(503);
  const { check, reason } = (await readiness.json()) as { check: string; reason: string };
  expect([check, reason.includes(dataDir), reason.includes(uid)]).toEqual(['storage', true, true]);
  relay.child.kill('SIGTERM');
  expect(await relay.ended).toBe(0);

  const db = new Database(join(dataDir, 'relay.db'), { readonly: true });
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
  const roomy = startRelayProcess(dataDir);
  const again = await connectOwner(await roomy.url);
  expect([...((await again.ask('all', { kinds: [1], limit: 1_000 })) as string[])].sort()).toEqual(ids.sort());
  expect((await again.publish(owner, template({ content: 'room' }))).ok).toBe(true);
}, 120_000);

it('RL125: a disk that is full from the start ends the command with one sentence, and nothing is broken', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const relay = startRelayProcess(dataDir, ...withMaxFile(2_000));
  expect(await relay.ended).not.toBe(0);
  expect(relay.stderr()).toContain(dataDir);
  expect(relay.stderr()).toContain(uid);
  expect(relay.stderr()).not.toMatch(/^\s+at /m);
  const client = await connectOwner(await startRelayProcess(dataDir).url);
  expect((await client.publish(owner, template({ created_at: nowSec() }))).ok).toBe(true);
}, 120_000);

it('RL126: a folder, or a file in it, that may not be written ends the command with path and uid, and is left as it is', async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const first = startRelayProcess(dataDir);
  const client = await connectOwner(await first.url);
  expect((await client.publish(owner, template())).ok).toBe(true);
  first.child.kill('SIGTERM');
  await first.ended;
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  onTestFinished(() => {
    for (const path of [dataDir, empty]) chmodSync(path, 0o700);
  });
  for (const path of [empty, dataDir]) {
    chmodSync(path, 0o500);
    const before = contents(path);
    const relay = startRelayProcess(path, ...obeyingModes);
    expect(await relay.ended).not.toBe(0);
    expect(relay.stderr()).toContain(path);
    expect(relay.stderr()).toContain(uid);
    expect(relay.stderr()).not.toMatch(/^\s+at /m);
    expect(contents(path)).toEqual(before);
  }
  chmodSync(dataDir, 0o700);
  const again = await connectOwner(await startRelayProcess(dataDir, ...obeyingModes).url);
  expect(await again.ask('all', { kinds: [1] })).toHaveLength(1);
}, 120_000);

function contents(path: string): [name: string, size: number, text: string][] {
  if (!existsSync(path)) return [];
  return readdirSync(path).map((name) => {
    const file = join(path, name);
    return [name, statSync(file).size, readFileSync(file, 'latin1')];
  });
}
