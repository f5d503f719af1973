import type { Action, Turn } from './script.ts';

// The four ways in which coding agents speak to a model, reduced to what a scripted answer needs: where the path is,
// which of the history's items are the user's words and which are the model's, and how a turn is streamed.

/** One server-sent event, or a pause before the next. */
export type Frame = { readonly event?: string; readonly data: unknown } | { readonly pauseMs: number };

/** One item of the conversation so far. `text` is empty for anything that is not typed by the user. */
export interface HistoryItem {
  readonly by: 'user' | 'model' | 'other';
  readonly text: string;
}

export interface Protocol {
  readonly name: 'anthropic-messages' | 'openai-responses' | 'openai-chat' | 'gemini';
  matches(path: string): boolean;
  /** Names of the tools the agent offers. */
  toolNames(body: Body): readonly string[];
  history(body: Body): readonly HistoryItem[];
  frames(turn: Turn, body: Body, id: string): Iterable<Frame>;
  /** The same turn for a request that did not ask for a stream. */
  whole(turn: Turn, body: Body, id: string): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a request body of somebody else's protocol, read field by field
export type Body = any;

const KEEP = 24;
/** Tool arguments arrive in pieces too: agents must cope with half a JSON value. */
const cut = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / KEEP) }, (_, i) => text.slice(i * KEEP, (i + 1) * KEEP));
const argumentsText = (action: Action & { type: 'use' }): string =>
  typeof action.tool.input === 'string' ? action.tool.input : JSON.stringify(action.tool.input);
const joined = (turn: Turn): string => turn.map((a) => (a.type === 'say' ? a.pieces.join('') : '')).join('');
const uses = (turn: Turn) => turn.filter((a) => a.type === 'use');
const pause = (action: Action): Frame[] => (action.type !== 'use' && action.gapMs ? [{ pauseMs: action.gapMs }] : []);

/** Text of a content field that is a string or a list of parts; tool results are not the user's words. */
const contentText = (content: Body): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => (part?.type === 'tool_result' ? '' : (part?.text ?? ''))).join('\n')
      : '';
const roleItem = (role: string, content: Body): HistoryItem =>
  role === 'user'
    ? { by: 'user', text: contentText(content) }
    : role === 'assistant' || role === 'model'
      ? { by: 'model', text: '' }
      : { by: 'other', text: '' };

const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  matches: (path) => path.endsWith('/messages'),
  toolNames: (body) => (body.tools ?? []).map((tool: Body) => tool.name ?? tool.function?.name ?? tool.type),
  history: (body) => (body.messages ?? []).map((m: Body) => roleItem(m.role, m.content)),
  *frames(turn, body, id) {
    const frame = (type: string, fields: object): Frame => ({ event: type, data: { type, ...fields } });
    const usage = { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    yield frame('message_start', {
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: body.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    });
    for (const [index, action] of turn.entries()) {
      const delta = (fields: object) => frame('content_block_delta', { index, delta: fields });
      if (action.type === 'use') {
        yield frame('content_block_start', {
          index,
          content_block: { type: 'tool_use', id: `toolu_${id}_${index}`, name: action.tool.name, input: {} },
        });
        for (const piece of cut(argumentsText(action))) yield delta({ type: 'input_json_delta', partial_json: piece });
      } else {
        const thinking = action.type === 'think';
        yield frame('content_block_start', {
          index,
          content_block: thinking ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' },
        });
        for (const piece of action.pieces) {
          yield delta(thinking ? { type: 'thinking_delta', thinking: piece } : { type: 'text_delta', text: piece });
          yield* pause(action);
        }
        if (thinking) yield delta({ type: 'signature_delta', signature: 'c2NyaXB0' });
      }
      yield frame('content_block_stop', { index });
    }
    yield frame('message_delta', {
      delta: { stop_reason: uses(turn).length ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { ...usage, output_tokens: 20 },
    });
    yield frame('message_stop', {});
  },
  whole: (turn, body, id) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [{ type: 'text', text: joined(turn) }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20 },
  }),
};

