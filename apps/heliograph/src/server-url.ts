import { badUsage, Failure } from './failure.ts';
import { openMode, privateCommand, readNamedFile } from './secret-input.ts';

/** A server this program uses, by the flag that names it. */
const SERVERS = {
  '--postgres': { schemes: ['postgres:', 'postgresql:'], example: 'postgres://user@host/database' },
  '--nats': { schemes: ['nats:', 'tls:'], example: 'nats://host:4222' },
} as const;

/**
 * The URL that a flag or its setting gives, itself or as @FILE: it may hold a password, so a file must be private. Throws
 * a Failure that never repeats the URL.
 */
export function readServerUrl(value: string, flag: keyof typeof SERVERS, path: (text: string) => string): string {
  const { schemes, example } = SERVERS[flag];
  const url = (value.startsWith('@') ? readPrivate(path(value.slice(1)), flag, example) : value).trim();
  const isUrl = URL.canParse(url) && schemes.some((scheme) => scheme === new URL(url).protocol);
  if (!isUrl)
    throw badUsage(`${flag} is no URL of such a server. Expected one like ${example}, or @FILE with one in it.`);
  return url;
}

function readPrivate(file: string, flag: string, example: string): string {
  const text = readNamedFile(file, flag, `a file with a URL like ${example}`);
  const mode = openMode(file);
  if (mode === undefined) return text;
  throw new Failure(
    2,
    `${flag}: others can read ${file} (mode ${mode}), and it may hold a password: ${privateCommand(file)}`,
  );
}

/** Whether a word of the command line is a server's URL with a password or token in it. */
export function isUrlWithSecret(word: string): boolean {
  if (/^(postgres|postgresql):\/\//i.test(word)) {
    return /^\w+:\/\/[^/?#]*:[^/?#]*@/.test(word) || /[?&](ssl)?password=/i.test(word);
  }
  // NATS reads a user without a password as a token.
  return /^(nats|tls):\/\/[^/?#]*@/i.test(word);
}
