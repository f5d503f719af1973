import { metaOf } from './content.ts';
import { type JsonObject, member, object, text } from './json.ts';
import type { NoticeItem } from './model.ts';
import { placeNotice } from './notice.ts';
import type { Step } from './step.ts';
import { speechTurn } from './turn.ts';

type Said = Pick<NoticeItem, 'severity' | 'text'>;

/** What an agent's program (not its model) says of itself, marked in `_meta` alone: a notice. False where it says nothing so. */
export function reduceVendorNotice(step: Step, update: JsonObject): boolean {
  const meta = metaOf(update);
  const said = readClaude(object(meta, 'claudeCode'), update) ?? readCodex(object(meta, 'codex'));
  if (said === undefined) return false;
  placeNotice(step, speechTurn(step), { topic: 'notice', ...said });
  return true;
}

/** claude sends its program's warnings as message chunks of kind `informational`, with the level in bold before the words. */
function readClaude(meta: JsonObject | undefined, update: JsonObject): Said | undefined {
  const words = text(object(update, 'content'), 'text');
  if (text(meta, 'kind') !== 'informational' || words === undefined) return undefined;
  const level = text(meta, 'level');
  const severity = level === 'error' || level === 'warning' ? level : 'info';
  return { severity, text: words.replace(/^\*\*([^*\n]+)\*\*/, '$1') };
}

/** codex tells of a model that does not answer, and that it gave up, in `session_info_update` alone. */
function readCodex(meta: JsonObject | undefined): Said | undefined {
  const error = object(meta, 'error');
  const message = text(error, 'message');
  if (message !== undefined) {
    const details = text(error, 'additionalDetails');
    const severity = member(error, 'willRetry') === true ? 'warning' : 'error';
    return { severity, text: details === undefined ? message : `${message}: ${details}` };
  }
  if (text(object(meta, 'threadStatus'), 'type') !== 'systemError') return undefined;
  return { severity: 'error', text: 'Codex says that it cannot go on (system error)' };
}
