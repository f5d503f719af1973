import { findSecrets, redactedMark, redactPieces } from '@heliograph/record/secrets';
import type { Turn } from '@heliograph/transcript';
import type { ObserverEvent } from '@heliograph/wire';
import { mapStrings } from './map-strings.ts';
import { type FoundSecret, unquote } from './session-secrets.ts';

/** The turns with every one of these secrets replaced by its mark. Pure. */
export function redactTurns(turns: readonly Turn[], secrets: readonly FoundSecret[]): readonly Turn[] {
  return secrets.length === 0 ? turns : mapStrings(turns, (text) => redactText(text, secrets));
}

/** A text with every one of these secrets replaced. Pure. */
export function redactText(text: string, secrets: readonly FoundSecret[]): string {
  const wanted = new Set(secrets.map(({ secret }) => secret));
  return replaceWhole(text, wanted, (piece) => piece);
}

/**
 * The events with every one of these secrets replaced: whole ones by shape; one that came in pieces (an agent writes word by
 * word) in each of the lines it was cut over. A line without any keeps its exact text. Pure.
 */
export function redactEvents(
  events: readonly ObserverEvent[],
  secrets: readonly FoundSecret[],
): readonly ObserverEvent[] {
  if (secrets.length === 0) return events;
  const wanted = new Set(secrets.map(({ secret }) => secret));
  // Pieces first: the beginning of a secret may look like one itself, and without it the rest would not be found.
  return [...cutChunks(events, secrets)].map((event) => {
    const payload = replaceWhole(event.payload, wanted, unquote);
    return payload === event.payload ? event : { ...event, payload };
  });
}

/** Where chunks of one message carry their text. */
interface Chunk {
  readonly update: { sessionUpdate: string; messageId?: unknown; content: { type: string; text: string } };
  readonly message: object;
}

/** Secrets that several chunks make up together: the first chunk gets the mark, the others lose their part of it. */
function* cutChunks(events: readonly ObserverEvent[], secrets: readonly FoundSecret[]): Generator<ObserverEvent> {
  let run: { event: ObserverEvent; chunk: Chunk }[] = [];
  let name = '';
  for (const event of events) {
    const chunk = chunkOf(event);
    const next =
      chunk === undefined ? '' : `${event.stream} ${chunk.update.sessionUpdate} ${String(chunk.update.messageId)}`;
    if (run.length > 0 && next !== name) {
      yield* endRun(run, secrets);
      run = [];
    }
    name = next;
    if (chunk === undefined) yield inPieces(event, secrets);
    else run.push({ event, chunk });
  }
  yield* endRun(run, secrets);
}

function* endRun(run: readonly { event: ObserverEvent; chunk: Chunk }[], secrets: readonly FoundSecret[]) {
  const text = run.map(({ chunk }) => chunk.update.content.text).join('');
  const spans = secrets.flatMap(({ kind, secret }) =>
    placesOf(text, secret).map((start) => ({ kind, start, end: start + secret.length })),
  );
  let from = 0;
  for (const { event, chunk } of run) {
    const { content } = chunk.update;
    const to = from + content.text.length;
    const here = spans.filter(({ start, end }) => start < to && end > from);
    if (here.length === 0) yield event;
    else {
      let kept = '';
      let at = from;
      for (const { kind, start, end } of here.sort((a, b) => a.start - b.start)) {
        kept += text.slice(at, Math.max(at, start)) + (start >= from ? redactedMark(kind) : '');
        at = Math.max(at, Math.min(end, to));
      }
      content.text = kept + text.slice(at, to);
      yield { ...event, payload: JSON.stringify(chunk.message), redacted: [...(event.redacted ?? []), TEXT_POINTER] };
    }
    from = to;
  }
}

const TEXT_POINTER = '/params/update/content/text';

function chunkOf(event: ObserverEvent): Chunk | undefined {
  if (event.kind !== 'acp_read' || !event.payload.includes('_chunk"')) return undefined;
  try {
    const message = JSON.parse(event.payload) as { params?: { update?: Chunk['update'] } };
    const update = message.params?.update;
    const isText = update?.content?.type === 'text' && typeof update.content.text === 'string';
    return isText && update?.sessionUpdate.endsWith('_chunk') ? { update, message } : undefined;
  } catch {
    return undefined;
  }
}

/** Output of terminals and tools comes in pieces too; they are told by what they have in common with the secret. */
function inPieces(event: ObserverEvent, secrets: readonly FoundSecret[]): ObserverEvent {
  if (event.kind !== 'acp_read') return event;
  let payload = event.payload;
  for (const { kind, secret, refs } of secrets) {
    const isNear = refs.some(
      ({ stream, first, last }) => stream === event.stream && first <= event.seq && event.seq <= last,
    );
    if (isNear && !payload.includes(JSON.stringify(secret).slice(1, -1))) payload = redactPieces(payload, kind, secret);
  }
  return payload === event.payload ? event : { ...event, payload };
}

function placesOf(text: string, secret: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) places.push(at);
  return places;
}

/** `read` says what a found piece is as plain text. */
function replaceWhole(text: string, wanted: ReadonlySet<string>, read: (piece: string) => string): string {
  let out = '';
  let from = 0;
  for (const { kind, start, end } of findSecrets(text)) {
    if (!wanted.has(read(text.slice(start, end)))) continue;
    out += text.slice(from, start) + redactedMark(kind);
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}
