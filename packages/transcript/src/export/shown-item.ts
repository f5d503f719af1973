import type { DiffTexts } from '../diff-rows.ts';
import { selectHeadline } from '../headline.ts';
import { diffLines } from '../line-diff.ts';
import type { ElicitationItem, Item, Part, PermissionItem, ToolContent, ToolItem, Turn } from '../model.ts';
import { refusedHeadline, selectRefusal } from '../refusal.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { msBetween } from './time-of.ts';

/** A piece of text of an item, named where the name says more than the item does. */
export interface ShownBlock {
  readonly name: string;
  readonly text: string;
}

/** An item as any reader shows it: who, a line, and its texts as they are on the wire (not yet made plain). */
export interface ShownItem {
  readonly who: string;
  readonly look: 'user' | 'agent' | 'thought' | 'tool' | 'permission' | 'note' | 'error';
  readonly line: string;
  readonly at: string;
  readonly blocks: readonly ShownBlock[];
}

/** A turn's own line: what ended it, how long it took, its tokens. */
export function turnLine({ source, status, outcome, stopReason, startedAt, endedAt, usage }: Turn): string {
  const took = endedAt === undefined ? undefined : msBetween(startedAt, endedAt);
  const parts = [
    source === 'none' ? 'outside a prompt' : `prompted by ${source}`,
    status === 'open' ? 'open' : (outcome ?? 'ended'),
    stopReason === outcome ? undefined : stopReason,
    took === undefined ? undefined : `${Math.round(took / 100) / 10} s`,
    usage?.totalTokens === undefined ? undefined : `${usage.totalTokens} tokens`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** The items of a turn with the texts a reader sees. */
export function* shownItems({ items }: Turn, cwd: string | undefined): Generator<ShownItem> {
  const asked = new Map<string, PermissionItem[]>();
  for (const item of items) {
    if (item.kind !== 'permission' || item.toolCallId === undefined) continue;
    const others = asked.get(item.toolCallId);
    if (others === undefined) asked.set(item.toolCallId, [item]);
    else others.push(item);
  }
  for (const item of items) yield shownItem(item, cwd, (item.kind === 'tool' && asked.get(item.toolCallId)) || []);
}

function shownItem(item: Item, cwd: string | undefined, about: readonly PermissionItem[]): ShownItem {
  const { at } = item;
  switch (item.kind) {
    case 'user':
    case 'agent':
    case 'thought': {
      const who = { user: 'User', agent: 'Agent', thought: 'Thought' }[item.kind];
      return { who, look: item.kind, line: '', at, blocks: [{ name: '', text: item.parts.map(partText).join('') }] };
    }
    case 'tool': {
      const blocks = [
        ...named('input', item.rawInput),
        ...contents(item.content),
        ...named('terminal', item.terminal?.output),
      ];
      if (item.content.length === 0 && item.terminal === undefined) blocks.push(...named('output', item.rawOutput));
      return { who: `Tool call ${item.toolKind}`, look: 'tool', line: toolLine(item, cwd, about), at, blocks };
    }
    case 'permission': {
      const { decision, options } = item;
      const option = options.find(({ optionId }) => optionId === decision?.optionId);
      const how = decision === undefined ? item.state : `${option?.kind ?? decision.reason}${deciderOf(decision)}`;
      const blocks = [...named('input', item.rawInput), ...contents(item.content)];
      return { who: 'Permission', look: 'permission', line: `${item.title} → ${how}`, at, blocks };
    }
    case 'elicitation':
      return { who: 'Question', look: 'permission', line: item.message, at, blocks: answersOf(item) };
    case 'plan': {
      const text = item.entries.map(({ status, content }) => `[${status}] ${content}`).join('\n');
      return { who: 'Plan', look: 'note', line: '', at, blocks: [{ name: '', text }] };
    }
    case 'notice':
      return { who: 'Note', look: item.severity === 'error' ? 'error' : 'note', line: item.text, at, blocks: [] };
    case 'error':
      return {
        who: 'Error',
        look: 'error',
        line: item.message,
        at,
        blocks: [...named('', item.hint), ...named('', item.detail)],
      };
    case 'gap': {
      const { firstSeq, lastSeq, reasons } = item;
      const line = `${lastSeq - firstSeq + 1} events are missing here (${firstSeq} to ${lastSeq}) ${reasons.join(', ')}`;
      return { who: 'Gap', look: 'error', line, at, blocks: [] };
    }
    case 'raw':
      return { who: 'Line', look: 'note', line: item.label, at, blocks: named('', item.json) };
  }
}

/** Kinds of calls that change something, so that somebody should have decided about them. */
const CHANGING = new Set(['execute', 'edit', 'delete', 'move']);

/** A call's own line: what came of it; that it was refused, or that no decision about it is recorded. */
function toolLine(item: ToolItem, cwd: string | undefined, about: readonly PermissionItem[]): string {
  const { verb, object, outcome } = selectHeadline(item, cwd);
  const refusal = selectRefusal(item, about);
  if (refusal !== undefined) {
    const refused = refusedHeadline(item, refusal, 'the owner');
    return `${refused.verb} ${object} → ${refused.outcome}`;
  }
  const isOver = item.status !== 'pending' && item.status !== 'in_progress';
  const isUndecided = isOver && CHANGING.has(item.toolKind) && about.every(({ decision }) => decision === undefined);
  const came = outcome === '' ? item.status : outcome.startsWith(item.status) ? outcome : `${item.status}, ${outcome}`;
  return `${verb} ${object} → ${came}${isUndecided ? ' · no recorded decision' : ''}`;
}

/** A part as text; of pictures and sounds only what they are. */
export function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'link':
      return `[${part.name}](${part.uri})`;
    case 'resource':
      return part.text ?? `[${part.uri}]`;
    case 'image':
    case 'audio':
      return `[${part.type} ${part.mimeType}, ${part.data.length} characters of base64]`;
    case 'other':
      return part.json;
  }
}

function contents(content: readonly ToolContent[]): ShownBlock[] {
  return content.flatMap((each) => {
    if (each.type === 'diff')
      return [{ name: `diff of ${each.path}`, text: diffText({ oldText: each.oldText ?? '', newText: each.newText }) }];
    if (each.type === 'terminal') return [];
    return named('output', each.type === 'other' ? each.json : partText(each.part));
  });
}

function answersOf({ form, url, decision, state }: ElicitationItem): ShownBlock[] {
  const how = decision === undefined ? state : `${decision.action ?? decision.reason}${deciderOf(decision)}`;
  const asked = form === undefined ? url : JSON.stringify(form.fields);
  return [...named('asked', asked), ...named(`answer: ${how}`, decision?.content ?? how)];
}

function deciderOf({ decidedBy }: Pick<NonNullable<PermissionItem['decision']>, 'decidedBy'>): string {
  if (decidedBy === undefined) return '';
  return ` by ${decidedBy.who}${decidedBy.rule === undefined ? '' : `, rule ${decidedBy.rule}`}`;
}

function diffText(texts: DiffTexts): string {
  return unifiedDiff(diffLines(texts.oldText, texts.newText), texts);
}

function named(name: string, text: string | undefined): ShownBlock[] {
  return text === undefined || text === '' ? [] : [{ name, text }];
}
