import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createViewer, type Viewer } from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { localSigner, parseSecretKey } from '@heliograph/wire/nostr';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock, systemSocket } from '../src/relay-socket.ts';
import { entry, run, start, startProgram } from './heliograph-process.ts';

const { crypto } = selectNodeCrypto();
const soon = { timeout: 30_000, interval: 50 };
let home: string;
let viewer: Viewer | undefined;
/** Turns whose end a viewer saw. */
const ended = new Set<string>();
beforeEach(() => {
  ended.clear();
  home = mkdtempSync(join(tmpdir(), 'heliograph-archive-'));
});
afterEach(() => {
  viewer?.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const file = () => join(home, 'archive.db');
/** Debian's sqlite3 program, as an auditor has it. */
const sqlite = (sql: string) => execFileSync('sqlite3', ['-readonly', file(), sql], { encoding: 'utf8' }).trim();

test('AR7: nothing is kept until archive on; status says what is kept where; off keeps nothing more', async () => {
  const off = await run(['archive', 'status'], { home });
  expect(off.stdout).toContain('The archive is off: nothing is kept.');
  const refused = await run(['archive', 'run', '--relay', 'ws://127.0.0.1:1'], { home });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('heliograph archive on') });
  expect(existsSync(file())).toBe(false);

  const key = 'ab'.repeat(32);
  const on = await run(['archive', 'on', '--agent', key, '--max-age', '90d', '--max-size', '5GB'], { home });
  expect(on.stdout).toContain(`1 agent is kept in ${file()}`);
  expect(on.stdout).toContain('up to 90 days or 5.00 GB');
  const config = join(home, 'archive.json');
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(config, 'utf8'))).toMatchObject({ on: true, agents: [key], maxBytes: 5e9 });
  expect((await run(['archive', 'on'], { home })).stdout).toContain('all agents');
  expect((await run(['archive', 'off', '--agent', key], { home })).stdout).toContain('but not of 1');
  expect((await run(['archive', 'off'], { home })).stdout).toContain('nothing is kept');
  expect(JSON.parse(readFileSync(config, 'utf8'))).toMatchObject({ on: false });
});

