import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { attest, encodeInvite, encodeNsec, hexEncode } from '@heliograph/wire/nostr';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { entry, run, startProgram } from './heliograph-process.ts';

const npub = 'npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6';
const ownerSecret = nobleCrypto.randomBytes(32);
const agentSecret = nobleCrypto.randomBytes(32);
const owner = hexEncode(nobleCrypto.publicKey(ownerSecret));
const agent = hexEncode(nobleCrypto.publicKey(agentSecret));

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'heliograph-usage-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function inviteToken(conditions: string): string {
  const authTag = attest(ownerSecret, agent, conditions, nobleCrypto);
  return encodeInvite({ relays: ['ws://127.0.0.1:1'], secretKey: agentSecret, owner, authTag });
}

function writeSecret(name: string, text: string): string {
  writeFileSync(join(home, name), text, { mode: 0o600 });
  return name;
}

test.each<[string[], RegExp]>([
  [[], /^Usage: heliograph/],
  [['bogus'], /unknown command 'bogus'/],
  [['keys'], /Usage: heliograph keys/],
  [['keys', 'new'], /'--out <FILE>' not specified/],
  [['keys', 'show'], /missing required argument 'FILE'/],
  [['relay'], /--owner is missing: expected the npub of at least one owner/],
  [
    ['relay', '--owner', 'alice'],
    /'--owner <NPUB\|HEX>' argument 'alice' is invalid\. Expected a public key: npub1… or 64 hex/,
  ],
  [
    ['relay', '--owner', npub, '--port', '70000'],
    /'--port <PORT>' argument '70000' is invalid\. Expected a port from 0/,
  ],
  [
    ['relay', '--owner', npub, '--public-url', 'http://h'],
    /'--public-url <URL>' argument 'http:\/\/h' is invalid\. Expected the address of a relay, like ws:/,
  ],
  [['relay', '--owner', npub, '--host', '203.0.113.7'], /--host: 203\.0\.113\.7 is not an address of this machine/],
  [['relay', '--owner', npub, '--colour'], /unknown option '--colour'/],
  [['relay', '--owner', npub, '--', 'x'], /--: this command starts no agent/],
  [['invite'], /'--relay <URL>' not specified/],
  [['invite', '--relay', 'h:7447'], /'--relay <URL>' argument 'h:7447' is invalid/],
  [
    ['invite', '--relay', 'ws://h:1', '--until', 'soon'],
    /'--until <DATE>' argument 'soon' is invalid\. Expected a day like/,
  ],
  [['attest'], /'--agent <NPUB\|HEX>' not specified/],
  [['agent'], /--invite is missing: expected --invite @FILE .* or --owner NPUB with --relay URL/],
  [['agent', '--owner', npub], /--relay is missing: expected the address of at least one relay/],
  [['agent', '--invite', 'agent.invite'], /--invite: expected @FILE .* or - \(standard input\)/],
  [['agent', '--invite', '@none'], /--invite: there is no file .*\/none/],
  [['agent', '--invite', '-', '--owner', npub], /--owner: an invite says this already/],
  [
    ['agent', '--owner', npub, '--relay', 'ws://h:1', '--permissions', 'maybe'],
    /'--permissions <WHAT>' argument 'maybe' is invalid\. Allowed choices are ask, allow, reject/,
  ],
  ...['3', ''].map((version): [string[], RegExp] => [
    ['agent', '--owner', npub, '--relay', 'ws://h:1', `--acp=${version}`],
    new RegExp(`'--acp <VERSION>' argument '${version}' is invalid\\. Allowed choices are 1, 2`),
  ]),
  [
    ['agent', '--owner', npub, '--relay', 'ws://h:1', '--turn-timeout', 'soon'],
    /'--turn-timeout <TIME>' argument 'soon' is invalid\. Expected a time like 45s, 15m or 2h/,
  ],
  [
    ['agent', '--owner', npub, '--relay', 'ws://h:1', '--rules', 'none.json', '--', process.execPath],
    /--rules: .*none\.json can't be read\. Expected a JSON file/,
  ],
  [['agent', '--owner', npub, '--relay', 'ws://h:1', '--auth-tag', 'tag'], /--auth-tag: expected @FILE/],
  [
    ['agent', '--owner', npub, '--relay', 'ws://h:1', '--cwd', 'none', '--', process.execPath],
    /--cwd: .*\/none is not a folder/,
  ],
  [
    ['agent', '--owner', npub, '--relay', 'ws://h:1', '--agent', 'goose', '--', 'x'],
    /--agent and -- CMD were both given/,
  ],
  [['up', 'gemini'], /too many arguments for 'up'/],
  [['up', '--'], /--: nothing follows it/],
  [['desktop', '--port', '-1'], /'--port <PORT>' argument '-1' is invalid/],
])('CL1: heliograph %j exits 2 and says what was expected', async (words, sentence) => {
  const { code, stdout, stderr } = await run(words, { home });
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('CL1: help and version go to stdout and exit 0; every flag in the help names its variable', async () => {
  const { version } = JSON.parse(readFileSync(join(dirname(entry), 'package.json'), 'utf8'));
  expect(await run(['--version'], { home })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  const help = await run(['--help'], { home });
  expect(help.code).toBe(0);
  for (const command of ['keys', 'relay', 'invite', 'attest', 'agent', 'desktop', 'up']) {
    expect(help.stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    const own = await run([command, '--help'], { home });
    const flags = (own.stdout.match(/^ {2}--[a-z-]+/gm) ?? [])
      .map((flag) => flag.trim())
      .filter((flag) => flag !== '--help');
    const text = own.stdout.replace(/\s+/g, ' ');
    for (const flag of flags)
      expect(text).toContain(`env: HELIOGRAPH_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`);
  }
});

test('CL3: a setting in the environment counts as its flag does, and is named when it is wrong', async () => {
  const { code, stderr } = await run(['relay'], { home, env: { HELIOGRAPH_OWNER: `${npub},bob` } });
  expect(code).toBe(2);
  expect(stderr).toContain("from env 'HELIOGRAPH_OWNER' is invalid");
});

test('CL4: it runs through a symbolic link, from any folder', async () => {
  const link = join(home, 'heliograph');
  symlinkSync(entry, link);
  const linked = startProgram(link, ['keys', 'new', '--out', 'here.key'], { home });
  expect(await linked.ended).toEqual({ code: 0 });
  const shown = await run(['keys', 'show', 'here.key'], { home });
  expect(shown.stdout.split('\n')[0]).toBe(linked.stdout().trim());
});

describe('CL5: a literal secret on the command line or in a setting exits 2 and is not repeated', () => {
  const nsec = encodeNsec(nobleCrypto.randomBytes(32));
  const token = inviteToken('created_at<4000000000');
  test.each<[string, string[], Record<string, string>]>([
    ['a token for --invite', ['agent', '--invite', token, '--', 'cat'], {}],
    ['an nsec for --owner-key', ['desktop', `--owner-key=${nsec}`], {}],
    ['an nsec to show', ['keys', 'show', nsec], {}],
    ['a token in a setting', ['agent'], { HELIOGRAPH_INVITE: token }],
  ])('CL5: %s', async (_, words, env) => {
    const { code, stdout, stderr } = await run(words, { home, env });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/literal secret.*[Pp]ut/);
    for (const secret of [nsec, token]) expect(stderr).not.toContain(secret.slice(8, 24));
  });
});

describe('CL8: what is no usable invite is refused in a sentence, without repeating it', () => {
  const good = inviteToken('created_at<4000000000');
  test.each<[string, string, RegExp]>([
    ['some other text', 'hello world', /holds no invite: .*Expected the helio1… token that `heliograph invite`/],
    ['a token with a typing error', good.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')), /holds no invite/],
    ['a token that was cut off', good.slice(0, 200), /holds no invite/],
    [
      'an invite that has ended',
      inviteToken('created_at<1700000000'),
      /ended on 2023-11-14T22:13:20Z, and this machine's clock says .*Set the clock if it is off, else ask the owner for a new/,
    ],
  ])('CL8: %s', async (_, text, sentence) => {
    writeSecret('agent.invite', text);
    for (const invite of ['@agent.invite', '-']) {
      const { code, stderr } = await run(['agent', '--invite', invite, '--', 'cat'], { home, input: text });
      expect(code).toBe(2);
      expect(stderr).toMatch(sentence);
      expect(stderr).not.toContain(text.slice(8, 40));
    }
  });
});

test('CL9: an auth tag that is none, for another key or from another owner is refused in a sentence', async () => {
  const words = [
    'agent',
    '--owner',
    owner,
    '--relay',
    'ws://127.0.0.1:1',
    '--key',
    writeSecret('agent.key', encodeNsec(agentSecret)),
    '--auth-tag',
    '@agent.tag',
    '--',
    'cat',
  ];
  const other = nobleCrypto.randomBytes(32);
  const otherAgent = hexEncode(nobleCrypto.publicKey(other));
  const cases: [string, RegExp][] = [
    ['hello', /--auth-tag: .*agent\.tag is no auth tag .*Expected the JSON that `heliograph attest` printed/],
    [
      JSON.stringify(attest(ownerSecret, otherAgent, '', nobleCrypto)),
      /is not for this agent's key npub1.*`heliograph attest --agent npub1/,
    ],
    [JSON.stringify(attest(other, agent, '', nobleCrypto)), /it is signed by npub1.*, not by the owner npub1/],
    [JSON.stringify(attest(ownerSecret, agent, 'created_at<1700000000', nobleCrypto)), /ended on 2023/],
  ];
  for (const [text, sentence] of cases) {
    writeSecret('agent.tag', text);
    const { code, stderr } = await run(words, { home });
    expect(stderr).toMatch(sentence);
    expect(code).toBe(2);
  }
});

describe('CL10: an agent whose program is not there exits 2 and shows the table', () => {
  const identity = ['--owner', npub, '--relay', 'ws://127.0.0.1:1'];
  test.each<[string, string[], RegExp]>([
    [
      'goose, the default',
      ['agent', ...identity],
      /goose is started with `goose acp`, but goose was not found on PATH\. Install it \(https:/,
    ],
    [
      'one of the table',
      ['up', '--agent', 'gemini'],
      /gemini is started with `gemini --acp`.*npm install -g @google\/gemini-cli/,
    ],
    ['a name that is not in the table', ['up', '--agent', 'hal'], /--agent: hal is not a known name/],
    [
      'a command after --',
      ['agent', ...identity, '--', 'no-such-agent', '--acp'],
      /--: the command no-such-agent was not found/,
    ],
  ])('CL10: %s', async (_, words, sentence) => {
    const { code, stdout, stderr } = await run(words, { home, env: { PATH: '/usr/bin:/bin' } });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^ {2}opencode +opencode acp +npm install -g opencode-ai$/m);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

test.each(['relay', 'desktop'])('CL11: a port in use is named with the flag that changes it (%s)', async (command) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String((server.address() as AddressInfo).port);
  const flags = command === 'relay' ? ['--owner', npub] : ['--no-window'];
  const { code, stdout, stderr } = await run([command, '--port', port, ...flags], { home });
  server.close();
  expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use. Choose another with --port, or --port 0`);
  expect(stdout).toBe('');
  expect(code).toBe(1);
});
