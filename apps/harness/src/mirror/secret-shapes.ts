/** Text shapes that are secrets wherever they stand: keys of the big providers, tokens of forges, private keys, Nostr keys. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:nsec1|ncryptsec1|helio1)[a-z0-9]{20,}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bgh[oprsu]_[A-Za-z0-9]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{20,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  // Bounded: a hyphen begins another one, and all of them would be read to the end of the text.
  /\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g,
];
/** The part after the name is the secret. */
const NAMED: readonly RegExp[] = [
  /\b(bearer\s+)[^\s"']{8,}/gi,
  /((?:api[-_]?key|access[-_]?key|auth[-_]?token|token|secret|password|passwd)["']?\s*[=:]\s*["']?)[^\s"'&]{4,}/gi,
  /(:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g,
];
const KEY_BEGIN = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
/** Where a private key ends. */
export const KEY_END = /-----END [A-Z ]*PRIVATE KEY-----/;
const SECRET_OPTION = /^--?(?:[a-z0-9-]*-)?(?:api-?key|access-?key|token|secret|password|passwd)$/i;

/** What stands in place of a secret. */
export const REDACTED = '[redacted]';

/** `text` with everything that has the shape of a secret replaced. It can only know shapes: it is no promise. */
export function hideSecrets(text: string): string {
  let hidden = text;
  for (const shape of SHAPES) hidden = hidden.replace(shape, REDACTED);
  for (const named of NAMED) hidden = hidden.replace(named, `$1${REDACTED}`);
  return hidden;
}

/** Whether a private key begins in the text and does not end in it: it goes on in what follows. */
export function endsInKey(text: string): boolean {
  const [last] = [...text.matchAll(KEY_BEGIN)].slice(-1);
  return last !== undefined && !KEY_END.test(text.slice(last.index));
}

/** Arguments of a command, also where an option's value is an argument of its own (`--api-key X`). */
export function hideSecretArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => (SECRET_OPTION.test(args[index - 1] ?? '') ? REDACTED : hideSecrets(arg)));
}
