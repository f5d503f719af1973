import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { descendants, isAlive, readyLines, run, start, startProgram } from './heliograph-process.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'heliograph-run-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function makeInvite(relay: string): Promise<string> {
  const { stdout } = await run(['invite', '--relay', relay, '--name', 'tester'], { home });
  writeFileSync(join(home, 'agent.invite'), stdout, { mode: 0o600 });
  return '@agent.invite';
}

/** An agent as a shell script. */
function script(text: string): string[] {
  writeFileSync(join(home, 'agent.sh'), `#!/bin/sh\n${text}\n`);
  chmodSync(join(home, 'agent.sh'), 0o755);
  return ['--', join(home, 'agent.sh')];
}

test('CL15: up prints three ready lines and nothing else on stdout, runs the demo in a scratch folder, and Ctrl-C leaves no process', async () => {
  const up = start(['up', '--no-window'], { home });
  const [relay, desktop, agent] = await Promise.all([up.ready('relay'), up.ready('desktop'), up.ready('agent')]);
  expect(relay.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
  expect(desktop.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#./);
  expect(agent).toMatchObject({ agent: expect.stringMatching(/^[0-9a-f]{64}$/) });
  for (const id of [agent.run, agent.stream, agent.channelId]) expect(id).toMatch(uuid);
  expect(readyLines(up.stdout())).toHaveLength(3);
  expect((await fetch(desktop.url ?? '')).status).toBe(200);
  expect(statSync(join(home, 'owner.key')).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, 'state', 'demo-scratch')).isDirectory()).toBe(true);
  await up.says(/this runs the built-in demo agent/);

  const below = descendants(up.pid);
  expect(below.length).toBeGreaterThan(0);
  up.signal('SIGINT');
  expect(await up.ended).toEqual({ code: 0 });
  expect(below.filter(isAlive)).toEqual([]);
  expect(up.stderr()).not.toMatch(/^ +at /m);
});

test('CL46: a signal to npm start, as a supervisor sends it, ends all it started in order', async () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const npm = startProgram('npm', ['--silent', 'start', '--', '--no-window'], { home, cwd: root });
  await npm.ready('agent');
  const below = descendants(npm.pid);
  npm.signal('SIGTERM');
  await npm.says(/relay has stopped/);
  await expect.poll(() => below.filter(isAlive)).toEqual([]);
});

test('CL12: a second up for the same home exits 1 and names the first; on taken ports up takes free ones and says so', async () => {
  const first = start(['up', '--no-window'], { home });
  await first.ready('agent');
  const second = await run(['up', '--no-window'], { home });
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`is running already (process ${first.pid})`);

  const elsewhere = start(['up', '--no-window'], { home: join(home, 'other'), cwd: home });
  const { url } = await elsewhere.ready('relay');
  await elsewhere.ready('agent');
  expect(url).not.toBe((await first.ready('relay')).url);
  expect(elsewhere.stderr()).toContain('port 7447 is in use by another program: taking a free one');
  for (const running of [first, elsewhere]) running.signal('SIGTERM');
  expect(await Promise.all([first.ended, elsewhere.ended])).toEqual([{ code: 0 }, { code: 0 }]);
});

test('CL10: up names the agents it finds on PATH with the command that starts them', async () => {
  writeFileSync(join(home, 'gemini'), '#!/bin/sh\n', { mode: 0o755 });
  const up = start(['up', '--no-window'], { home, env: { PATH: `${home}:${process.env.PATH}` } });
  await up.says(/up -- gemini --acp/);
  await up.ready('agent');
  up.signal('SIGINT');
  expect(await up.ended).toEqual({ code: 0 });
});

test('CL15: relay and desktop print their ready line with the port they were given by --port 0', async () => {
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  const relay = start(['relay', '--port', '0'], { home });
  const desktop = start(['desktop', '--port', '0', '--no-window', '--relay', 'ws://127.0.0.1:1'], { home });
  const [relayReady, desktopReady] = await Promise.all([relay.ready('relay'), desktop.ready('desktop')]);
  expect(Number(new URL(relayReady.url ?? '').port)).toBeGreaterThan(0);
  expect(Number(new URL(desktopReady.url ?? '').port)).toBeGreaterThan(0);
  expect([relay, desktop].map((running) => readyLines(running.stdout()).length)).toEqual([1, 1]);
  for (const running of [relay, desktop]) running.signal('SIGINT');
  expect(await Promise.all([relay.ended, desktop.ended])).toEqual([{ code: 0 }, { code: 0 }]);
});

