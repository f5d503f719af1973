import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run, start } from './heliograph-process.ts';

const npub = 'npub180cvv07tjdrrgpa0j7j7tmnyl2yr6yr7l8j4s3evf6u64th6gkwsyjh6w6';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'heliograph-first-'));
});
afterEach(() => rmSync(home, { recursive: true }));

test.each([['up'], ['desktop'], ['relay', '--owner', npub], ['invite', '--relay', 'ws://h:1']])(
  'CL20: a home that cannot be made ends %s at once, in a sentence that names the variable',
  async (...words) => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    const homes = process.platform === 'linux' ? [file, '/proc/nope'] : [file];
    for (const own of homes) {
      const { code, stdout, stderr } = await run(words, { home: own, cwd: home });
      expect(stderr).toContain(`heliograph: HELIOGRAPH_HOME: the folder ${own} can't be made: ${own}`);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    }
  },
);

test('CL21: an invite through an address of this machine is made, with a warning', async () => {
  const local = await run(['invite', '--relay', 'ws://127.0.0.1:7447'], { home });
  expect(local.code).toBe(0);
  expect(local.stdout).toMatch(/^helio1/);
  expect(local.stderr).toContain('only agents on this machine can reach it');
  const elsewhere = await run(['invite', '--relay', 'ws://10.0.0.1:7447'], { home });
  expect(elsewhere.stderr).not.toContain('only agents on this machine');
});

test.each<[string[], RegExp]>([
  [['up', 'gemini', '--acp'], /unknown option '--acp'[\s\S]*own command goes after --, like: .* -- gemini --acp/],
  [['up', 'gemini'], /too many arguments[\s\S]*own command goes after --, like: .* -- gemini --acp/],
  [['agent', 'gemini', '--acp'], /own command goes after --, like: heliograph agent … -- gemini --acp/],
  [
    ['desktop', '--owner-key', 'none.key'],
    /--owner-key: there is no file .*none\.key.*`heliograph keys new --out .*none/,
  ],
  [['invite'], /'--relay <URL>' not specified\. Expected one like --relay ws:\/\//],
])('CL22: %j is answered with the words that would have done', async (words, sentence) => {
  const { code, stderr } = await run(words, { home });
  expect(stderr).toMatch(sentence);
  expect(code).toBe(2);
});

test('CL22: an option that is merely wrong gets no hint about agents', async () => {
  const { stderr } = await run(['up', '--colour'], { home });
  expect(stderr).toContain("unknown option '--colour'");
  expect(stderr).not.toContain('after --');
});

test('CL23: the demo agent works in a folder of its own, not in the one the user stands in', async () => {
  const words = ['agent', '--owner', npub, '--relay', 'ws://127.0.0.1:1', '--agent', 'demo'];
  const cwd = mkdtempSync(join(home, 'stands-'));
  const running = start(words, { home, cwd });
  await running.ready('agent');
  expect(existsSync(join(home, 'state', 'demo-scratch'))).toBe(true);
  running.signal('SIGTERM');
  await running.ended;
  expect(readdirSync(cwd)).toEqual([]);
});
