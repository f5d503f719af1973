import { selectHeadline } from './headline.ts';
import type { Item, Part, ToolContent } from './model.ts';

/** JSON longer than this is looked through as it is written, and not also by the strings in it. */
const MAX_DECODED = 1_000_000;
const ESC = '\\u{1b}';
/** What moves and colours a terminal and is no text of it. */
const CONTROL_SEQUENCES = new RegExp(`(?:${ESC}\\[|\\u{9b})[0-9;:<=>?]*[ -/]*[@-~]`, 'gu');

/**
 * Every text an item holds, as a reader may look for it: JSON both as written and by its strings, terminal output without
 * its colours. Pictures and sounds hold none. Made piece by piece: who has found enough need not make the rest.
 */
export function* itemTexts(item: Item): Generator<string> {
  switch (item.kind) {
    case 'user':
    case 'agent':
    case 'thought':
      for (const part of item.parts) yield* partTexts(part);
      return;
    case 'tool':
      yield item.title;
      yield selectHeadline(item).object;
      yield* jsonTexts(item.rawInput);
      for (const content of item.content) yield* contentTexts(content);
      for (const { path } of item.locations) yield path;
      if (item.terminal !== undefined) yield item.terminal.output.replace(CONTROL_SEQUENCES, '');
      yield* jsonTexts(item.rawOutput);
      return;
    case 'permission':
      yield item.title;
      yield* jsonTexts(item.rawInput);
      for (const content of item.content) yield* contentTexts(content);
      for (const { name } of item.options) yield name;
      return;
    case 'elicitation':
      yield item.message;
      if (item.url !== undefined) yield item.url;
      if (item.form !== undefined) yield* jsonTexts(JSON.stringify(item.form.fields));
      yield* jsonTexts(item.decision?.content);
      return;
    case 'plan':
      for (const { content } of item.entries) yield content;
      return;
    case 'notice':
      yield item.text;
      return;
    case 'error':
      for (const text of [item.message, item.hint, item.detail]) if (text !== undefined) yield text;
      return;
    case 'gap':
      yield item.reasons.join(', ');
      return;
    case 'raw':
      yield item.label;
      yield* jsonTexts(item.json);
      return;
  }
}

function* partTexts(part: Part): Generator<string> {
  switch (part.type) {
    case 'text':
      yield part.text;
      return;
    case 'link':
      yield `${part.title ?? ''} ${part.name} ${part.uri}`;
      return;
    case 'resource':
      yield part.uri;
      if (part.text !== undefined) yield part.text;
      return;
    case 'other':
      yield* jsonTexts(part.json);
      return;
    case 'image':
    case 'audio':
      return;
  }
}

function* contentTexts(content: ToolContent): Generator<string> {
  if (content.type === 'content') yield* partTexts(content.part);
  else if (content.type === 'other') yield* jsonTexts(content.json);
  else if (content.type === 'diff') {
    yield content.path;
    yield content.newText;
    if (content.oldText !== null) yield content.oldText;
  }
}

/** The text as written; where it escapes something, its strings too: who looks for a quote finds `\"`. */
function* jsonTexts(json: string | undefined): Generator<string> {
  if (json === undefined) return;
  yield json;
  if (!json.includes('\\') || json.length > MAX_DECODED) return;
  try {
    yield* strings(JSON.parse(json));
  } catch {
    // No JSON: there is nothing in it but what is written.
  }
}

/** Not by recursion: an agent may nest as deep as it likes. */
function* strings(value: unknown): Generator<string> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) left.push(member);
  }
}