const openaiResponses: Protocol = {
  name: 'openai-responses',
  matches: (path) => path.endsWith('/responses'),
  toolNames: (body) => (body.tools ?? []).map((tool: Body) => tool.name ?? tool.function?.name ?? tool.type),
  history: (body) =>
    (body.input ?? []).map(
      (item: Body): HistoryItem =>
        item.role
          ? roleItem(item.role, item.content)
          : { by: /(_call|reasoning)$/.test(item.type ?? '') ? 'model' : 'other', text: '' },
    ),
  *frames(turn, body, id) {
    let sequence_number = 0;
    const frame = (type: string, fields: object): Frame => ({
      event: type,
      data: { type, sequence_number: sequence_number++, ...fields },
    });
    const output: object[] = [];
    const response = (status: string, more: object = {}) => ({
      response: {
        id: `resp_${id}`,
        object: 'response',
        created_at: 1_800_000_000,
        status,
        model: body.model,
        output,
        usage: null,
        ...more,
      },
    });
    yield frame('response.created', response('in_progress'));
    for (const [output_index, action] of turn.entries()) {
      const item_id = `item_${id}_${output_index}`;
      const at = { item_id, output_index };
      const added = (item: object) => frame('response.output_item.added', { output_index, item });
      const done = (item: object) => {
        output.push(item);
        return frame('response.output_item.done', { output_index, item });
      };
      if (action.type === 'use') {
        const text = argumentsText(action);
        const free = typeof action.tool.input === 'string';
        const event = free ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
        const field = free ? 'input' : 'arguments';
        const item = {
          id: item_id,
          type: free ? 'custom_tool_call' : 'function_call',
          call_id: `call_${id}_${output_index}`,
          name: action.tool.name,
        };
        yield added({ ...item, status: 'in_progress', [field]: '' });
        for (const piece of cut(text)) yield frame(`${event}.delta`, { ...at, delta: piece });
        yield frame(`${event}.done`, { ...at, [field]: text });
        yield done({ ...item, status: 'completed', [field]: text });
      } else if (action.type === 'think') {
        const part = { type: 'summary_text', text: action.pieces.join('') };
        const summary = { ...at, summary_index: 0 };
        yield added({ id: item_id, type: 'reasoning', summary: [] });
        yield frame('response.reasoning_summary_part.added', { ...summary, part: { type: 'summary_text', text: '' } });
        for (const delta of action.pieces) {
          yield frame('response.reasoning_summary_text.delta', { ...summary, delta });
          yield* pause(action);
        }
        yield frame('response.reasoning_summary_text.done', { ...summary, text: part.text });
        yield done({ id: item_id, type: 'reasoning', summary: [part], encrypted_content: 'c2NyaXB0' });
      } else {
        const part = { type: 'output_text', text: action.pieces.join(''), annotations: [] };
        const content = { ...at, content_index: 0 };
        const item = { id: item_id, type: 'message', role: 'assistant' };
        yield added({ ...item, status: 'in_progress', content: [] });
        yield frame('response.content_part.added', { ...content, part: { ...part, text: '' } });
        for (const delta of action.pieces) {
          yield frame('response.output_text.delta', { ...content, delta });
          yield* pause(action);
        }
        yield frame('response.output_text.done', { ...content, text: part.text });
        yield frame('response.content_part.done', { ...content, part });
        yield done({ ...item, status: 'completed', content: [part] });
      }
    }
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    };
    yield frame('response.completed', response('completed', { usage }));
  },
  whole: (turn, body, id) => ({
    id: `resp_${id}`,
    object: 'response',
    status: 'completed',
    model: body.model,
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: joined(turn), annotations: [] }] },
    ],
  }),
};

const openaiChat: Protocol = {
  name: 'openai-chat',
  matches: (path) => path.endsWith('/chat/completions'),
  toolNames: (body) => (body.tools ?? []).map((tool: Body) => tool.name ?? tool.function?.name ?? tool.type),
  history: (body) => (body.messages ?? []).map((m: Body) => roleItem(m.role, m.content)),
  *frames(turn, body, id) {
    const chunk = (choices: object[], more: object = {}): Frame => ({
      data: {
        id: `chatcmpl-${id}`,
        object: 'chat.completion.chunk',
        created: 1_800_000_000,
        model: body.model,
        choices,
        ...more,
      },
    });
    const delta = (fields: object, finish_reason: string | null = null) =>
      chunk([{ index: 0, delta: fields, finish_reason }]);
    yield delta({ role: 'assistant', content: '' });
    let index = 0;
    for (const action of turn) {
      if (action.type === 'use') {
        yield delta({
          tool_calls: [
            { index, id: `call_${id}_${index}`, type: 'function', function: { name: action.tool.name, arguments: '' } },
          ],
        });
        for (const piece of cut(argumentsText(action)))
          yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
        index++;
      } else {
        for (const piece of action.pieces) {
          yield delta(action.type === 'think' ? { reasoning_content: piece } : { content: piece });
          yield* pause(action);
        }
      }
    }
    yield delta({}, index ? 'tool_calls' : 'stop');
    yield chunk([], { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
    yield { data: '[DONE]' };
  },
  whole: (turn, body, id) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1_800_000_000,
    model: body.model,
    choices: [{ index: 0, message: { role: 'assistant', content: joined(turn) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }),
};

const geminiAnswer = (id: string, parts: object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 125 },
  modelVersion: 'scripted',
  responseId: id,
});
const gemini: Protocol = {
  name: 'gemini',
  matches: (path) => /:(streamG|g)enerateContent$/.test(path),
  toolNames: (body) =>
    (body.tools ?? []).flatMap((tool: Body) => (tool.functionDeclarations ?? []).map((f: Body) => f.name)),
  history: (body) => (body.contents ?? []).map((c: Body) => roleItem(c.role, c.parts)),
  *frames(turn, _body, id) {
    for (const [index, action] of turn.entries()) {
      if (action.type === 'use') {
        yield {
          data: geminiAnswer(id, [
            { functionCall: { id: `call_${id}_${index}`, name: action.tool.name, args: action.tool.input } },
          ]),
        };
      } else {
        for (const text of action.pieces) {
          yield { data: geminiAnswer(id, [action.type === 'think' ? { text, thought: true } : { text }]) };
          yield* pause(action);
        }
      }
    }
    yield { data: geminiAnswer(id, [{ text: '' }], 'STOP') };
  },
  whole: (turn, _body, id) => geminiAnswer(id, [{ text: joined(turn) }], 'STOP'),
};

/** Every protocol the scripted model server answers. */
export const protocols: readonly Protocol[] = [anthropicMessages, openaiResponses, openaiChat, gemini];
