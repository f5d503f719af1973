import { readPatch } from './git-patch.ts';
import { asObject, finite, has, type JsonObject, jsonText, list, member, object, text } from './json.ts';
import type { Part, ToolContent } from './model.ts';

/** A content block (ACP v1 content) as a part; a type or shape we do not know is kept as JSON text. */
function readPart(value: unknown): Part {
  if (typeof value === 'string') return { type: 'text', text: value };
  const block = asObject(value);
  return (block && readKnownPart(block)) ?? { type: 'other', json: jsonText(value) };
}

function readKnownPart(block: JsonObject): Part | undefined {
  const mimeType = text(block, 'mimeType');
  const data = text(block, 'data');
  const uri = text(block, 'uri');
  switch (text(block, 'type')) {
    case 'text': {
      const said = text(block, 'text');
      return said === undefined ? undefined : { type: 'text', text: said };
    }
    case 'image':
      return data === undefined
        ? undefined
        : { type: 'image', mimeType: mimeType ?? '', data, ...(uri === undefined ? {} : { uri }) };
    case 'audio':
      return data === undefined ? undefined : { type: 'audio', mimeType: mimeType ?? '', data };
    case 'resource_link':
      return uri === undefined ? undefined : readLink(block, uri, mimeType);
    case 'resource':
      return readResource(object(block, 'resource'));
    default:
      return undefined;
  }
}

function readLink(block: JsonObject, uri: string, mimeType: string | undefined): Part {
  const title = text(block, 'title');
  const size = finite(block, 'size');
  return {
    type: 'link',
    uri,
    name: text(block, 'name') ?? uri,
    ...(title === undefined ? {} : { title }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(size === undefined ? {} : { size }),
  };
}

function readResource(resource: JsonObject | undefined): Part | undefined {
  const uri = text(resource, 'uri');
  if (uri === undefined) return undefined;
  const [mimeType, said, blob] = [text(resource, 'mimeType'), text(resource, 'text'), text(resource, 'blob')];
  return {
    type: 'resource',
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(said === undefined ? {} : { text: said }),
    ...(blob === undefined ? {} : { blob }),
  };
}

/** The parts of a list of content blocks, or of a single one. */
export function readParts(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.map(readPart) : [readPart(value)];
}

/** `parts` with `part` at the end; text joins the text before it, empty text adds nothing. */
export function addPart(parts: readonly Part[], part: Part): readonly Part[] {
  if (part.type !== 'text') return [...parts, part];
  if (part.text === '') return parts;
  const newest = parts.at(-1);
  if (newest?.type !== 'text') return [...parts, part];
  return [...parts.slice(0, -1), { type: 'text', text: newest.text + part.text }];
}

/** Everything the parts say as text. */
export function partsText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Tool call content (ACP v1 and v2); one v2 diff may tell of several files. */
export function readToolContent(value: readonly unknown[]): readonly ToolContent[] {
  return value.flatMap(readContentItem);
}

function readContentItem(value: unknown): readonly ToolContent[] {
  const item = asObject(value);
  const kept: ToolContent = { type: 'other', json: jsonText(value) };
  if (item === undefined) return [kept];
  switch (text(item, 'type')) {
    case 'content':
      return has(item, 'content') ? [{ type: 'content', part: readPart(item.content) }] : [kept];
    case 'diff':
      return readDiff(item) ?? [kept];
    case 'terminal': {
      const terminalId = text(item, 'terminalId');
      return terminalId === undefined ? [kept] : [{ type: 'terminal', terminalId }];
    }
    default: {
      // ACP's own examples show content blocks without the wrapper.
      const part = readKnownPart(item);
      return [part === undefined ? kept : { type: 'content', part }];
    }
  }
}

function readDiff(item: JsonObject): readonly ToolContent[] | undefined {
  const path = text(item, 'path');
  const newText = text(item, 'newText');
  if (path !== undefined && newText !== undefined) {
    return [{ type: 'diff', path, oldText: text(item, 'oldText') ?? null, newText }];
  }
  const patch = object(item, 'patch');
  const changes = list(item, 'changes');
  if (changes === undefined || text(patch, 'format') !== 'git_patch') return undefined;
  return readPatch(text(patch, 'text') ?? '', changes.map((change) => asObject(change)).map(changeOf));
}

function changeOf(change: JsonObject | undefined): { readonly path: string; readonly operation: string } {
  return { path: text(change, 'path') ?? '', operation: text(change, 'operation') ?? '' };
}

/** File places of a tool call; entries without a path are left out. */
export function readLocations(value: unknown): readonly { readonly path: string; readonly line?: number }[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const location = asObject(entry);
    const path = text(location, 'path');
    if (path === undefined) return [];
    const line = finite(location, 'line');
    return [line === undefined ? { path } : { path, line }];
  });
}

/** The `_meta` object of an update. */
export function metaOf(update: JsonObject): JsonObject | undefined {
  return asObject(member(update, '_meta'));
}
