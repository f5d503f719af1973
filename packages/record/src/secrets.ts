import { type Crypto, hexEncode, utf8Encode } from '@heliograph/wire';
import type { Finding } from './record.ts';

/** A place in a text that looks like a secret: UTF-16 offsets, `end` exclusive. */
export interface SecretSpan {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

interface Shape {
  readonly kind: string;
  /** What must be in the text for a look at the pattern to be worth it. */
  readonly hint: RegExp;
  /** With a group `secret`, that group is what is replaced. */
  readonly pattern: RegExp;
}

/**
 * Nothing before it that a longer word would have, but an escape of JSON: the text may be a line, in which a new line is
 * the two characters \n. No pattern takes a quote or a lone backslash in, so what is left is JSON where it was.
 */
const START = String.raw`(?<![A-Za-z0-9_]|(?<!\\)\\)|(?<=\\[nrtbf])`;

function shape(kind: string, hint: RegExp, body: string, flags = ''): Shape {
  return { kind, hint, pattern: new RegExp(`(?:${START})${body}`, `dg${flags}`) };
}

const PEM_NAME = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
const PEM_BODY = String.raw`(?:[A-Za-z0-9+/=:,\- \r\n]|\\+[nr])`;

/** Shapes that are secrets wherever they stand; specific, so that ordinary text is left alone. */
const SHAPES: readonly Shape[] = [
  shape('private-key', /PRIVATE KEY/, `-----BEGIN ${PEM_NAME}(?:${PEM_BODY}*?-----END ${PEM_NAME}|${PEM_BODY}*)`),
  shape('nostr-secret', /sec1/, '(?:nsec1|ncryptsec1)[a-z0-9]{20,}'),
  shape('heliograph-invite', /helio1/, 'helio1[a-z0-9]{40,}'),
  shape('anthropic-key', /sk-ant-/, 'sk-ant-[A-Za-z0-9_-]{16,}'),
  shape('openai-key', /sk-/, 'sk-(?!ant-)[A-Za-z0-9_-]{20,}'),
  shape('stripe-key', /k_live_/, '[sr]k_live_[A-Za-z0-9]{16,}'),
  shape('github-token', /gh[oprsu]_/, 'gh[oprsu]_[A-Za-z0-9]{30,}'),
  shape('github-token', /github_pat_/, 'github_pat_[A-Za-z0-9_]{30,}'),
  shape('gitlab-token', /glpat-/, 'glpat-[A-Za-z0-9_-]{16,}'),
  shape('npm-token', /npm_/, 'npm_[A-Za-z0-9]{30,}'),
  shape('huggingface-token', /hf_/, 'hf_[A-Za-z0-9]{30,}'),
  shape('slack-token', /xox/, 'xox[a-z]-[A-Za-z0-9-]{10,}'),
  shape('aws-key-id', /A(?:KIA|SIA)/, '(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  shape('google-key', /AIza/, 'AIza[A-Za-z0-9_-]{35}'),
  // Behind a hyphen a header of 200 at most: each hyphen begins one, and all of them would be read to the end of the text.
  shape(
    'jwt',
    /eyJ/,
    String.raw`(?:(?<!-)eyJ[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{8,200})\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`,
  ),
  shape('bearer-token', /earer /, '[Bb]earer (?<secret>[A-Za-z0-9._~+/=-]{20,})'),
  shape(
    'connection-string',
    /:\/\//,
    String.raw`[a-z][a-z0-9+.-]{1,20}://[^\s/:@"'\\]{0,100}:(?<secret>[^\s/@"'\\]{3,200})@`,
    'i',
  ),
  {
    kind: 'assigned-secret',
    // Secrets that follow a name have one of these words before them. Letter by letter, since hints share a pattern.
    hint: /[Kk][Ee][Yy]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][Ww]/,
    pattern:
      /(?:api[_-]?key|access[_-]?key|secret[_-]?key|auth[_-]?token|access[_-]?token|client[_-]?secret|password|passwd)(?:\\?["'])?\s{0,3}[=:]\s{0,3}(?:\\?["'])?(?<secret>(?=[^\s"'\\]{0,200}[0-9])(?=[^\s"'\\]{0,200}[A-Za-z])[A-Za-z0-9+/_.~!@#$%^*=-]{10,200})/dgi,
  },
];

/** Hints looked for in one pass: with more alternatives a pattern looks at every character, with fewer it skips most. */
const HINTS_A_PASS = 6;
/** Any hint at all, in a few passes: nearly every text has none. */
const ANY_HINT = Array.from({ length: Math.ceil(SHAPES.length / HINTS_A_PASS) }, (_, pass) => {
  const shapes = SHAPES.slice(pass * HINTS_A_PASS, (pass + 1) * HINTS_A_PASS);
  return new RegExp(shapes.map(({ hint }) => hint.source).join('|'));
});

/** The secrets of known shapes in a text, in order, none within another. It knows shapes only: it is no promise. */
export function findSecrets(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (!ANY_HINT.some((hint) => hint.test(text))) return spans;
  for (const { kind, hint, pattern } of SHAPES) {
    if (!hint.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const at = match.indices?.groups?.secret ?? match.indices?.[0];
      if (at !== undefined) spans.push({ kind, start: at[0], end: at[1] });
    }
  }
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: SecretSpan[] = [];
  for (const span of spans) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}

/** What stands in place of a secret. */
export function redactedMark(kind: string): string {
  return `[redacted:${kind}]`;
}

/** A text without its secrets, and what they were: equal secrets have equal digests under one `salt`. */
export interface Redacted {
  readonly text: string;
  readonly findings: readonly Finding[];
  /** The secrets themselves, for looking for their pieces; never stored. */
  readonly secrets: readonly string[];
}

/** Replaces every known secret by its mark; the very same text where there is none. */
export function redactText(text: string, salt: Uint8Array, crypto: Crypto): Redacted {
  const spans = findSecrets(text);
  if (spans.length === 0) return { text, findings: [], secrets: [] };
  const secrets = spans.map(({ start, end }) => text.slice(start, end));
  const findings = spans.map(({ kind }, at) => ({ kind, digest: digestOf(secrets[at] ?? '', salt, crypto) }));
  let out = '';
  let from = 0;
  for (const { kind, start, end } of spans) {
    out += text.slice(from, start) + redactedMark(kind);
    from = end;
  }
  return { text: out + text.slice(from), findings, secrets };
}

/** The salted hash of a secret, 16 hex digits: enough to tell equal from unequal, too few to be sure of a guess. */
function digestOf(secret: string, salt: Uint8Array, crypto: Crypto): string {
  return hexEncode(crypto.hmacSha256(salt, utf8Encode(secret))).slice(0, 16);
}

/** Pieces shorter than this are not looked for: they tell little and stand everywhere. */
const MIN_PIECE = 4;

/**
 * Replaces the pieces of a secret that was cut over several lines: whatever string of this line (JSON) begins with the
 * secret's end, ends with its beginning, or is a middle of it. The very same text where there is none.
 */
export function redactPieces(line: string, kind: string, secret: string): string {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const mark = redactedMark(kind);
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    const text = quoted.slice(1, -1);
    if (text.length < MIN_PIECE) return quoted;
    if (escaped.includes(text)) return text.length >= 8 || isEdge(text, escaped) ? `"${mark}"` : quoted;
    const end = longestOverlap(text, escaped);
    if (end >= MIN_PIECE) return `"${text.slice(0, -end)}${mark}"`;
    const start = longestOverlap(escaped, text);
    return start >= MIN_PIECE ? `"${mark}${text.slice(start)}"` : quoted;
  });
}

function isEdge(piece: string, whole: string): boolean {
  return whole.startsWith(piece) || whole.endsWith(piece);
}

/** The length of the longest end of `a` that `b` begins with. */
function longestOverlap(a: string, b: string): number {
  for (let length = Math.min(a.length, b.length - 1); length >= MIN_PIECE; length--) {
    if (a.endsWith(b.slice(0, length))) return length;
  }
  return 0;
}
