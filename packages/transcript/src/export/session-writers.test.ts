import { readFileSync } from 'node:fs';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from '../fold.ts';
import type { Item, ToolItem, Turn } from '../model.ts';
import { CHANNEL, MiniHarness, type RecordedLine } from '../testing/mini-harness.ts';
import {
  asciicastLinesOf,
  claudeCodeLinesOf,
  htmlReplayOf,
  jsonlOf,
  markdownOf,
  otlpLinesOf,
  type SessionHead,
} from './index.ts';
import { MAX_SHOWN } from './plain-text.ts';
import { nanosOf } from './time-of.ts';

const { crypto } = selectNodeCrypto();
const head: SessionHead = {
  agent: 'npub1test',
  agentName: 'claude',
  title: undefined,
  channelId: 'c',
  sessionId: 's',
  cwd: '/work',
  model: 'm1',
  source: 'a test',
};

function recorded(name: string): readonly Turn[] {
  const text = readFileSync(new URL(`../../../../fixtures/sessions/${name}.ndjson`, import.meta.url), 'utf8');
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordedLine]));
  const fold = new TranscriptFold();
  for (const event of new MiniHarness().play(lines).events) fold.insert(event);
  return fold.transcript(CHANNEL).turns;
}

const EVIL =
  '</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202egnp.exe\n```\n# out\n![x](http://evil.example/x)\u0000';
const base = { refs: [], at: '2026-11-30T10:00:00.000000Z', updatedAt: '2026-11-30T10:00:01.000000Z' };
function turnOf(...items: readonly Item[]): Turn {
  return {
    id: 't"><b>',
    source: 'owner',
    status: 'ended',
    outcome: 'completed',
    stopReason: EVIL,
    startedAt: base.at,
    endedAt: base.updatedAt,
    liveness: undefined,
    cancelling: false,
    usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 },
    items,
    refs: [],
  };
}
function tool(text: string): Item {
  return {
    ...base,
    kind: 'tool',
    id: 'tool:1',
    toolCallId: 'call 1',
    title: text,
    toolKind: 'execute',
    status: 'completed',
    content: [{ type: 'diff', path: text, oldText: 'a\nb\nc', newText: `a\n${text}\nc` }],
    locations: [],
    rawInput: JSON.stringify({ command: text }),
    rawOutput: undefined,
    terminal: { output: text, exitCode: 0, signal: undefined },
    parentToolCallId: undefined,
    endedAt: base.updatedAt,
  };
}
function permission(toolCallId: string, optionId: string): Item {
  return {
    ...base,
    kind: 'permission',
    id: `ask:${toolCallId}`,
    rpcId: '1',
    request: { stream: 's', seq: 1 },
    toolCallId,
    state: 'decided',
    nonce: undefined,
    requestSha256: undefined,
    lineSha256: undefined,
    actionable: true,
    expiresAt: undefined,
    title: 'date',
    toolKind: 'execute',
    content: [],
    rawInput: undefined,
    locations: [],
    options: [{ optionId, name: optionId, kind: optionId }],
    decision: { reason: 'applied', optionId, decidedBy: { who: 'owner' } },
  };
}
function message(kind: 'user' | 'agent', text: string): Item {
  return { ...base, kind, id: kind, messageId: undefined, parts: [{ type: 'text', text }], streaming: false };
}
const evilHead = { ...head, title: EVIL, cwd: EVIL, agentName: EVIL };
const evil = [turnOf(message('user', EVIL), message('agent', EVIL), tool(EVIL))];

