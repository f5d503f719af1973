import type { Turn } from '../model.ts';
import { plainLine, plainText } from './plain-text.ts';
import { headRows, type SessionHead } from './session-head.ts';
import { shownItems, turnLine } from './shown-item.ts';

/**
 * A session as Markdown (CommonMark), piece by piece. Whatever agent and user wrote stands in code blocks or escaped: no
 * markup, picture or link of theirs takes effect.
 */
export function* markdownOf(head: SessionHead, turns: Iterable<Turn>): Generator<string> {
  yield `# ${inline(head.title ?? head.agentName ?? 'Session')}\n\n`;
  for (const [name, value] of headRows(head)) yield `- ${name}: ${inline(value)}\n`;
  let number = 0;
  for (const turn of turns) {
    if (turn.items.length === 0) continue;
    yield `\n## ${++number}. `;
    yield* turnPieces(turn, head.cwd);
  }
}

/** One turn as Markdown, as it stands in that of its session; what of it a window does not hold is counted first. */
export function turnMarkdownOf(turn: Turn, cwd: string | undefined): string {
  const away = (turn.away ?? []).reduce((sum, { items }) => sum + items, 0);
  const lacks = away === 0 ? '' : `\n*${away} more, which were not on the screen, are not in this copy.*\n`;
  const [heading = '', ...rest] = turnPieces(turn, cwd);
  return ['## ', heading, lacks, ...rest].join('');
}

function* turnPieces(turn: Turn, cwd: string | undefined): Generator<string> {
  yield `${inline(turn.startedAt)} (${inline(turnLine(turn))})\n`;
  for (const { who, line, at, blocks } of shownItems(turn, cwd)) {
    yield `\n**${inline(who)}**${line === '' ? '' : ` ${inline(line)}`} *${inline(at.slice(11, 19))}*\n`;
    for (const { name, text } of blocks)
      yield `${name === '' ? '' : `\n${inline(name)}\n`}\n${fenced(plainText(text))}\n`;
  }
}

/** A code block whose fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = text.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** One line in which no character is markup. */
function inline(text: string): string {
  return plainLine(text).replace(/[\\`*_{}[\]()<>#+!|&~^$]/g, (character) => `\\${character}`);
}
