import { badUsage } from './failure.ts';
import { isUrlWithSecret } from './server-url.ts';
import { type Env, envName } from './settings.ts';

const secretShape = /(nsec1|ncryptsec1|helio1)[a-z0-9]{16,}/i;
const hexKey = /^[0-9a-f]{64}$/i;

/** Flags and settings that name a file with a secret in it: 64 hex characters there are a key, not a path. */
const secretFiles = ['--key', '--owner-key', '--out', '--invite', '--auth-tag'];

/**
 * Refuses secrets that stand on the command line or in a setting, where every user of the machine and the shell's
 * history can read them. The message never repeats the secret.
 */
export function refuseLiteralSecrets(args: readonly string[], env: Env): void {
  for (const [index, arg] of args.entries()) {
    const [flag = '', value] = arg.startsWith('--') ? splitOnce(arg, '=') : [previousFlag(args, index), arg];
    if (value !== undefined && (isSecret(flag, value) || isUrlWithSecret(value))) throw secretOnCommandLine(flag);
  }
  for (const [name, value = ''] of Object.entries(env)) {
    const flag = secretFiles.find((file) => envName(file) === name) ?? '';
    if (name.startsWith('HELIOGRAPH_') && isSecret(flag, value)) {
      throw badUsage(
        `${name} holds a literal secret, which other programs can read. ${insteadOf(flag)} If it was real, treat it as leaked.`,
      );
    }
  }
}

function isSecret(flag: string, value: string): boolean {
  return secretShape.test(value) || (hexKey.test(value) && (secretFiles.includes(flag) || flag === 'show'));
}

function secretOnCommandLine(flag: string) {
  const where = flag.startsWith('--') ? `${flag} was given` : 'the command line holds';
  return badUsage(
    `${where} a literal secret, which every user of this machine can see in the process list and which stays in the shell's history. ${insteadOf(flag)} If it was real, treat it as leaked.`,
  );
}

function insteadOf(flag: string): string {
  if (flag === '--invite') return 'Put the token in a file and give --invite @FILE, or give --invite - and paste it.';
  if (flag === '--postgres' || flag === '--nats') {
    return `Put the URL in a file that only you can read and give ${flag} @FILE, or set ${envName(flag)}.`;
  }
  if (flag === '--auth-tag') return 'Put the tag in a file and give --auth-tag @FILE.';
  return 'Put the secret in a file that only you can read and give the path of that file.';
}

function previousFlag(args: readonly string[], index: number): string {
  return args[index - 1] ?? '';
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