describe("readers' formats", () => {
  it('AR92: a session as Markdown has every text in a fence longer than its own, and no markup of an agent outside', () => {
    const text = [...markdownOf(evilHead, evil)].join('');
    const outside = text.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
    expect(outside).not.toMatch(/(?<!\\)[<![]/);
    expect(text).toContain('⟨U+202E⟩');
    expect(text).toContain('⟨U+0000⟩');
    expect(text).not.toContain('\u202e');
    expect([...markdownOf(head, recorded('claude-shell'))].join('')).toContain('Ran ');
  });

  it('AR114: what was refused reads “Not run”, and what changed something without a recorded decision says so', () => {
    const [ran] = [tool('date')].filter((item) => item.kind === 'tool');
    if (ran === undefined) throw new Error('no call');
    const refused: ToolItem = { ...ran, status: 'failed', toolCallId: 'no', content: [], terminal: undefined };
    const allowed: ToolItem = { ...ran, toolCallId: 'yes' };
    const looked: ToolItem = { ...ran, toolCallId: 'look', toolKind: 'read' };
    const failed: ToolItem = { ...refused, toolCallId: 'bad', rawOutput: '{"exitCode":1}' };
    const turn = turnOf(
      ran,
      refused,
      permission('no', 'reject_once'),
      allowed,
      permission('yes', 'allow_once'),
      looked,
      failed,
    );
    const stopped = { ...turn, outcome: 'cancelled' as const, stopReason: 'cancelled' };
    const told = [...markdownOf(head, [stopped])].join('').replaceAll('\\', '');
    const lines = told.split('\n').filter((line) => line.startsWith('**Tool call'));
    expect(lines.map((line) => line.replace(/ \*[\d:]*\*$/, ''))).toEqual([
      '**Tool call execute** Ran date → completed, +1 −1 · no recorded decision',
      '**Tool call execute** Not run: date → rejected by the owner',
      '**Tool call execute** Ran date → completed, +1 −1',
      expect.stringMatching(/^\*\*Tool call read\*\* Read .* → completed/),
      '**Tool call execute** Ran date → failed, exit 1 · no recorded decision',
    ]);
    expect(lines[3]).not.toContain('recorded');
    expect(told).toContain('(prompted by owner, cancelled, 1 s, 8 tokens)');
    const html = [...htmlReplayOf(head, [stopped], crypto)].join('');
    expect(html).toContain('Not run: date → rejected by the owner');
    expect(html).toContain('· no recorded decision');
  });

  it('AR93: an HTML replay is one file that may reach nothing; what agents wrote is text in it', () => {
    const html = [...htmlReplayOf(evilHead, evil, crypto)].join('');
    expect(html).toContain(`content="default-src 'none'; style-src 'sha256-`);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html.match(/<(img|a|link|iframe|form|object|b>\u202e)\b/g)).toBeNull();
    expect(html.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, '')).not.toMatch(
      /<[a-z][^>]* (on\w+|src|href|style)=/,
    );
    expect(html).not.toContain('\u202e');
    expect([...htmlReplayOf(evilHead, evil, crypto)].join('')).toBe(html);
  });

  it('AR94: a huge text is cut with a word, and a huge line breaks nothing', () => {
    const huge = [turnOf(message('agent', 'x'.repeat(3_000_000)), tool('y'.repeat(3_000_000)))];
    for (const text of [[...markdownOf(head, huge)].join(''), [...htmlReplayOf(head, huge, crypto)].join('')]) {
      expect(text.length).toBeLessThan(MAX_SHOWN * 8);
      expect(text).toContain('more characters are left out here');
    }
  });

  it.each(['claude-shell', 'codex-edit', 'gemini-two-prompts', 'opencode-shell'])(
    'AR95: %s as a Claude Code transcript is one chain in which every tool call has its result',
    (name) => {
      const lines = [...claudeCodeLinesOf(head, recorded(name), crypto)].map((line) => JSON.parse(line));
      expect(lines.length).toBeGreaterThan(1);
      const ids = new Set(lines.map(({ uuid }) => uuid));
      expect(ids.size).toBe(lines.length);
      for (const [at, line] of lines.entries()) {
        expect(line.parentUuid).toBe(at === 0 ? null : lines[at - 1].uuid);
        expect(line.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(line).toMatchObject({ cwd: '/work', sessionId: lines[0].sessionId, type: line.message.role });
      }
      const blocks = lines.flatMap(({ message: { content } }) => (Array.isArray(content) ? content : []));
      const uses = blocks.filter(({ type }) => type === 'tool_use');
      const results = blocks.filter(({ type }) => type === 'tool_result');
      expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(uses.map(({ id }) => id));
      for (const { id, name: tool } of uses) expect(`${id} ${tool}`).toMatch(/^[\w-]+ [\w-]{1,64}$/);
      if (name.endsWith('shell')) expect(uses.length).toBeGreaterThan(0);
    },
  );

  it('AR96: an asciicast has colours and moves of the cursor, and no sequence that acts on anything else', () => {
    const acts =
      '\u001b]52;c;aGk=\u0007\u001b]0;title\u001b\\\u001b[?1049h\u001bc\u001bP1$r\u001b\\\u001b[31mred\u001b[0m\n\u202e\u009b6n';
    const lines = [...asciicastLinesOf(head, [turnOf(tool(acts))])].map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ version: 2, width: 100, height: 30, timestamp: 1796032800 });
    const shown = lines
      .slice(1)
      .map(([, , text]) => text)
      .join('');
    expect(shown).toContain('\u001b[31mred\u001b[0m\r\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    expect(shown.replace(/\u001b\[[0-9;]*m/g, '')).not.toMatch(/[\u001b\u0007\u0080-\u009f\u202e]/);
    expect(lines.slice(1).every(([time], at) => time >= (lines[at]?.[0] >= 0 ? lines[at][0] : 0))).toBe(true);
    expect([...asciicastLinesOf(head, recorded('claude-shell'))].length).toBeGreaterThan(2);
  });

  it('AR97: spans stand under their turn and session, with times, tokens and names, and nothing that was said', () => {
    const lines = [...otlpLinesOf(head, [...recorded('claude-shell'), ...evil], crypto)].map((line) =>
      JSON.parse(line),
    );
    const spans = lines.flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    expect(byId.size).toBe(spans.length);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const root = spans.at(-1);
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      const parent = byId.get(span.parentSpanId);
      if (span === root) expect(span.parentSpanId).toBeUndefined();
      else if (span.name.startsWith('invoke_agent')) expect(parent).toBe(root);
      else expect(parent?.name).toBe('invoke_agent claude');
    }
    const turn = spans.find(({ attributes }) => JSON.stringify(attributes).includes('t\\"><b>'));
    expect(turn.attributes).toContainEqual({ key: 'gen_ai.usage.output_tokens', value: { intValue: '5' } });
    expect(turn.startTimeUnixNano).toBe('1796032800000000000');
    expect(JSON.stringify(spans.filter(({ name }) => name.startsWith('execute_tool')))).not.toContain('alert(1)');
  });

  it('AR97: times are read as they are, with their zone and fraction', () => {
    for (const time of [
      '1970-01-01T00:00:00Z',
      '2024-02-29T23:59:59.123456Z',
      '2026-11-30T10:00:00+05:30',
      '2000-03-01T00:00:00-01:00',
    ]) {
      expect((nanosOf(time) ?? 0n) / 1_000_000n).toBe(BigInt(Date.parse(time)));
    }
    expect(nanosOf('2026-11-30T10:00:00.123456789Z')).toBe(
      BigInt(Date.parse('2026-11-30T10:00:00Z')) * 1_000_000n + 123456789n,
    );
    expect(nanosOf('yesterday')).toBeUndefined();
  });
});

describe('DT132: lines', () => {
  it('begin with what they are, and carry each line of the wire as the exact text it was', () => {
    const payload = '{ "jsonrpc":"2.0",  "n": 1e400, "a":"\\u0041" }';
    const event = {
      seq: 7,
      timestamp: base.at,
      kind: 'acp_read',
      agentIndex: 0,
      channelId: 'c',
      sessionId: null,
      turnId: null,
      stream: 's',
      payload,
    };
    const [first = '', ...lines] = jsonlOf({ ...head, title: EVIL }, [event, { ...event, seq: 8 }], { jwt: 2 });
    const told = {
      type: 'heliograph-session',
      version: 1,
      title: EVIL,
      channelId: 'c',
      folder: '/work',
      replaced: { jwt: 2 },
    };
    expect(JSON.parse(first)).toMatchObject(told);
    expect(first).not.toContain('\n');
    expect(lines.map((line) => line.endsWith(`"payload":${payload}}`))).toEqual([true, true]);
  });
});
