import { type Crypto, hexEncode, utf8Encode } from '@heliograph/wire';
import { parseObject } from '../json.ts';
import type { MessageItem, ToolItem, Turn } from '../model.ts';
import type { SessionHead } from './session-head.ts';
import { partText } from './shown-item.ts';

/** Tools of Claude Code by ACP tool kind; another keeps its kind as its name. */
const TOOLS: Readonly<Record<string, string>> = {
  read: 'Read',
  edit: 'Edit',
  execute: 'Bash',
  search: 'Grep',
  fetch: 'WebFetch',
};

/** Characters of one tool result at most: a model reads it all again. */
const MAX_RESULT = 100_000;

/**
 * A session as a Claude Code transcript, line by line: prompts, answers, tool calls with their results, in one chain of
 * `parentUuid`. Thoughts are left out (they would need the model's signature). Ids are made from the session's own, so the
 * same session gives the same lines.
 */
export function* claudeCodeLinesOf(head: SessionHead, turns: Iterable<Turn>, crypto: Crypto): Generator<string> {
  const digest = (text: string) => hexEncode(crypto.sha256(utf8Encode(`${head.agent} ${head.channelId} ${text}`)));
  const sessionId = uuidOf(digest('session'));
  let parentUuid: string | null = null;
  let count = 0;
  const line = (type: 'user' | 'assistant', at: string, message: object): string => {
    const uuid = uuidOf(digest(`line ${count++}`));
    const place = { parentUuid, isSidechain: false, userType: 'external', cwd: head.cwd ?? '/', sessionId };
    parentUuid = uuid;
    const timestamp = at.replace(/(\.\d{3})\d+/, '$1');
    return `${JSON.stringify({ ...place, version: '2.0.0', gitBranch: '', type, message, uuid, timestamp })}\n`;
  };
  const assistant = (id: string, content: object, stop: string) => ({
    id: `msg_${digest(id).slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model: head.model ?? 'unknown',
    content: [content],
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  });
  for (const turn of turns) {
    for (const item of turn.items) {
      const key = `${turn.id} ${item.id}`;
      if (item.kind === 'user') yield line('user', item.at, { role: 'user', content: textOf(item) });
      if (item.kind === 'agent' && textOf(item).trim() !== '') {
        yield line('assistant', item.at, assistant(key, { type: 'text', text: textOf(item) }, 'end_turn'));
      }
      if (item.kind !== 'tool') continue;
      const id = `toolu_${digest(key).slice(0, 24)}`;
      const use = { type: 'tool_use', id, name: toolName(item), input: inputOf(item) };
      yield line('assistant', item.at, assistant(key, use, 'tool_use'));
      // Every call needs a result, or the conversation can't go on.
      const failed = item.status !== 'completed';
      const result = { type: 'tool_result', tool_use_id: id, content: resultOf(item), is_error: failed };
      yield line('user', item.endedAt ?? item.updatedAt, { role: 'user', content: [result] });
    }
  }
}

function textOf(item: MessageItem): string {
  return item.parts.map(partText).join('');
}

function toolName({ toolKind }: ToolItem): string {
  const known = Object.hasOwn(TOOLS, toolKind) ? TOOLS[toolKind] : undefined;
  return known ?? (toolKind.replace(/[^\w-]/g, '_').slice(0, 64) || 'tool');
}

function inputOf(item: ToolItem): object {
  return (item.rawInput === undefined ? undefined : parseObject(item.rawInput)) ?? { title: item.title };
}

/** What the tool gave back, as the agent's client saw it. */
export function resultOf(item: ToolItem): string {
  const shown = item.content.flatMap((content) => (content.type === 'content' ? [partText(content.part)] : []));
  const texts = [item.terminal?.output ?? '', ...shown].filter((text) => text !== '');
  const text = texts.length > 0 ? texts.join('\n') : (item.rawOutput ?? item.status);
  return text.length > MAX_RESULT
    ? `${text.slice(0, MAX_RESULT)}\n… ${text.length - MAX_RESULT} more characters`
    : text;
}

/** The session's id in the transcript, which is also its file's name. */
export function claudeCodeSessionId(head: SessionHead, crypto: Crypto): string {
  return uuidOf(hexEncode(crypto.sha256(utf8Encode(`${head.agent} ${head.channelId} session`))));
}

/** A UUID of version 8 (RFC 9562): its bits are ours. */
function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
