import type { DiffTexts } from '../diff-rows.ts';
import { selectHeadline } from '../headline.ts';
import { diffLines } from '../line-diff.ts';
import type { ElicitationItem, Item, Part, PermissionItem, ToolContent, Turn } from '../model.ts';
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
    stopReason,
    took === undefined ? undefined : `${Math.round(took / 100) / 10} s`,
    usage?.totalTokens === undefined ? undefined : `${usage.totalTokens} tokens`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** An item with the texts a reader sees. */
export function shownItem(item: Item, cwd: string | undefined): ShownItem {
  const { at } = item;
  switch (item.kind) {
    case 'user':
    case 'agent':
    case 'thought': {
      const who = { user: 'User', agent: 'Agent', thought: 'Thought' }[item.kind];
      return { who, look: item.kind, line: '', at, blocks: [{ name: '', text: item.parts.map(partText).join('') }] };
    }
    case 'tool': {
      const { verb, object, outcome } = selectHeadline(item, cwd);
      const blocks = [
        ...named('input', item.rawInput),
        ...contents(item.content),
        ...named('terminal', item.terminal?.output),
      ];
      if (item.content.length === 0 && item.terminal === undefined) blocks.push(...named('output', item.rawOutput));
      const line = `${verb} ${object}${outcome === '' ? '' : ` → ${outcome}`} (${item.status})`;
      return { who: `Tool call ${item.toolKind}`, look: 'tool', line, at, blocks };
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
