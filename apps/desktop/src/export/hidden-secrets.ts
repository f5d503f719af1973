import { findSecrets } from '@heliograph/record/secrets';
import { placedReadings, readings } from './readable-text.ts';

/** A secret in a text: `start` to `end` is all that makes it up there, colours and escapes too; `secret` is how it reads. */
export interface HiddenSecret {
  readonly kind: string;
  readonly secret: string;
  readonly start: number;
  readonly end: number;
}

/** Secrets that are known from elsewhere, by their text, to be found without what told them there. */
export interface KnownSecrets {
  readonly kinds: ReadonlyMap<string, string>;
  readonly pattern: RegExp;
}

/** Shorter ones stand everywhere by chance. */
const MIN_KNOWN_LENGTH = 8;
/** Each is looked for at every place of every text: twenty thousand would hold this thread up for seconds at a long one. */
const MAX_KNOWN = 1_000;

/** Kinds that are told by what stands before them: elsewhere the same text has no shape. */
const TOLD_BY_CONTEXT = new Set(['bearer-token', 'connection-string', 'assigned-secret']);

/** Those of these that can stand elsewhere without a shape, the first 1,000; undefined where none can. Pure. */
export function knownSecrets(found: Iterable<readonly [secret: string, kind: string]>): KnownSecrets | undefined {
  const kinds = new Map<string, string>();
  for (const [secret, kind] of found) {
    if (kinds.size === MAX_KNOWN) break;
    if (TOLD_BY_CONTEXT.has(kind) && secret.length >= MIN_KNOWN_LENGTH) kinds.set(secret, kind);
  }
  if (kinds.size === 0) return undefined;
  // The longest first: one may begin with another.
  const texts = [...kinds.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(texts.map((text) => text.replace(/[$()*+.?[\\\]^{|}/-]/g, '\\$&')).join('|'), 'g');
  return { kinds, pattern };
}

/** The secrets of known shapes in a text, however it is coloured or escaped, in their order; none within another. Pure. */
export function hiddenSecrets(text: string): readonly HiddenSecret[] {
  return collect(text, findSecrets);
}

/** Where these stand in a text. Pure. */
export function placesOfKnown(text: string, { kinds, pattern }: KnownSecrets): readonly HiddenSecret[] {
  return collect(text, (read) =>
    Array.from(read.matchAll(pattern), ({ index, 0: secret }) => ({
      kind: kinds.get(secret) ?? '',
      start: index,
      end: index + secret.length,
    })),
  );
}

type Found = Pick<HiddenSecret, 'kind' | 'start' | 'end'>;

function collect(text: string, find: (read: string) => readonly Found[]): readonly HiddenSecret[] {
  // Nearly all texts hold none: where their characters came from needs not be known.
  let isAny = false;
  for (const read of readings(text)) isAny ||= find(read).length > 0;
  if (!isAny) return [];
  const all: HiddenSecret[] = [];
  for (const read of placedReadings(text)) {
    for (const { kind, start, end } of find(read.text)) {
      const secret = read.text.slice(start, end);
      all.push({ kind, secret, start: read.startOf(start), end: read.endOf(end - 1) });
    }
  }
  return outermost(all);
}

/** Without those that lie within another; of the same place the one that was read last, which is how people read it. Pure. */
export function outermost<T extends HiddenSecret>(spans: readonly T[]): readonly T[] {
  const sorted = spans
    .map((span, at) => ({ span, at }))
    .sort((a, b) => a.span.start - b.span.start || b.span.end - a.span.end || b.at - a.at);
  const kept: T[] = [];
  let end = -1;
  for (const { span } of sorted) {
    if (span.end <= end) continue;
    kept.push(span);
    end = span.end;
  }
  return kept;
}
