import { type Item, isQuestion, type Replay, type Transcript } from '@heliograph/transcript';
import type { ReplayMark } from './reader-protocol.ts';

/** More than this no scrubber can show: then only failures and questions, then only the newest of those. */
const MAX_MARKS = 300;

/** Where turns begin, something failed, or the agent asked, in a session's past. */
export function replayMarks(transcript: Transcript, replay: Replay): readonly ReplayMark[] {
  const turns: ReplayMark[] = [];
  const others: ReplayMark[] = [];
  const positionOf = ({ refs }: Pick<Item, 'refs'>, at: 'first' | 'last') => {
    const ref = refs.at(at === 'first' ? 0 : -1);
    return ref === undefined ? 0 : replay.positionOf(ref.stream, ref[at]);
  };
  for (const turn of transcript.turns) {
    if (turn.source !== 'none') turns.push({ position: positionOf(turn, 'first'), kind: 'turn' });
    for (const item of turn.items) {
      if (isQuestion(item)) others.push({ position: positionOf(item, 'first'), kind: 'question' });
      else if (item.kind === 'error' || (item.kind === 'tool' && item.status === 'failed'))
        others.push({ position: positionOf(item, 'last'), kind: 'failure' });
    }
  }
  if (turns.length + others.length <= MAX_MARKS) return [...turns, ...others];
  return others.slice(-MAX_MARKS);
}