test('CL13: the window leads to the page through a private file, shows no token in its arguments, and ends with the rest', async () => {
  const browser = join(home, 'browser');
  writeFileSync(
    browser,
    `#!/bin/sh\necho "$@" > ${home}/arguments.new\nmv ${home}/arguments.new ${home}/arguments\nexec sleep 1000\n`,
    { mode: 0o755 },
  );
  const desktop = start(['desktop', '--port', '0'], { home, env: { CHROMIUM_PATH: browser, DISPLAY: ':0' } });
  const { url = '' } = await desktop.ready('desktop');
  const args = await vi.waitFor(() => readFileSync(join(home, 'arguments'), 'utf8'), { timeout: 30_000 });
  const door = fileURLToPath(/--app=(\S+)/.exec(args)?.[1] ?? '');
  const [, address = '', token = ''] = /replace\("(http[^"#]+)#([^"]+)"/.exec(readFileSync(door, 'utf8')) ?? [];
  expect(url).toContain(address);
  expect(token.length).toBeGreaterThan(40);
  expect(args).not.toContain(token);
  expect(statSync(door).mode & 0o777).toBe(0o600);
  const below = descendants(desktop.pid);
  expect(below.length).toBeGreaterThan(0);
  desktop.signal('SIGINT');
  expect(await desktop.ended).toEqual({ code: 0 });
  expect(desktop.stderr()).not.toContain(token);
  expect(desktop.stderr()).not.toContain(url);
  expect(below.filter(isAlive)).toEqual([]);
  expect(existsSync(door)).toBe(false);
});

test('CL13: without a screen no window is tried and the address is named', async () => {
  const desktop = start(['desktop', '--port', '0'], { home });
  await desktop.says(/no screen here: open the address of the ready line/);
  desktop.signal('SIGTERM');
  expect(await desktop.ended).toEqual({ code: 0 });
});

test('CL16: an agent whose relay is not there says so, keeps trying, and is connected once the relay is', async () => {
  const port = await freePort();
  const invite = await makeInvite(`ws://127.0.0.1:${port}`);
  const agent = start(['agent', '--invite', invite, '--agent', 'demo'], { home });
  await agent.ready('agent');
  await agent.says(new RegExp(`127\\.0\\.0\\.1:${port}`));
  const relay = start(['relay', '--port', String(port)], { home });
  await relay.ready('relay');
  await agent.says(/connected/i);
  for (const running of [agent, relay]) running.signal('SIGINT');
  expect(await Promise.all([agent.ended, relay.ended])).toEqual([{ code: 0 }, { code: 0 }]);
});

test('CL17: a relay that refuses the key says why, and the agent repeats it with the command that mends it', async () => {
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  const [npub = ''] = (await run(['keys', 'show', 'owner.key'], { home })).stdout.split('\n');
  const relay = start(['relay', '--port', '0'], { home });
  const { url = '' } = await relay.ready('relay');
  const agent = start(['agent', '--owner', npub, '--relay', url, '--agent', 'demo'], { home });
  await agent.says(/this agent is npub1[a-z0-9]+\. .*heliograph attest --agent npub1/);
  await agent.says(/restricted.*heliograph attest/);
  expect(statSync(join(home, 'agent.key')).mode & 0o777).toBe(0o600);
  for (const running of [agent, relay]) running.signal('SIGINT');
  expect(await Promise.all([agent.ended, relay.ended])).toEqual([{ code: 0 }, { code: 0 }]);
});

test('CL17: a clock that is minutes off is named, by the agent and by how much', async () => {
  const skew = join(home, 'skew.mjs');
  writeFileSync(skew, 'const now = Date.now; Date.now = () => now() - 400_000;\n');
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  const relay = start(['relay', '--port', '0'], { home });
  const { url = '' } = await relay.ready('relay');
  const invite = await makeInvite(url);
  const agent = start(['agent', '--invite', invite, '--agent', 'demo'], {
    home,
    env: { NODE_OPTIONS: `--import ${skew}` },
  });
  await agent.says(/clock/i);
  for (const running of [agent, relay]) running.signal('SIGINT');
  expect(await Promise.all([agent.ended, relay.ended])).toEqual([{ code: 0 }, { code: 0 }]);
});

test('CL18: an agent that exits at once ends the command with 1, its exit code and its last words', async () => {
  const invite = await makeInvite('ws://127.0.0.1:1');
  const { code, stderr, stdout } = await run(
    ['agent', '--invite', invite, ...script('echo "no API key" >&2; exit 3')],
    { home },
  );
  expect(code).toBe(1);
  expect(stderr).toContain('no API key');
  expect(stderr).toMatch(/exited with code 3 before it answered initialize/);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(readyLines(stdout).length).toBeLessThanOrEqual(1);
});

test('CL18: an agent that writes garbage instead of answering is named as one that does not speak ACP', async () => {
  const invite = await makeInvite('ws://127.0.0.1:1');
  const { code, stderr } = await run(
    ['agent', '--invite', invite, ...script('head -c 3000 /dev/urandom; echo; echo Welcome; exit 0')],
    { home },
  );
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(stderr).toMatch(/exited with code 0 before it answered initialize/);
});

test('HA163: --acp, or its setting, says which version of ACP an agent is offered; one that speaks another is named with the mend', async () => {
  const invite = await makeInvite('ws://127.0.0.1:1');
  const agent = fileURLToPath(new URL('../../../fixtures/agents/speaks-v2.mjs', import.meta.url));
  const offered = async (flags: string[], env: Record<string, string> = {}) => {
    const log = join(home, 'offered');
    rmSync(log, { force: true });
    const words = ['agent', '--invite', invite, ...flags, '--', process.execPath, agent];
    const running = start(words, { home, env: { AGENT_LOG: log, ...env } });
    await running.ready('agent');
    await expect
      .poll(() => existsSync(log) && readFileSync(log, 'utf8').includes('\n'), { timeout: 20_000 })
      .toBe(true);
    running.signal('SIGTERM');
    await running.ended;
    const [first = ''] = readFileSync(log, 'utf8').split('\n');
    return (JSON.parse(first) as { params: { protocolVersion: number } }).params.protocolVersion;
  };
  expect(await offered([])).toBe(1);
  expect(await offered(['--acp', '2'])).toBe(2);
  expect(await offered([], { HELIOGRAPH_ACP: '2' })).toBe(2);
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":7}}';
  const { code, stderr } = await run(
    ['agent', '--invite', invite, '--acp', '2', ...script(`read line; echo '${answer}'; cat`)],
    { home },
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/speaks ACP version 7, this harness was asked to speak 2: update one of them/);
});

test("CL4: under npm the agent works in the user's folder, and npm's and our settings do not reach it", async () => {
  const invite = await makeInvite('ws://127.0.0.1:1');
  const repository = join(import.meta.dirname, '../../..');
  const [, ...command] = script(`pwd > ${home}/where; env > ${home}/env; exit 0`);
  const env = { INIT_CWD: home, npm_package_json: join(repository, 'package.json'), npm_config_x: 'y' };
  const agent = startProgram(
    process.execPath,
    [join(repository, 'heliograph.mjs'), 'agent', '--invite', invite, '--', ...command],
    { home, cwd: repository, env },
  );
  await agent.ended;
  expect(readFileSync(join(home, 'where'), 'utf8')).toBe(`${home}\n`);
  expect(readFileSync(join(home, 'env'), 'utf8')).not.toMatch(/^(HELIOGRAPH_|npm_|INIT_CWD)/m);
});

test('CL19: a second Ctrl-C ends at once, and the agent with it', async () => {
  const invite = await makeInvite('ws://127.0.0.1:1');
  const stubborn = script("trap '' INT TERM; while true; do sleep 1; done");
  const agent = start(['agent', '--invite', invite, ...stubborn], { home });
  await agent.ready('agent');
  const below = descendants(agent.pid);
  expect(below.length).toBeGreaterThan(0);
  agent.signal('SIGINT');
  await agent.says(/once more ends at once/);
  const timer = setInterval(() => agent.signal('SIGINT'), 200);
  await agent.ended;
  clearInterval(timer);
  expect(below.filter(isAlive)).toEqual([]);
});
