import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entry, run, startProgram } from './heliograph-process.ts';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'heliograph-service-'));
  const invited = await run(['invite', '--relay', 'ws://10.0.0.1:7447', '--name', 'Claude'], { home });
  writeFileSync(join(home, 'claude.invite'), invited.stdout, { mode: 0o600 });
});
afterEach(() => rmSync(home, { recursive: true }));

const units = () => join(home, '.config', 'systemd', 'user');
const unitOf = (name: string) => join(units(), `heliograph-agent-${name}.service`);
const calls = () =>
  existsSync(join(home, 'calls')) ? readFileSync(join(home, 'calls'), 'utf8').trim().split('\n') : [];
const forget = () => rmSync(join(home, 'calls'), { force: true });

/** A user of their own: HOME, and only these programs on PATH. `fails`: what systemctl says to that word. */
function around(programs: readonly string[] = ['systemctl'], fails = 'nothing') {
  const bin = join(home, 'bin');
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
  for (const program of [...programs, 'my-agent']) {
    const file = join(bin, program);
    writeFileSync(
      file,
      `#!/bin/sh\nfor word; do printf '[%s]' "$word" >> '${home}/calls'; done; echo >> '${home}/calls'\ncase "$*" in *${fails}*) echo "no bus here" >&2; exit 1;; esac\n`,
    );
    chmodSync(file, 0o755);
  }
  // The name that says the same as HELIOGRAPH_HOME, so that the config folder is the user's.
  return { home, env: { HOME: home, PATH: bin, XDG_CONFIG_HOME: '' } };
}

const install = ['agent', 'install', '--invite', '@claude.invite', '--permissions', 'reject', '--turn-timeout', '2h'];

