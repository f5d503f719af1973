import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptSecretKey } from '@heliograph/crypto/nip49';
import { nobleCrypto } from '@heliograph/crypto/noble';
import {
  encodeNpub,
  hexEncode,
  parseAuthTag,
  parseInvite,
  parseSecretKey,
  verifyAuthTag,
} from '@heliograph/wire/nostr';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entry, run } from './heliograph-process.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'heliograph-keys-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const agentNpub = encodeNpub('3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d');

function secretIn(path: string): Uint8Array {
  const secret = parseSecretKey(readFileSync(path, 'utf8'));
  if (!secret.ok) throw new Error(secret.error.message);
  return secret.value;
}

test('CL6: keys new writes an nsec only its owner can read, prints the npub, and never replaces a file', async () => {
  const file = join(home, 'owner.key');
  const made = await run(['keys', 'new', '--out', file], { home });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(modeOf(file)).toBe('600');
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^nsec1[a-z0-9]+\n$/);
  const publicKey = hexEncode(nobleCrypto.publicKey(secretIn(file)));
  expect(made.stdout).toBe(`${encodeNpub(publicKey)}\n`);

  const again = await run(['keys', 'new', '--out', file], { home });
  expect(again.code).toBe(2);
  expect(again.stderr).toContain(`--out: ${file} exists already and is not replaced`);
  expect(readFileSync(file, 'utf8')).toBe(text);

  const shown = await run(['keys', 'show', file], { home });
  expect(shown).toMatchObject({ code: 0, stdout: `${encodeNpub(publicKey)}\n${publicKey}\n`, stderr: '' });
});

test('CL6: keys new names the folder that is missing', async () => {
  const result = await run(['keys', 'new', '--out', 'no/owner.key'], { home });
  expect(result.code).toBe(2);
  expect(result.stderr).toContain(`there is no folder ${join(home, 'no')}. Make it first: mkdir -p`);
});

test('CL7: a key file that others can read is refused with the command that mends it', async () => {
  const file = join(home, 'my owner.key');
  await run(['keys', 'new', '--out', file], { home });
  for (const mode of [0o640, 0o604, 0o644]) {
    chmodSync(file, mode);
    const { code, stdout, stderr } = await run(['keys', 'show', file], { home });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(`(mode 0${mode.toString(8)}). Make it yours alone: chmod 600 '${file}'`);
  }
});

test.each([
  ['a file that is not there', (path: string) => path, 'there is no file'],
  ['a folder', (path: string) => mkdirSync(path), 'is not a file'],
  [
    'a file that holds no key',
    (path: string) => writeFileSync(path, 'hello', { mode: 0o600 }),
    'is not a key file: nsec1…',
  ],
])('CL7: %s is refused in a sentence', async (_, make, sentence) => {
  const file = join(home, 'some.key');
  make(file);
  const { code, stderr } = await run(['invite', '--relay', 'ws://h:1', '--owner-key', file], { home });
  expect(code).toBe(2);
  expect(stderr).toContain(`--owner-key: `);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('    at ');
});

test('CL7: an encrypted key file opens with the passphrase in HELIOGRAPH_PASSPHRASE_FILE; without it and a terminal it says so', async () => {
  const secret = nobleCrypto.randomBytes(32);
  const file = join(home, 'owner.key');
  writeFileSync(file, encryptSecretKey(secret, 'right', nobleCrypto, 12), { mode: 0o600 });
  const passphrase = join(home, 'passphrase');
  writeFileSync(passphrase, 'right\n', { mode: 0o600 });
  const shown = await run(['keys', 'show', file], { home, env: { HELIOGRAPH_PASSPHRASE_FILE: passphrase } });
  expect(shown.stdout).toContain(hexEncode(nobleCrypto.publicKey(secret)));

  const unasked = await run(['keys', 'show', file], { home });
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain(
    'is encrypted and there is no terminal to ask for its passphrase. Set HELIOGRAPH_PASSPHRASE_FILE',
  );

  writeFileSync(passphrase, 'wrong\n');
  const wrong = await run(['keys', 'show', file], { home, env: { HELIOGRAPH_PASSPHRASE_FILE: passphrase } });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('the passphrase does not open this key');
});

test('CL7: on a terminal the passphrase is asked for and not shown', async () => {
  const secret = nobleCrypto.randomBytes(32);
  const file = join(home, 'owner.key');
  writeFileSync(file, encryptSecretKey(secret, 'hush', nobleCrypto, 12), { mode: 0o600 });
  const command = `${process.execPath} ${entry} keys show ${file}`;
  // script(1) gives the command a terminal; what is typed comes from its own standard input, slowly enough to be asked first.
  const typed = `until grep -q Passphrase ${home}/screen; do sleep 0.05; done; echo hush`;
  const shell = `(${typed}) | script --quiet --flush --return --command ${JSON.stringify(command)} ${home}/screen`;
  const result = spawnSync('sh', ['-c', shell], { encoding: 'utf8', env: { ...process.env, HELIOGRAPH_HOME: home } });
  const screen = readFileSync(join(home, 'screen'), 'utf8');
  expect(result.status).toBe(0);
  expect(screen).toContain(`Passphrase of ${file} (not shown): `);
  expect(screen).toContain(hexEncode(nobleCrypto.publicKey(secret)));
  expect(screen.replace(/^Script.*$/gm, '')).not.toContain('hush');
});

