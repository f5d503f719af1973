import { type Crypto, utf8Encode } from '@heliograph/wire';
import type { Turn } from '../model.ts';
import { pauseMs, REPLAY_SPEEDS } from '../pace.ts';
import { REPLAY_SCRIPT } from './html-script.ts';
import { REPLAY_STYLE } from './html-style.ts';
import { plainLine, plainText } from './plain-text.ts';
import { headRows, type SessionHead } from './session-head.ts';
import { type ShownBlock, shownItems, turnLine } from './shown-item.ts';
import { msBetween } from './time-of.ts';

/** Lines of a block that are shown without unfolding it. */
const OPEN_LINES = 14;

/**
 * A session as one HTML file that needs nothing else and may reach nothing: its policy allows only its own style and
 * script, by hash. What agent and user wrote is text. Steps are replayed with a slider, keys and a play button; without
 * scripts all is simply there.
 */
export function* htmlReplayOf(head: SessionHead, turns: Iterable<Turn>, crypto: Crypto): Generator<string> {
  const hash = (text: string) => `'sha256-${crypto.base64Encode(crypto.sha256(utf8Encode(text)))}'`;
  const policy = `default-src 'none'; style-src ${hash(REPLAY_STYLE)}; script-src ${hash(REPLAY_SCRIPT)}; base-uri 'none'; form-action 'none'`;
  const title = escaped(plainLine(head.title ?? head.agentName ?? 'Session', 120));
  yield `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n`;
  yield `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`;
  yield `<meta name="referrer" content="no-referrer">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n`;
  yield `<title>${title}</title>\n<style>${REPLAY_STYLE}</style>\n</head>\n<body>\n<header>\n<h1>${title}</h1>\n<dl>\n`;
  for (const [name, value] of headRows(head)) yield `<dt>${name}</dt><dd>${escaped(plainLine(value))}</dd>\n`;
  yield `</dl>\n</header>\n<main>\n`;
  let [number, step] = [0, 0];
  let before: string | undefined;
  for (const turn of turns) {
    if (turn.items.length === 0) continue;
    yield `<section>\n<h2><b>${++number}</b> ${escaped(plainLine(`${timeOf(turn.startedAt)} · ${turnLine(turn)}`))}</h2>\n`;
    for (const { who, look, line, at, blocks } of shownItems(turn, head.cwd)) {
      yield `<article class="${look}" id="s${++step}" data-wait="${pauseMs(before === undefined ? 0 : msBetween(before, at))}">\n`;
      yield `<p><b>${escaped(plainLine(who, 80))}</b> ${escaped(plainLine(line))} <time>${escaped(at.slice(11, 19))}</time></p>\n`;
      for (const block of blocks) yield blockHtml(block);
      before = at;
      yield '</article>\n';
    }
    yield '</section>\n';
  }
  const speeds = REPLAY_SPEEDS.map((speed) => `<option value="${speed}">${speed}×</option>`).join('');
  yield `</main>\n<nav hidden aria-label="Replay">\n<button type="button" id="back" aria-label="One step back">◀</button>\n`;
  yield `<button type="button" id="play" aria-label="Play">▶ Play</button>\n<button type="button" id="next" aria-label="One step on">▶</button>\n`;
  yield `<input type="range" id="at" min="0" max="${step}" value="${step}" aria-label="Step">\n<output id="told">${step} / ${step}</output>\n<select id="speed" aria-label="Speed">${speeds}</select>\n</nav>\n`;
  yield `<script>${REPLAY_SCRIPT}</script>\n</body>\n</html>\n`;
}

function blockHtml({ name, text }: ShownBlock): string {
  const plain = plainText(text);
  const pre = `<pre>${escaped(plain)}</pre>`;
  if (name === '') return `${pre}\n`;
  const lines = plain.split('\n').length;
  const open = lines <= OPEN_LINES && plain.length <= 2_000 ? ' open' : '';
  const summary = `${escaped(plainLine(name))}${open === '' ? `, ${lines} line${lines === 1 ? '' : 's'}` : ''}`;
  return `<details${open}><summary>${summary}</summary>${pre}</details>\n`;
}

function timeOf(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

/** Text that is only ever text, in content and in attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
