import { findSecrets } from '@heliograph/record/secrets';
import type { Item, SeqRange, Turn } from '@heliograph/transcript';
import type { ObserverEvent } from '@heliograph/wire';
import { mapStrings } from './map-strings.ts';

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
  /** The lines of what it was shown in, of the first so many: where its pieces are looked for. */
  readonly refs: readonly SeqRange[];
}

/** What was looked through, and what it holds of known shapes. It knows shapes only: it is no promise. */
export interface SecretScan {
  readonly turns: readonly Turn[];
  readonly events: readonly ObserverEvent[];
  readonly found: readonly FoundSecret[];
  /** More kinds of secrets than can be listed: those are replaced without being asked about. */
  readonly unlisted: readonly FoundSecret[];
}

/** Listed to be decided on one by one. */
const MAX_LISTED = 200;
const MAX_PLACES = 3;
const MAX_REFS = 1_000;

/** Looks through all that is shown of a session and all its lines (about `lineCount`); yields how far it is, 0 to 1, after each step. */
export function* scanSession(
  turns: readonly Turn[],
  lines: Iterable<ObserverEvent>,
  lineCount: number,
): Generator<number, SecretScan> {
  const secrets = new Map<string, FoundSecret>();
  const note = (kind: string, secret: string, place: SecretPlace, refs: readonly SeqRange[]) => {
    const known = secrets.get(secret) ?? { kind, secret, places: [], count: 0, refs: [] };
    secrets.set(secret, {
      ...known,
      places: known.places.length < MAX_PLACES ? [...known.places, place] : known.places,
      count: known.count + 1,
      refs: known.refs.length < MAX_REFS ? [...known.refs, ...refs] : known.refs,
    });
  };
  const events: ObserverEvent[] = [];
  const steps = turns.length + lineCount;
  for (const [at, turn] of turns.entries()) {
    for (const item of turn.items) {
      const place = { at: item.at, words: `turn ${at + 1}, ${WORDS[item.kind]}` };
      mapStrings(item, (text) => {
        for (const { kind, start, end } of findSecrets(text)) note(kind, text.slice(start, end), place, item.refs);
        return text;
      });
    }
    yield (at + 1) / steps;
  }
  // What is shown came in lines, maybe in pieces that look like secrets too: lines count for what is shown nowhere.
  const shown = [...secrets.keys()];
  for (const event of lines) {
    events.push(event);
    const { payload, timestamp } = event;
    const place = { at: timestamp, words: 'a line that is not shown' };
    for (const { kind, start, end } of findSecrets(payload)) {
      const secret = unquote(payload.slice(start, end));
      if (!shown.some((known) => known.includes(secret))) note(kind, secret, place, []);
    }
    yield Math.min(1, (turns.length + events.length) / steps);
  }
  const all = [...secrets.values()];
  return { turns, events, found: all.slice(0, MAX_LISTED), unlisted: all.slice(MAX_LISTED) };
}

/** What stands between the quotes of a JSON string, as the text it is. */
export function unquote(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
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
