import type { CarriedTranscript } from '../carry.ts';

/** What no sequence of events may break: the complaints, none when the transcript can be shown. */
export function insanities(transcript: CarriedTranscript): readonly string[] {
  const wrong: string[] = [];
  const { turns, carry } = transcript;
  if (new Set(turns.map(({ id }) => id)).size < turns.length) wrong.push('two turns with one id');
  const open = turns.filter(({ status }) => status === 'open').map(({ id }) => id);
  const carried = carry?.open.map(({ turnId }) => turnId) ?? [];
  if (open.length !== carried.length || !open.every((id) => carried.includes(id)))
    wrong.push('open turns and carry differ');
  for (const turn of turns) {
    const where = `turn ${turn.id}:`;
    if (new Set(turn.items.map(({ id }) => id)).size < turn.items.length) wrong.push(`${where} two items with one id`);
    if (turn.items.filter((item) => 'streaming' in item && item.streaming).length > 1)
      wrong.push(`${where} two messages being written`);
    if (turn.source === 'none' && turn.status !== 'ended') wrong.push(`${where} idle and open`);
    if ((turn.endedAt === undefined) !== (turn.status === 'open' || turn.source === 'none'))
      wrong.push(`${where} an end without its time`);
    for (const item of turn.items) {
      if (item.refs.length === 0) wrong.push(`${where} ${item.id} comes from nowhere`);
      if (turn.status === 'open' || turn.source === 'none') continue;
      if ('streaming' in item && item.streaming) wrong.push(`${where} ${item.id} streams after the end`);
      if (item.kind === 'tool' && ['pending', 'in_progress'].includes(item.status))
        wrong.push(`${where} ${item.id} runs after the end`);
    }
  }
  return wrong;
}