test('CL40: install writes a private unit with absolute paths and no secret, and has systemctl enable and start it', async () => {
  const token = readFileSync(join(home, 'claude.invite'), 'utf8').trim();
  const secrets = { ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef0123' };
  const { home: at, env } = around();
  const { code, stdout, stderr } = await run([...install, '--', 'my-agent', '--acp'], {
    home: at,
    env: { ...env, ...secrets },
  });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(statSync(unitOf('my-agent')).mode & 0o777).toBe(0o600);
  const unit = readFileSync(unitOf('my-agent'), 'utf8');
  for (const secret of [token, ...Object.values(secrets)]) expect(unit).not.toContain(secret);
  const words = [
    process.execPath,
    entry,
    'agent',
    `--invite=@${home}/claude.invite`,
    `--cwd=${home}`,
    '--permissions=reject',
    '--idle-timeout=900s',
    '--turn-timeout=7200s',
    '--acp=1',
    '--',
    'my-agent',
    '--acp',
  ];
  expect(unit).toContain(`\nExecStart=${words.map((word) => `"${word}"`).join(' ')}\n`);
  expect(unit).toContain(`\nEnvironment="HELIOGRAPH_HOME=${home}"\n`);
  expect(unit).toContain(`\nEnvironmentFile=-${home}/agents/my-agent.env\n`);
  const name = 'heliograph-agent-my-agent.service';
  expect(calls()).toEqual(['[--user][daemon-reload]', `[--user][enable][${name}]`, `[--user][restart][${name}]`]);
  expect(stdout).toContain(unitOf('my-agent'));
  expect(stdout).toContain('loginctl enable-linger');
});

test('CL41: several are installed by name; uninstall stops one and removes its file, and leaves what is not its own', async () => {
  const world = around();
  for (const name of ['one', 'two']) {
    expect((await run(['agent', 'install', name, ...install.slice(2), '--', 'my-agent'], world)).code).toBe(0);
  }
  writeFileSync(unitOf('foreign'), '[Service]\nExecStart=/bin/true\n');
  forget();
  const which = await run(['agent', 'uninstall'], world);
  expect(which.code).toBe(2);
  expect(which.stderr).toContain('There are: ');
  for (const name of ['one', 'two']) expect(which.stderr).toContain(name);
  const gone = await run(['agent', 'uninstall', 'one'], world);
  expect(gone.stdout).toContain(`removed ${unitOf('one')}`);
  expect([existsSync(unitOf('one')), existsSync(unitOf('two'))]).toEqual([false, true]);
  expect(calls()).toEqual(['[--user][disable][--now][heliograph-agent-one.service]', '[--user][daemon-reload]']);
  for (const words of [
    ['uninstall', 'foreign'],
    ['install', 'foreign', ...install.slice(2), '--', 'my-agent'],
  ]) {
    const refused = await run(['agent', ...words], world);
    expect(refused.stderr).toContain('was not written by Heliograph and is left alone');
    expect(refused.code).toBe(2);
  }
  expect(readFileSync(unitOf('foreign'), 'utf8')).toContain('/bin/true');
  expect((await run(['agent', 'uninstall', 'three'], world)).stderr).toContain('no service is called three');
});

test('CL42: without systemctl, or when it fails, the commands that are left are said', async () => {
  const { home: at, env } = around([]);
  const without = await run([...install, '--', 'my-agent'], { home: at, env });
  expect(without.code).toBe(0);
  expect(without.stdout).toContain('  systemctl --user enable heliograph-agent-my-agent.service\n');
  expect(existsSync(unitOf('my-agent'))).toBe(true);
  const failing = await run([...install, '--', 'my-agent'], around(['systemctl'], 'enable'));
  expect(failing.code).toBe(1);
  expect(failing.stderr).toContain('systemctl --user enable heliograph-agent-my-agent.service failed: no bus here');
  expect(failing.stderr).toContain('  systemctl --user restart heliograph-agent-my-agent.service\n');
});

test('CL43: --dry-run writes nothing and prints the file, of the other system too', async () => {
  const world = around();
  const unit = await run([...install, '--dry-run', '--', 'my-agent'], world);
  expect(unit.stdout).toMatch(/^# Written by `heliograph agent install`[\s\S]*\nExecStart=/);
  const plist = await run([...install, '--dry-run', '--for', 'launchd', '--', 'my-agent'], world);
  expect(plist.stdout).toContain('<string>org.heliograph.agent.my-agent</string>');
  expect(plist.stderr).toContain('Library/LaunchAgents/org.heliograph.agent.my-agent.plist');
  expect([existsSync(units()), calls()]).toEqual([false, []]);
});

test.each<[string, string[], RegExp]>([
  ['an invite from standard input', ['--invite', '-', '--', 'my-agent'], /--invite: .*Expected @FILE/],
  ['an invite that is not there', ['--invite', '@none', '--', 'my-agent'], /--invite: there is no file .*none/],
  ['an agent that is not there', ['--invite', '@claude.invite', '--', 'nope'], /the command nope was not found/],
  [
    'a folder that is none',
    ['--invite', '@claude.invite', '--cwd', 'none', '--', 'my-agent'],
    /--cwd: .*none is not a folder/,
  ],
  ['a name that is none', ['../x', '--invite', '@claude.invite', '--', 'my-agent'], /"\.\.\/x" can't name a service/],
  [
    'a secret in the command',
    ['--invite', '@claude.invite', '--', 'my-agent', '--api-key', 'hunter2hunter2'],
    /looks like a secret/,
  ],
  [
    'another system',
    ['--for', 'launchd', '--invite', '@claude.invite', '--', 'my-agent'],
    /--for: this system has no launchd/,
  ],
])('CL44: %s is refused before anything is written', async (_, words, sentence) => {
  const world = around();
  const input = words.includes('-') ? { input: readFileSync(join(home, 'claude.invite'), 'utf8') } : {};
  const { code, stderr, stdout } = await run(['agent', 'install', ...words], { ...world, ...input });
  expect(stderr).toMatch(sentence);
  expect([code, stdout, existsSync(units()), calls()]).toEqual([2, '', false, []]);
});

test('CL45: what the unit runs is the agent, started from any folder with nothing around it but what the unit names', async () => {
  const { home: at, env } = around();
  const words = [
    'agent',
    'install',
    '--dry-run',
    '--invite',
    '@claude.invite',
    '--name',
    'My $demo 100%',
    '--agent',
    'demo',
  ];
  const unit = (await run(words, { home: at, env })).stdout;
  const exec = /^ExecStart="(.*)"$/m.exec(unit)?.[1]?.replaceAll('$$', '$').replaceAll('%%', '%').split('" "') ?? [];
  const [node = '', ...args] = exec;
  expect(args).toContain('--name=My $demo 100%');
  const variables = [...unit.matchAll(/^Environment="([A-Z_]+)=(.*)"$/gm)].map(([, name, value]) => [name, value]);
  const running = startProgram(node, args, { home: at, cwd: '/', env: Object.fromEntries(variables) });
  expect(await running.ready('agent')).toMatchObject({ ready: 'agent' });
  running.signal('SIGTERM');
  expect((await running.ended).code).toBe(0);
});
