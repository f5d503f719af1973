import { selectHeadline } from '../headline.ts';
import type { ToolItem, Turn } from '../model.ts';
import { resultOf } from './claude-code.ts';
import { plainLine } from './plain-text.ts';
import type { SessionHead } from './session-head.ts';
import { msBetween } from './time-of.ts';

const [WIDTH, HEIGHT] = [100, 30];
const EPOCH = '1970-01-01T00:00:00Z';
/** Characters in one event; longer output comes in several at the same moment. */
const CHUNK = 8_192;

// Colours and moves of the cursor are what a terminal is for; all else (titles, clipboard, links, modes) could act on the reader's.
const ESC = '\\u{1b}';
const ENDS = `(?:\\u{7}|${ESC}\\\\|\\u{9c})?`;
const ESCAPES = new RegExp(
  `${ESC}(?:(\\[[0-9;:]*[A-HJKSTfm])|\\[[ -?]*[@-~]|[\\]PX\\^_][^\\u{7}\\u{1b}\\u{9c}]*${ENDS}|[^\\[\\]PX\\^_]?)`,
  'gu',
);
const CONTROLS = /(?![\n\r\t\b])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/**
 * The commands of a session as a terminal recording (asciicast v2), line by line: each command when it began, its output
 * when it ended, for a transcript knows no finer times. Waiting is cut to two seconds by the player.
 */
export function* asciicastLinesOf(head: SessionHead, turns: Iterable<Turn>): Generator<string> {
  let begun: string | undefined;
  let last = 0;
  for (const turn of turns) {
    for (const item of turn.items) {
      if (item.kind !== 'tool' || (item.toolKind !== 'execute' && item.terminal === undefined)) continue;
      if (begun === undefined) {
        begun = item.at;
        yield `${JSON.stringify(castHeader(head, begun))}\n`;
      }
      const { object } = selectHeadline(item, head.cwd);
      last = Math.max(last, msBetween(begun, item.at) / 1_000);
      yield output(last, `\u001b[1m$ ${plainLine(object, 2_000)}\u001b[0m\r\n`);
      last = Math.max(last, msBetween(begun, item.endedAt ?? item.updatedAt) / 1_000);
      const text = `${harmless(resultOf(item))}${exitText(item)}`;
      for (let from = 0; from < text.length; from += CHUNK) yield output(last, text.slice(from, from + CHUNK));
    }
  }
  if (begun === undefined) yield `${JSON.stringify(castHeader(head, EPOCH))}\n`;
}

function castHeader({ title, agentName }: SessionHead, at: string): object {
  const timestamp = Math.floor(msBetween(EPOCH, at) / 1_000);
  return {
    version: 2,
    width: WIDTH,
    height: HEIGHT,
    timestamp,
    idle_time_limit: 2,
    title: plainLine(title ?? agentName ?? 'Session', 200),
  };
}

function output(seconds: number, text: string): string {
  return `${JSON.stringify([seconds, 'o', text])}\n`;
}

function exitText({ terminal, status }: ToolItem): string {
  const how = terminal?.signal ?? (terminal?.exitCode === undefined ? status : `exit ${terminal.exitCode}`);
  return `\u001b[0m\r\n\u001b[2m[${plainLine(how, 40)}]\u001b[0m\r\n`;
}

function harmless(text: string): string {
  let shown = '';
  let from = 0;
  for (const { index, 0: whole, 1: kept } of text.matchAll(ESCAPES)) {
    shown += text.slice(from, index).replace(CONTROLS, '\ufffd') + (kept === undefined ? '' : `\u001b${kept}`);
    from = index + whole.length;
  }
  return (shown + text.slice(from).replace(CONTROLS, '\ufffd')).replace(/\r?\n/g, '\r\n');
}
