import type { ObserverEvent } from '@heliograph/wire';

const MARK = /\[redacted:[a-z0-9-]+\]/;
/** Places named of one event; of more, the first. */
const MAX_PLACES = 64;

/** An event of a text in which secrets were replaced: marked, where its payload has such a place. The very same event elsewhere. */
export function withRedactedMarks(event: ObserverEvent): ObserverEvent {
  if (!MARK.test(event.payload)) return event;
  return { ...event, redacted: [...(event.redacted ?? []), ...placesOf(event.payload)] };
}

/** JSON pointers of the values that hold a mark; of what is no JSON, or has it in a name, the whole. */
function placesOf(payload: string): readonly string[] {
  const found: string[] = [];
  const open: { readonly at: string; readonly value: unknown }[] = [];
  try {
    open.push({ at: '', value: JSON.parse(payload) });
  } catch {
    return [''];
  }
  for (let next = open.pop(); next !== undefined && found.length < MAX_PLACES; next = open.pop()) {
    const { at, value } = next;
    if (typeof value === 'string' && MARK.test(value)) found.push(at);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, inner] of Object.entries(value).reverse()) {
      open.push({ at: `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, value: inner });
    }
  }
  return found.length === 0 ? [''] : found;
}
