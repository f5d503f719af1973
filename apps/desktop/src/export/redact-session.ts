import { redactedMark } from '@heliograph/record/secrets';
import type { Turn } from '@heliograph/transcript';
import type { ObserverEvent } from '@heliograph/wire';
import { hiddenSecrets, knownSecrets, outermost, placesOfKnown } from './hidden-secrets.ts';
import type { PieceSecret } from './joined-pieces.ts';
import { jsonStrings } from './json-strings.ts';
import { mapStrings } from './map-strings.ts';
import type { FoundSecret, SecretScan } from './session-secrets.ts';

type Secrets = readonly Pick<FoundSecret, 'kind' | 'secret'>[];

/** The turns that were looked through, with every one of these secrets replaced by its mark. Pure. */
export function redactTurns({ turns, book }: SecretScan, secrets: Secrets): readonly Turn[] {
  const wanted = textsOf(secrets);
  if (wanted.size === 0) return turns;
  return turns.map((turn) => {
    if (!turn.items.some((item) => book.holds(item))) return turn;
    const items = turn.items.map((item) =>
      book.holds(item) ? mapStrings(item, (text, path) => cutOut(text, book.at({ item, path }), wanted)) : item,
    );
    return { ...turn, items };
  });
}

/**
 * The lines that were looked through, with every one of these secrets replaced: one that came in pieces in each of the lines it was
 * cut over. A line without any keeps its exact text, and so does the rest of one that has some. Pure.
 */
export function redactEvents({ events, book }: SecretScan, secrets: Secrets): readonly ObserverEvent[] {
  const wanted = textsOf(secrets);
  if (wanted.size === 0) return events;
  return events.map((event, at) => {
    const cuts = book.at(at).filter((piece) => isCut(piece, wanted));
    if (cuts.length === 0) return event;
    const payload = cutOut(event.payload, cuts, wanted);
    return { ...event, payload, redacted: [...(event.redacted ?? []), ...pointersOf(event.payload, cuts)] };
  });
}

/** A text with every one of these secrets replaced. Pure. */
export function redactText(text: string, secrets: Secrets): string {
  const known = knownSecrets(secrets.map(({ secret, kind }) => [secret, kind] as const));
  const places = [...hiddenSecrets(text), ...(known === undefined ? [] : placesOfKnown(text, known))];
  const spans = outermost(places).map((place) => ({ ...place, isFirst: true }));
  return cutOut(text, spans, textsOf(secrets));
}

function textsOf(secrets: Secrets): ReadonlySet<string> {
  return new Set(secrets.map(({ secret }) => secret));
}

/** `spans` are in order; what follows the first piece of a secret goes without a mark. */
function cutOut(text: string, spans: readonly PieceSecret[], wanted: ReadonlySet<string>): string {
  let out = '';
  let from = 0;
  for (const span of spans) {
    const { kind, start, end, isFirst } = span;
    if (!isCut(span, wanted) || end <= from) continue;
    out += text.slice(from, Math.max(from, start)) + (isFirst ? redactedMark(kind) : '');
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Of a piece that goes as a whole only one secret is noted: it goes as soon as anything does. */
function isCut({ secret, isWhole }: PieceSecret, wanted: ReadonlySet<string>): boolean {
  return isWhole === true || wanted.has(secret);
}

/** Which values of a line they stand in. */
function pointersOf(payload: string, cuts: readonly PieceSecret[]): readonly string[] {
  const pointers: string[] = [];
  for (const { pointer, start, end } of jsonStrings(payload)) {
    if (cuts.some((cut) => cut.start < end && start < cut.end)) pointers.push(pointer);
  }
  return pointers;
}
