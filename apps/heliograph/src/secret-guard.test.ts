import { expect, test } from 'vitest';
import { Failure } from './failure.ts';
import { refuseLiteralSecrets } from './secret-guard.ts';
import type { Env } from './settings.ts';

const nsec = `nsec1${'q'.repeat(58)}`;
const token = `helio1${'q'.repeat(300)}`;
const hex = 'ab'.repeat(32);

function refusal(args: string[], env: Env = {}): Failure | undefined {
  try {
    refuseLiteralSecrets(args, env);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

test.each([
  ['a token for --invite', ['agent', '--invite', token], '--invite was given a literal secret'],
  ['a token after =', ['agent', `--invite=${token}`], '--invite was given a literal secret'],
  ['a token after @', ['agent', '--invite', `@${token}`], '--invite was given a literal secret'],
  ['an nsec for --key', ['agent', '--key', nsec], '--key was given a literal secret'],
  ['an nsec in capitals', ['keys', 'show', nsec.toUpperCase()], 'the command line holds a literal secret'],
  ['an encrypted key', ['keys', 'show', `ncryptsec1${'q'.repeat(100)}`], 'the command line holds a literal secret'],
  ['a hex key for a key file', ['invite', '--owner-key', hex], '--owner-key was given a literal secret'],
  ['a hex key to show', ['keys', 'show', hex], 'the command line holds a literal secret'],
])('CL5: %s is refused without being repeated', (_, args, beginning) => {
  const failure = refusal(args);
  expect(failure?.exitCode).toBe(2);
  expect(failure?.message).toContain(beginning);
  expect(failure?.message).not.toMatch(/q{10}|(ab){10}/i);
});

test('CL5: a setting in the environment is refused alike', () => {
  expect(refusal([], { HELIOGRAPH_INVITE: token })?.message).toMatch(
    /^HELIOGRAPH_INVITE holds a literal secret.*--invite @FILE/,
  );
  expect(refusal([], { HELIOGRAPH_KEY: hex })?.exitCode).toBe(2);
  expect(refusal([], { OTHER: nsec })).toBeUndefined();
});

test('CL5: public keys and paths pass', () => {
  expect(
    refusal(['relay', '--owner', hex, '--data', './nsec1', '--public-url', 'wss://helio1.example.org']),
  ).toBeUndefined();
  expect(refusal(['attest', '--agent', `npub1${'q'.repeat(58)}`], { HELIOGRAPH_OWNER: hex })).toBeUndefined();
});