test('AR8, AR29, AR40, AR41, AR88, AR101, AR102, AR132, AR135, AR137: a session is kept by its own process, verified offline, asked with sqlite3, searched, and handed over', async () => {
  const up = start(['up', '--no-window'], { home });
  const [{ url = '' }, agent] = await Promise.all([up.ready('relay'), up.ready('agent')]);
  await run(['archive', 'on'], { home });
  const archive = start(['archive', 'run', '--relay', url, '--port', '0'], { home });
  expect((await archive.ready('archive')).file).toBe(file());
  const second = await run(['archive', 'run', '--relay', url, '--port', '0'], { home });
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('kept by another process already') });

  await prompt(url, agent.agent ?? '', agent.channelId ?? '');
  await vi.waitFor(() => expect(sqlite("SELECT count(*) FROM permissions WHERE decided_by = 'owner'")).toBe('1'), soon);
  await vi.waitFor(() => expect(sqlite("SELECT count(*) FROM turns WHERE outcome = 'completed'")).toBe('1'), soon);
  for (const view of VIEWS) expect(Number(sqlite(`SELECT count(*) FROM ${view}`))).toBeGreaterThanOrEqual(0);
  expect(Number(sqlite("SELECT count(*) FROM search WHERE search MATCH 'demo'"))).toBeGreaterThan(0);

  archive.signal('SIGTERM');
  expect(await archive.ended).toEqual({ code: 0 });
  up.signal('SIGTERM');
  await up.ended;

  const status = await run(['archive', 'status'], { home });
  expect(status.stdout).toMatch(/\nAgent \S.* npub1[a-z0-9]{58}, its key made by the owner\n/);
  expect(status.stdout).not.toContain('no name');
  const verified = await run(['archive', 'verify'], { home });
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('VERIFIED') });
  expect(verified.stdout).toMatch(/Signed events: \d+ kept whole, 0 with id and signature only/);
  expect(verified.stdout).toContain('the owner made its key (an invite)');
  const { stdout: checkpoint } = await run(['archive', 'checkpoint', '--digest', 'stamp.json'], { home });
  expect(checkpoint.trim()).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.parse(readFileSync(join(home, 'stamp.json'), 'utf8'))).toMatchObject({ id: checkpoint.trim() });
  const witnessed = await run(['archive', 'verify', file(), '--checkpoint', checkpoint.trim()], { home });
  expect(witnessed).toMatchObject({ code: 0, stdout: expect.stringContaining('is here, at record') });

  const found = await run(['archive', 'search', '--question', 'no-decision'], { home });
  const who = sqlite("SELECT agent_name || ' (' || substr(agent, 1, 8) || ') on ' FROM sessions");
  expect(found).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`  session 1  ${who} ${hostname()}  [execute`),
  });
  for (const mistyped of [
    ['--since', 'last week'],
    ['--kind', 'execut'],
    ['--session', '99'],
  ]) {
    const refused = await run(['archive', 'search', ...mistyped], { home });
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(mistyped[1] ?? '') });
  }
  const none = await run(['archive', 'search', '--until', '2001-01-01'], { home });
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/nothing found among \d+ session/) });
  const edits = await run(['archive', 'search', '--kind', 'edit', '--decision', 'allow_once', '--json'], { home });
  expect(
    edits.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ toolKind: 'edit', agentName: sqlite('SELECT agent_name FROM sessions'), host: hostname() }]);
  for (const named of [
    sqlite('SELECT agent_name FROM sessions').toUpperCase(),
    sqlite('SELECT substr(agent, 1, 8) FROM sessions'),
  ]) {
    const its = await run(['archive', 'search', '--kind', 'edit', '--agent', named], { home });
    expect(its).toMatchObject({ code: 0, stdout: expect.stringContaining(`  session 1  ${who} `) });
  }
  const nobody = await run(['archive', 'search', '--agent', 'nobody'], { home });
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining(`Expected a public key, or of these`) });

  await handOver(sqlite('SELECT owner FROM about'));
  await askWhereNothingCanBeWritten();

  sqliteWrites("UPDATE command_rows SET command = 'ls'");
  const untrue = await run(['archive', 'verify'], { home });
  expect(untrue).toMatchObject({ code: 1, stdout: expect.stringMatching(/items shows at .* archive rebuild/s) });
  expect(await run(['archive', 'rebuild'], { home })).toMatchObject({ code: 0 });
  expect(await run(['archive', 'verify'], { home })).toMatchObject({ code: 0 });

  const db = new Database(file());
  const content = db.prepare('SELECT content FROM bodies WHERE n = 3').pluck().get() as Buffer;
  content[40] = (content[40] ?? 0) ^ 1;
  db.prepare('UPDATE bodies SET content = ? WHERE n = 3').run(content);
  db.close();
  const broken = await run(['archive', 'verify'], { home });
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/^NOT VERIFIED: .*First: .*record 3 /) });
}, 240_000);

/** A copy in a folder that can't be written, as on a disk handed over read-only. */
async function askWhereNothingCanBeWritten(): Promise<void> {
  const folder = join(home, 'read-only');
  mkdirSync(folder);
  const copy = join(folder, 'copy.db');
  copyFileSync(file(), copy);
  chmodSync(folder, 0o500);
  // Root without the right to overrule file modes for everybody else.
  const wrapper = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
  try {
    for (const words of [
      ['verify', copy],
      ['search', '--file', copy, 'demo'],
    ]) {
      const [program = '', ...args] = [...wrapper, process.execPath, entry, 'archive', ...words];
      const asking = startProgram(program, args, { home });
      expect(await asking.ended).toEqual({ code: 0 });
      expect(asking.stdout()).not.toContain('not compared');
    }
    expect(readdirSync(folder)).toEqual(['copy.db']);
  } finally {
    chmodSync(folder, 0o700);
  }
}

function sqliteWrites(sql: string): void {
  const db = new Database(file());
  db.exec(sql);
  db.close();
}

