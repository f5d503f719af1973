import { type Crypto, hexEncode, utf8Encode } from '@heliograph/wire';
import type { ToolItem, Turn } from '../model.ts';
import { plainLine } from './plain-text.ts';
import type { SessionHead } from './session-head.ts';
import { nanosOf } from './time-of.ts';

type Attribute = { readonly key: string; readonly value: object };

interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly attributes: readonly (Attribute | undefined)[];
  /** OTLP's status code: 0 unset, 1 ok, 2 error. */
  readonly status: 0 | 1 | 2;
}

const INTERNAL = 1;

/**
 * A session as OpenTelemetry spans in OTLP's JSON (GenAI semantic conventions), one TracesData a line: a line for each
 * turn with its tool calls, the session's own span last. What was said is left out: names, times, tokens and outcomes are in.
 */
export function* otlpLinesOf(head: SessionHead, turns: Iterable<Turn>, crypto: Crypto): Generator<string> {
  const digest = (text: string) => hexEncode(crypto.sha256(utf8Encode(`${head.agent} ${head.channelId} ${text}`)));
  const traceId = digest('trace').slice(0, 32);
  const spanId = (text: string) => digest(text).slice(0, 16);
  const resource = {
    attributes: given([text('service.name', head.agentName ?? 'agent'), text('service.instance.id', head.agent)]),
  };
  const data = (spans: readonly Span[]) => {
    const scopeSpans = [{ scope: { name: 'heliograph' }, spans: spans.map((span) => spanJson(traceId, span)) }];
    return `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })}\n`;
  };
  const common = [
    text('gen_ai.agent.name', head.agentName),
    text('gen_ai.agent.id', head.agent),
    text('gen_ai.conversation.id', head.sessionId ?? head.channelId),
    text('gen_ai.request.model', head.model),
  ];
  const session = spanId('session');
  let [from, to]: (string | undefined)[] = [];
  for (const turn of turns) {
    if (turn.items.length === 0) continue;
    from ??= turn.startedAt;
    const ended = turn.endedAt ?? turn.items.at(-1)?.updatedAt ?? turn.startedAt;
    to = ended;
    const turnSpan: Span = {
      id: spanId(`turn ${turn.id}`),
      parent: session,
      name: `invoke_agent ${plainLine(head.agentName ?? 'agent', 80)}`,
      from: turn.startedAt,
      to: ended,
      status: turn.outcome === 'completed' ? 1 : turn.outcome === 'failed' || turn.outcome === 'killed' ? 2 : 0,
      attributes: [
        text('gen_ai.operation.name', 'invoke_agent'),
        ...common,
        number('gen_ai.usage.input_tokens', turn.usage?.inputTokens),
        number('gen_ai.usage.output_tokens', turn.usage?.outputTokens),
        turn.stopReason === undefined
          ? undefined
          : {
              key: 'gen_ai.response.finish_reasons',
              value: { arrayValue: { values: [{ stringValue: turn.stopReason }] } },
            },
        text('heliograph.turn.id', turn.id),
        text('heliograph.turn.source', turn.source),
        text('heliograph.turn.outcome', turn.outcome),
        turn.outcome === 'failed' || turn.outcome === 'killed' ? text('error.type', turn.outcome) : undefined,
      ],
    };
    const tools = turn.items.flatMap((item) => (item.kind === 'tool' ? [item] : []));
    yield data([turnSpan, ...tools.map((tool) => toolSpan(tool, turnSpan.id, spanId(`tool ${turn.id} ${tool.id}`)))]);
  }
  if (from === undefined || to === undefined) return;
  const name = `session ${plainLine(head.title ?? head.sessionId ?? head.channelId, 80)}`;
  yield data([{ id: session, parent: undefined, name, from, to, status: 0, attributes: common }]);
}

function toolSpan(tool: ToolItem, parent: string, id: string): Span {
  const failed = tool.status === 'failed';
  return {
    id,
    parent,
    name: `execute_tool ${plainLine(tool.toolKind, 80)}`,
    from: tool.at,
    to: tool.endedAt ?? tool.updatedAt,
    status: tool.status === 'completed' ? 1 : failed ? 2 : 0,
    attributes: [
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', tool.toolKind),
      text('gen_ai.tool.call.id', tool.toolCallId),
      text('gen_ai.tool.type', 'function'),
      text('heliograph.tool.status', tool.status),
      number('process.exit.code', tool.terminal?.exitCode),
      failed ? text('error.type', 'tool_failed') : undefined,
    ],
  };
}

function spanJson(traceId: string, { id, parent, name, from, to, attributes, status }: Span): object {
  const start = nanosOf(from) ?? 0n;
  const end = nanosOf(to) ?? start;
  return {
    traceId,
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end < start ? start : end),
    attributes: given(attributes),
    status: { code: status },
  };
}

function given(attributes: readonly (Attribute | undefined)[]): readonly Attribute[] {
  return attributes.filter((attribute) => attribute !== undefined);
}

function text(key: string, value: string | undefined): Attribute | undefined {
  return value === undefined ? undefined : { key, value: { stringValue: plainLine(value, 1_000) } };
}

function number(key: string, value: number | undefined): Attribute | undefined {
  // A 64-bit number is a text in OTLP's JSON.
  return value === undefined || !Number.isSafeInteger(value) ? undefined : { key, value: { intValue: String(value) } };
}
