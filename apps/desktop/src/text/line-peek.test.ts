import type { RawLine } from '@heliograph/transcript';
import { expect, test } from 'vitest';
import { peekAt } from './line-peek.ts';

const line = (text: string, label: string, direction: RawLine['direction'] = 'read'): RawLine => ({
  stream: 's',
  seq: 1,
  lastSeq: 1,
  timestamp: '2026-11-30T12:00:00.000000Z',
  kind: 'acp_read',
  text,
  label,
  direction,
});

test('DT7: a closed line shows its telling part', () => {
  const update = (inner: string) =>
    `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":${inner}}}`;
  expect(
    peekAt(
      line(
        update('{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a \\"b\\""}}'),
        'agent_message_chunk',
      ),
    ),
  ).toBe('"a \\"b\\""');
  expect(peekAt(line(update('{"sessionUpdate":"tool_call","toolCallId":"t1"}'), 'tool_call'))).toBe(
    '{"toolCallId":"t1"}',
  );
  expect(peekAt(line('{"jsonrpc":"2.0","id":7,"method":"x","params":{"sessionId":"s1","a":1}}', 'x'))).toBe('{"a":1}');
  expect(peekAt(line('{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}', 'end_turn'))).toBe(
    '{"stopReason":"end_turn"}',
  );
  expect(peekAt(line('not json', 'not JSON'))).toBe('not json');
  expect(peekAt(line('{"params":1}', 'turn_started', 'note'))).toBe('{"params":1}');
});

test('DT46: what is shown ends where its own value does', () => {
  const peek = (inner: string) => peekAt(line(`{"jsonrpc":"2.0","id":1,"result":${inner},"more":{"a":[1]}}`, 'x'));
  const values = ['{"used":59}', '{"a":{"b":["}"]}}', '[{"a":"]\\"}"}]', '"a, b}"', '12', 'null', '{}'];
  expect(values.map(peek)).toEqual(values);
  expect(peekAt(line('{"id":1,"result":null}', 'x'))).toBe('null');
  expect(peekAt(line('{"id":1,"result":{"cut":"of', 'x'))).toBe('{"cut":"of');
});
