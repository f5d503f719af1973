import { partsText, readParts } from './content.ts';
import { bounded, finite, has, type JsonObject, object, text } from './json.ts';
import type { NoticeItem } from './model.ts';
import type { Step } from './step.ts';
import { noteTurn, speechTurn } from './turn.ts';

/** Text a notice keeps: what comes beyond it is dropped from the front (stderr) or the end, and stays in the raw lines. */
const MAX_NOTICE_TEXT = 8_192;

/** Puts one notice into a turn; the same `key` in the same turn replaces the text. */
export function placeNotice(
  step: Step,
  turn: number,
  said: { readonly topic: NoticeItem['topic']; readonly severity?: NoticeItem['severity']; readonly text: string },
  key = step.origin,
): void {
  const { topic, severity = 'info' } = said;
  step.place<NoticeItem>(turn, `notice:${key}`, (_, stamp) => ({
    ...stamp,
    kind: 'notice',
    topic,
    severity,
    text: bounded(said.text, MAX_NOTICE_TEXT),
  }));
}

/** `notice` (ACP, gated by session.notices): something the agent says about itself. */
export function reduceNotice(step: Step, update: JsonObject): boolean {
  const title = text(update, 'title');
  if (title === undefined) return false;
  const description = text(update, 'description');
  const severity = text(update, 'severity');
  placeNotice(step, speechTurn(step), {
    topic: 'notice',
    severity: severity === 'error' || severity === 'warning' ? severity : 'info',
    text: description === undefined ? title : `${title}\n${description}`,
  });
  return true;
}

/** `compaction_update` and `compaction_summary_chunk`: one notice per compactionId. */
export function reduceCompaction(step: Step, update: JsonObject): boolean {
  const compactionId = text(update, 'compactionId');
  if (compactionId === undefined) return false;
  const turn = speechTurn(step);
  const key = `compaction:${compactionId}`;
  const before = step.draft.item(turn, `notice:${key}`);
  const [head = '', ...rest] = before?.kind === 'notice' ? before.text.split('\n') : [];
  const status = text(update, 'status');
  const title = status === undefined ? head || 'Compaction in progress' : `Compaction ${status.replaceAll('_', ' ')}`;
  const error = text(update, 'error') ?? text(object(update, 'error'), 'message');
  const summary = has(update, 'summary')
    ? partsText(update.summary === null ? [] : readParts(update.summary))
    : rest.join('\n') + (has(update, 'content') ? partsText(readParts(update.content)) : '');
  const said = [title, error ?? '', summary].filter((line) => line !== '').join('\n');
  placeNotice(step, turn, { topic: 'compaction', severity: status === 'failed' ? 'error' : 'info', text: said }, key);
  return true;
}

/** `agent_stderr`: text in a row is one notice, of which the end is kept. */
export function reduceStderr(step: Step, payload: JsonObject | undefined): void {
  const said = text(payload, 'text') ?? '';
  if (said === '') return;
  const turn = noteTurn(step);
  const before = step.draft.lastItem(turn);
  const goesOn = before?.kind === 'notice' && before.topic === 'stderr';
  const all = goesOn ? before.text + said : said;
  const kept = all.slice(-MAX_NOTICE_TEXT);
  placeNotice(
    step,
    turn,
    { topic: 'stderr', severity: 'warning', text: kept },
    goesOn ? before.id.slice('notice:'.length) : undefined,
  );
}

/** `harness_note`: what the harness says of itself, which is none of the agent's words. */
export function reduceHarnessNote(step: Step, payload: JsonObject | undefined): void {
  const said = text(payload, 'text') ?? '';
  if (said !== '') placeNotice(step, noteTurn(step), { topic: 'harness', text: said });
}

/** Lines of history an agent repeats on load or resume: counted in one notice, never shown again. */
export function countReplayed(step: Step): void {
  const turn = noteTurn(step);
  const before = step.draft.lastItem(turn);
  const goesOn = before?.kind === 'notice' && before.topic === 'replay';
  step.place<NoticeItem>(turn, goesOn ? before.id : `notice:${step.origin}`, (_, stamp) => {
    const count = stamp.refs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const said = `${count} ${count === 1 ? 'line' : 'lines'} of earlier history repeated by the agent`;
    return { ...stamp, kind: 'notice', topic: 'replay', severity: 'info', text: said };
  });
}

/** Results of controls that are as they should be, or that only the viewer that asked needs to see. */
const FINE: readonly string[] = [
  'sent',
  'applied',
  'accepted',
  'queued',
  'steered',
  'switched',
  'cancelled',
  'killed',
  'turn_ended',
  'turn_ending',
  'removed',
  'replaced',
  'already_decided',
  'no_active_turn',
  'ok',
];

/** `control_result`: a row only for failures of something that was to change the session. */
export function reduceControlResult(step: Step, payload: JsonObject | undefined): void {
  const [type, status, reason] = [text(payload, 'type'), text(payload, 'status'), text(payload, 'reason')];
  if (type === undefined || status === undefined || FINE.includes(status)) return;
  if (type === 'hello' || type === 'replay') return;
  const said = `${type.replaceAll('_', ' ')}: ${status.replaceAll('_', ' ')}`;
  placeNotice(step, noteTurn(step), {
    topic: 'control',
    severity: 'warning',
    text: reason === undefined ? said : `${said} (${reason})`,
  });
}

/** `clock_stepped`: times before and after it do not compare. */
export function reduceClockStep(step: Step, payload: JsonObject | undefined): void {
  const offsetMs = finite(payload, 'offsetMs');
  const by = offsetMs === undefined ? '' : ` by ${Math.round(offsetMs / 1000)} s`;
  placeNotice(step, noteTurn(step), {
    topic: 'clock',
    severity: 'warning',
    text: `The clock of the agent's machine was set${by}`,
  });
}