test('CL8: invite makes the owner key on first use and prints one token that an agent can use', async () => {
  const deep = join(home, 'deep', 'home');
  const made = await run(
    ['invite', '--relay', 'ws://h:7447,wss://r.example', '--name', 'Build box', '--until', '2035-01-01'],
    { home: deep, cwd: home },
  );
  expect(made.code).toBe(0);
  expect(modeOf(join(deep, 'owner.key'))).toBe('600');
  expect(modeOf(deep)).toBe('700');
  expect(made.stderr).toMatch(/made the owner's key npub1/);
  const invite = parseInvite(made.stdout, nobleCrypto);
  if (!invite.ok) throw new Error(invite.error.message);
  const owner = hexEncode(nobleCrypto.publicKey(secretIn(join(deep, 'owner.key'))));
  expect(invite.value).toMatchObject({ relays: ['ws://h:7447', 'wss://r.example'], name: 'Build box', owner });
  expect(invite.value.authTag[2]).toBe(`created_at<${Date.UTC(2035, 0, 1) / 1000}`);
});

test('CL8: a file that standard output is redirected to becomes readable by its owner only', () => {
  const file = join(home, 'agent.invite');
  const out = openSync(file, 'w', 0o644);
  const result = spawnSync(process.execPath, [entry, 'invite', '--relay', 'ws://h:1'], {
    env: { ...process.env, HELIOGRAPH_HOME: home },
    stdio: ['ignore', out, 'pipe'],
  });
  expect(result.status).toBe(0);
  expect(modeOf(file)).toBe('600');
});

test('CL9: attest prints the tag as JSON, signed by the owner for that agent, for a year unless said otherwise', async () => {
  await run(['keys', 'new', '--out', 'owner.key'], { home });
  const made = await run(['attest', '--agent', agentNpub], { home });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const tag = parseAuthTag(JSON.parse(made.stdout));
  if (!tag.ok) throw new Error(tag.error.message);
  const owner = hexEncode(nobleCrypto.publicKey(secretIn(join(home, 'owner.key'))));
  const verified = verifyAuthTag(
    tag.value,
    '3bf0c63fcb93463407af97a5e5ee64fa883d107ef9e558472c4eb9aaaefa459d',
    nobleCrypto,
  );
  expect(verified.ok && verified.value.owner).toBe(owner);
  const [, end] = /^created_at<(\d+)$/.exec(tag.value[2]) ?? [];
  expect(Number(end) / 86_400 - Date.now() / 86_400_000).toBeCloseTo(365, 0);
});

test('CL9: attest makes no owner key, and the owner can not be an agent', async () => {
  const result = await run(['attest', '--agent', agentNpub], { home });
  expect(result.code).toBe(2);
  expect(result.stderr).toContain('--owner-key: there is no file');
  expect(existsSync(join(home, 'owner.key'))).toBe(false);
  const made = await run(['keys', 'new', '--out', 'owner.key'], { home });
  const self = await run(['attest', '--agent', made.stdout.trim()], { home });
  expect(self.code).toBe(2);
  expect(self.stderr).toContain("is the owner's own key");
});

test('PU17: keys rotate makes a new owner key and invites of it for the agents of the old one, and changes nothing else', async () => {
  const old = 'aa'.repeat(32);
  const [mine, revoked] = ['bb'.repeat(32), 'cc'.repeat(32)];
  const agents = [
    { publicKey: mine, name: 'Build box / 1\u0007' },
    { publicKey: revoked, name: 'gone', revoked: true },
  ];
  const record = { viewerId: 'v', relays: ['wss://relay.example.org'], agents };
  const desktopFile = join(home, 'desktop.json');
  const kept = JSON.stringify({ owners: { [old]: record } });
  writeFileSync(desktopFile, kept, { mode: 0o600 });
  const out = join(home, 'fresh');
  const made = await run(['keys', 'rotate', '--old', encodeNpub(old), '--out', out, '--agent', 'Laptop'], { home });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const [, npub = ''] = /^The new owner key is (npub1\w+), in /.exec(made.stdout) ?? [];
  const owner = hexEncode(nobleCrypto.publicKey(secretIn(join(out, 'owner.key'))));
  expect(npub).toBe(encodeNpub(owner));
  expect(readdirSync(out).sort()).toEqual(['1-build-box-1.invite', '2-laptop.invite', 'owner.key']);
  for (const name of readdirSync(out)) expect(modeOf(join(out, name))).toBe('600');
  const invite = parseInvite(readFileSync(join(out, '1-build-box-1.invite'), 'utf8'), nobleCrypto);
  expect(invite).toMatchObject({ ok: true, value: { owner, name: 'Build box / 1', relays: record.relays } });
  expect(made.stdout).toContain(`heliograph relay --owner ${npub}`);
  expect(made.stdout).not.toMatch(/nsec1|helio1|\p{Cc}(?<!\n)/u);
  expect(readFileSync(desktopFile, 'utf8')).toBe(kept);

  const again = await run(['keys', 'rotate', '--old', encodeNpub(old), '--out', out], { home });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already') });
  const unknown = ['keys', 'rotate', '--old', mine, '--out', join(home, 'other')];
  expect(await run(unknown, { home })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--relay is missing'),
  });
  const many = Array.from({ length: 40 }, (_, at) => [
    '--relay',
    `wss://relay${at}.example.org/${'x'.repeat(200)}`,
  ]).flat();
  expect(await run([...unknown, '--agent', 'one', ...many], { home })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no invite can be made'),
  });
  expect(existsSync(join(home, 'other'))).toBe(false);
});
