import { type ItemRow, MAX_VIEW_TEXT, redactText, type SessionFacts, type TurnRow } from '@heliograph/record';
import type { Item, Part, PermissionItem, SessionState, ToolItem, Turn } from '@heliograph/transcript';
import { exitCodeOf } from '@heliograph/transcript';
import type { Crypto } from '@heliograph/wire';
import { commandOf, filesOf, isNetworkCommand } from './tool-facts.ts';

/** An item's row, and the secrets found in its joined text that no single line held whole. */
export interface ShownItem {
  readonly row: ItemRow;
  readonly secrets: readonly { readonly kind: string; readonly secret: string }[];
}

/** What rows are made with. */
export interface ShowContext {
  readonly stream: string;
  readonly cwd: string | undefined;
  readonly salt: Uint8Array;
  readonly crypto: Crypto;
}

interface Texts {
  readonly title: string;
  readonly text: string;
  readonly input: string;
  readonly output: string;
}

/** A turn as its row, `undefined` when nothing of it is of this stream. */
export function turnRow(turn: Turn, stream: string): TurnRow | undefined {
  const own = turn.refs.filter((ref) => ref.stream === stream);
  if (own.length === 0) return undefined;
  return {
    id: turn.id,
    source: turn.source,
    status: turn.status,
    outcome: turn.outcome,
    stopReason: turn.stopReason,
    startedAt: turn.startedAt,
    endedAt: turn.endedAt,
    firstSeq: Math.min(...own.map(({ first }) => first)),
    lastSeq: Math.max(...own.map(({ last }) => last)),
    inputTokens: turn.usage?.inputTokens,
    outputTokens: turn.usage?.outputTokens,
    totalTokens: turn.usage?.totalTokens,
  };
}

/** A secret whose pieces were replaced in several lines reads as one. */
const PIECES = /(\[redacted:[a-z-]+\])\1+/g;

/** An item as its row, secrets replaced after its chunks were joined; `undefined` when it is not of this stream. */
export function itemRow(item: Item, context: ShowContext): ShownItem | undefined {
  const own = item.refs.filter((ref) => ref.stream === context.stream);
  if (own.length === 0) return undefined;
  const given = textsOf(item);
  const secrets: { kind: string; secret: string }[] = [];
  const findings: { kind: string; digest: string }[] = [];
  let truncated = false;
  const shown = (text: string): string => {
    // One character more than shown is looked at, so that a secret at the edge is not cut out of its shape.
    const looked = text.slice(0, MAX_VIEW_TEXT + 4_096);
    const redacted = redactText(looked, context.salt, context.crypto);
    for (const [at, { kind }] of redacted.findings.entries()) {
      secrets.push({ kind, secret: redacted.secrets[at] ?? '' });
    }
    findings.push(...redacted.findings);
    if (text.length > MAX_VIEW_TEXT) truncated = true;
    return redacted.text.replace(PIECES, '$1').slice(0, MAX_VIEW_TEXT);
  };
  const [title, text, input, output] = [given.title, given.text, given.input, given.output].map(shown);
  const files = item.kind === 'tool' ? filesOf(item, context.cwd) : [];
  const command = item.kind === 'tool' ? commandOf(item) : undefined;
  const row: ItemRow = {
    id: item.id,
    kind: item.kind,
    at: item.at,
    updatedAt: item.updatedAt,
    firstSeq: Math.min(...own.map(({ first }) => first)),
    lastSeq: Math.max(...own.map(({ last }) => last)),
    late: item.late === true,
    topic: item.kind === 'notice' ? item.topic : item.kind === 'error' ? item.outcome : undefined,
    title: title ?? '',
    text: text ?? '',
    input: input ?? '',
    output: output ?? '',
    truncated,
    ...(item.kind === 'tool' ? { tool: toolRow(item) } : {}),
    ...(item.kind === 'permission' ? { permission: permissionRow(item) } : {}),
    files: files.map((file) => ({ ...file, path: shown(file.path) })),
    ...(command === undefined ? {} : { command: { command: shown(command), network: isNetworkCommand(command) } }),
    findings: uniqueFindings(findings),
  };
  return { row, secrets };
}

/** What a session's newest state says of it. */
export function sessionFacts(session: SessionState): SessionFacts {
  const { sessionId, title, agentName, cwd, modelId: model, modeId: mode } = session;
  return { sessionId, title, agentName, cwd, model, mode };
}

function textsOf(item: Item): Texts {
  const none = { title: '', text: '', input: '', output: '' };
  switch (item.kind) {
    case 'user':
    case 'agent':
    case 'thought':
      return { ...none, text: item.parts.map(partText).join('') };
    case 'tool':
      return { ...none, title: item.title, input: item.rawInput ?? '', output: outputOf(item) };
    case 'permission':
      return { ...none, title: item.title, input: item.rawInput ?? '' };
    case 'elicitation': {
      const asked = item.form === undefined ? (item.url ?? '') : JSON.stringify(item.form.fields);
      return { ...none, title: item.message, input: asked, output: item.decision?.content ?? '' };
    }
    case 'plan':
      return { ...none, text: item.entries.map(({ status, content }) => `[${status}] ${content}`).join('\n') };
    case 'notice':
      return { ...none, text: item.text };
    case 'error':
      return { ...none, text: [item.message, item.hint, item.detail].filter(Boolean).join('\n') };
    case 'gap': {
      const { firstSeq, lastSeq, reasons } = item;
      return { ...none, text: `${lastSeq - firstSeq + 1} events missing ${reasons.join(', ')}`.trimEnd() };
    }
    case 'raw':
      return { ...none, title: item.label, text: item.json };
  }
}

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'link':
      return `[${part.name}](${part.uri})`;
    case 'resource':
      return part.text ?? `[${part.uri}]`;
    case 'image':
    case 'audio':
      return `[${part.type} ${part.mimeType}]`;
    case 'other':
      return part.json;
  }
}

/** What a tool gave back: what its terminal showed, what stands in its content, else its raw output. */
function outputOf(tool: ToolItem): string {
  const shown = tool.content.flatMap((content) => {
    if (content.type === 'content') return [partText(content.part)];
    if (content.type === 'diff') return [`${content.path}\n${content.newText}`];
    return content.type === 'other' ? [content.json] : [];
  });
  const texts = [tool.terminal?.output ?? '', ...shown].filter((text) => text !== '');
  return texts.length > 0 ? texts.join('\n') : (tool.rawOutput ?? '');
}

function toolRow(tool: ToolItem): NonNullable<ItemRow['tool']> {
  const { toolCallId, toolKind, status, parentToolCallId, endedAt } = tool;
  return { toolCallId, toolKind, status, parentToolCallId, exitCode: exitCodeOf(tool), endedAt };
}

function permissionRow(item: PermissionItem): NonNullable<ItemRow['permission']> {
  const { toolCallId, toolKind, options, state, decision } = item;
  return {
    toolCallId,
    toolKind,
    options: JSON.stringify(options),
    state,
    decision: decision?.reason,
    optionId: decision?.optionId,
    optionKind: options.find(({ optionId }) => optionId === decision?.optionId)?.kind,
    decidedBy: decision?.decidedBy?.who,
    viewer: decision?.decidedBy?.viewer,
    rule: decision?.decidedBy?.rule,
    decidedAt: decision === undefined ? undefined : item.updatedAt,
  };
}

function uniqueFindings<T extends { readonly digest: string }>(findings: readonly T[]): readonly T[] {
  return [...new Map(findings.map((finding) => [finding.digest, finding])).values()];
}
