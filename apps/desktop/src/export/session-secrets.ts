import type { Item, MessageItem, Turn } from '@heliograph/transcript';
import type { ObserverEvent } from '@heliograph/wire';
import { hiddenSecrets, knownSecrets, placesOfKnown } from './hidden-secrets.ts';
import { inStretches } from './in-stretches.ts';
import { acrossPieces, type Piece } from './joined-pieces.ts';
import { LinePieces } from './line-pieces.ts';
import { mapStrings } from './map-strings.ts';
import { type SavedText, SecretBook } from './secret-book.ts';
import { toldProgress } from './told-progress.ts';

/** Where a secret stands: when, and in what. */
export interface SecretPlace {
  readonly at: string;
  readonly words: string;
}

/** A text that has the shape of a secret, with the places it stands in. */
export interface FoundSecret {
  readonly kind: string;
  /** The text itself; it stays in this page. */
  readonly secret: string;
  /** The first of them; `count` is all. */
  readonly places: readonly SecretPlace[];
  readonly count: number;
}

/** What was looked through, and what it holds of known shapes. It knows shapes only: it is no promise. */
export interface SecretScan {
  readonly turns: readonly Turn[];
  readonly events: readonly ObserverEvent[];
  readonly found: readonly FoundSecret[];
  /** More kinds of secrets than can be listed: those are replaced without being asked about. */
  readonly unlisted: readonly FoundSecret[];
  /** Where each of them stands. */
  readonly book: SecretBook;
}

/** Listed to be decided on one by one. */
const MAX_LISTED = 200;
const MAX_PLACES = 3;
/** How far it is once everything was read, and once what goes over several lines was. */
const READ = 0.6;
const JOINED = 0.75;

/**
 * Looks through all that is shown of a session and all its lines (about `lineCount`): each text as it is saved, however it is
 * coloured or escaped, and what is one text though it was told in pieces, whatever was told between them. Yields how far it is,
 * 0 to 1, after each step.
 */
export function* scanSession(
  turns: readonly Turn[],
  lines: Iterable<ObserverEvent>,
  lineCount: number,
): Generator<number, SecretScan> {
  const book = new SecretBook();
  const events: ObserverEvent[] = [];
  const pieces = new LinePieces();
  const steps = Math.max(1, turns.length + lineCount);
  const progress = (done: number) => Math.min(1, done / steps);
  for (const [at, turn] of turns.entries()) {
    for (const { text, ...where } of textsOf(turn)) {
      const looking = inStretches(text, hiddenSecrets);
      book.addWhole(where, yield* toldProgress(looking, () => progress(at) * READ));
    }
    for (const kind of ['user', 'agent', 'thought'] as const) {
      const joining = acrossPieces(wordsOf(turn, kind));
      const found = yield* toldProgress(joining, () => progress(at) * READ);
      for (const [where, secret] of found) book.add(where, [secret]);
    }
    yield progress(at + 1) * READ;
  }
  for (const event of lines) {
    const looking = inStretches(event.payload, hiddenSecrets);
    book.addWhole(events.length, yield* toldProgress(looking, () => progress(turns.length + events.length) * READ));
    pieces.add(events.length, event);
    events.push(event);
    yield progress(turns.length + events.length) * READ;
  }
  const overLines = yield* toldProgress(pieces.secrets(), (done) => READ + done * (JOINED - READ));
  for (const [where, secret] of overLines) book.add(where, [secret]);
  const known = knownSecrets(book.all());
  if (known !== undefined) {
    const find = (text: string) => placesOfKnown(text, known);
    const from = (done: number) => () => JOINED + progress(done) * (1 - JOINED);
    for (const [at, turn] of turns.entries()) {
      for (const { text, ...where } of textsOf(turn))
        book.addWhole(where, yield* toldProgress(inStretches(text, find), from(at)));
      yield from(at + 1)();
    }
    for (const [at, { payload }] of events.entries()) {
      book.addWhole(at, yield* toldProgress(inStretches(payload, find), from(turns.length + at)));
      yield from(turns.length + at + 1)();
    }
  }
  const all = listSecrets(turns, events, book);
  return { turns, events, found: all.slice(0, MAX_LISTED), unlisted: all.slice(MAX_LISTED), book };
}

/** Every text of a turn's items. */
function textsOf(turn: Turn): readonly (Exclude<SavedText, number> & { readonly text: string })[] {
  const texts: (Exclude<SavedText, number> & { readonly text: string })[] = [];
  for (const item of turn.items) {
    mapStrings(item, (text, path) => {
      texts.push({ item, path, text });
      return text;
    });
  }
  return texts;
}

/** What was said in a turn by one of them, whatever came between. */
function wordsOf(turn: Turn, kind: MessageItem['kind']): readonly Piece<SavedText>[] {
  return turn.items.flatMap((item) =>
    item.kind !== kind
      ? []
      : (item as MessageItem).parts.flatMap((part, at) =>
          part.type === 'text' ? [{ source: { item, path: `/parts/${at}/text` }, text: part.text, start: 0 }] : [],
        ),
  );
}

/** The secrets with their places; of one that is shown the lines it came in are none of their own. */
function listSecrets(
  turns: readonly Turn[],
  events: readonly ObserverEvent[],
  book: SecretBook,
): readonly FoundSecret[] {
  const secrets = new Map<string, FoundSecret>();
  const note = (kind: string, secret: string, place: SecretPlace) => {
    const known = secrets.get(secret) ?? { kind, secret, places: [], count: 0 };
    const places = known.places.length < MAX_PLACES ? [...known.places, place] : known.places;
    secrets.set(secret, { ...known, places, count: known.count + 1 });
  };
  for (const [at, turn] of turns.entries()) {
    for (const item of turn.items) {
      const place = { at: item.at, words: `turn ${at + 1}, ${WORDS[item.kind]}` };
      for (const { kind, secret } of book.inItem(item)) note(kind, secret, place);
    }
  }
  const shown = new Set(secrets.keys());
  for (const [at, { timestamp }] of events.entries()) {
    for (const { kind, secret } of book.inLine(at)) {
      if (!shown.has(secret)) note(kind, secret, { at: timestamp, words: 'a line that is not shown' });
    }
  }
  return [...secrets.values()];
}

const WORDS: Readonly<Record<Item['kind'], string>> = {
  user: 'a prompt',
  agent: 'the agent’s words',
  thought: 'a thought',
  tool: 'a tool call',
  plan: 'a plan',
  permission: 'a permission request',
  elicitation: 'a question',
  notice: 'a notice',
  error: 'an error',
  gap: 'a gap',
  raw: 'an unknown row',
};