/** Exports, and proves what came out where nothing of the archive is. */
async function handOver(owner: string): Promise<void> {
  const elsewhere = mkdtempSync(join(tmpdir(), 'heliograph-elsewhere-'));
  const there = { home: elsewhere };
  try {
    for (const more of [[], ['--session', '1'], ['--redacted']]) {
      const out = join(elsewhere, `part${more.join('')}.jsonl`);
      const exported = await run(['archive', 'export', out, ...more], { home });
      expect(exported.stdout).toMatch(
        more.length === 0 ? /and archive import\.$/m : /archive import (takes an|does not take)/,
      );
      const proved = await run(['archive', 'verify', out, '--owner', owner], there);
      expect(proved.stdout).not.toContain('is not told here');
      if (more[0] === '--session')
        expect(proved.stdout).toContain("by the archive's word alone the owner made its key");
      expect(proved).toMatchObject({ code: 0, stdout: expect.stringContaining('VERIFIED') });
    }
    const whole = join(elsewhere, 'part.jsonl');
    expect(await run(['archive', 'export', whole], { home })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there already'),
    });
    const copy = join(elsewhere, 'copy.db');
    expect(await run(['archive', 'import', whole, '--to', copy], there)).toMatchObject({ code: 0 });
    expect(await run(['archive', 'verify', copy, '--owner', owner], there)).toMatchObject({ code: 0 });
    const found = await run(['archive', 'search', '--question', 'no-decision', '--file', copy], there);
    expect(found.stdout).toContain('[execute');
    writeFileSync(whole, readFileSync(whole, 'utf8').replace('"sig":"', '"sig":"0'));
    const refused = await run(['archive', 'verify', whole], there);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/line \d+: kind, tags or sig/) });
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

test('AR9, AR104, AR136: the desktop keeps the archive while it runs once it is on, and runs without it where it cannot', async () => {
  await run(['archive', 'on'], { home });
  const up = start(['up', '--no-window'], { home });
  const [{ url = '' }, agent] = await Promise.all([up.ready('relay'), up.ready('agent')]);
  await up.says(/the archive is on: it keeps what agents send in/);
  await prompt(url, agent.agent ?? '', agent.channelId ?? '');
  await vi.waitFor(() => expect(sqlite("SELECT count(*) FROM turns WHERE outcome = 'completed'")).toBe('1'), soon);
  expect(sqlite('SELECT agent_name FROM sessions')).toMatch(/demo/i);
  const second = start(['desktop', '--no-window', '--port', '0', '--relay', url], { home });
  await second.ready('desktop');
  await second.says(/another process keeps the archive .* this desktop reads it/);
  expect(second.stderr()).not.toMatch(/nothing is kept|Stop that one/);

  await run(['archive', 'off'], { home });
  const kept = sqlite('SELECT count(*) FROM records');
  viewer?.close();
  await prompt(url, agent.agent ?? '', agent.channelId ?? '');
  await vi.waitFor(() => expect(ended.size).toBe(2), soon);
  for (const running of [second, up]) running.signal('SIGTERM');
  expect(await Promise.all([second.ended, up.ended])).toEqual([{ code: 0 }, { code: 0 }]);
  expect(sqlite('SELECT count(*) FROM records')).toBe(kept);
  expect((await run(['archive', 'verify'], { home })).code).toBe(0);
});

const VIEWS = [
  ...['about', 'sessions', 'turns', 'messages', 'tool_calls', 'permissions', 'files_touched', 'commands_run'],
  ...['controls', 'usage', 'gaps', 'redactions'],
];

/** Prompts the demo agent and allows what it asks. */
async function prompt(url: string, agent: string, channelId: string): Promise<void> {
  const secret = parseSecretKey(readFileSync(join(home, 'owner.key'), 'utf8').trim());
  if (!secret.ok) throw new Error('no owner key');
  let live = false;
  viewer = createViewer({
    signer: localSigner(secret.value, crypto),
    relays: [url],
    agents: [{ publicKey: agent, name: 'demo' }],
    viewerId: 'test',
    openSocket: systemSocket,
    clock: systemClock,
    crypto,
    random: Math.random,
    uuid: randomUUID,
    onEvent(event) {
      if (event.type === 'snapshot') live = true;
      if (event.type !== 'events') return;
      for (const { kind, payload, turnId } of event.events) {
        if (kind === 'turn_completed' && turnId !== null) ended.add(turnId);
        if (kind !== 'permission_pending') continue;
        const { requestNonce, requestSha256 } = JSON.parse(payload);
        const draft = { type: 'permission_decision', channelId, requestNonce, requestSha256, optionId: 'allow' };
        viewer?.control(agent, draft as Parameters<Viewer['control']>[1]);
      }
    },
  });
  await vi.waitFor(() => expect(live).toBe(true), soon);
  viewer.control(agent, { type: 'prompt', channelId, content: [{ type: 'text', text: 'show me' }] });
}
