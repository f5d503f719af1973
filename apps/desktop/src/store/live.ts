import type { Presence, Repairs, StreamSpan } from '@heliograph/client';
import { type GapItem, isQuestion, type QuestionItem, type Transcript, type Turn } from '@heliograph/transcript';
import type { Snapshot } from '@heliograph/wire';

/** Whether a stream is now and not a replay of the past: my snapshot named it, or it opened after that (DT11). */
export function isLiveStream(presence: Presence | undefined, stream: string | undefined): boolean {
  return presence?.harness === 'live' && stream !== undefined && presence.liveStreams.includes(stream);
}

/** Whether an answer would reach the request: it is pending, bound to a nonce and to the line that is shown, and live. */
export function isAnswerable(presence: Presence | undefined, item: QuestionItem): boolean {
  const isShown = item.requestSha256 === undefined || item.requestSha256 === item.lineSha256;
  return item.state === 'pending' && item.nonce !== undefined && isShown && isLiveStream(presence, item.request.stream);
}

/**
 * The prompt turn that is being answered now; an open turn of a stream that is not live is history, and one whose newest
 * lines are still being read may have ended long ago.
 */
export function runningTurn(
  presence: Presence | undefined,
  transcript: Transcript | undefined,
  snapshot?: Snapshot,
): Turn | undefined {
  const turn = openTurn(presence, transcript);
  return turn === undefined || isUnread(turn, transcript, snapshot) ? undefined : turn;
}

/** Whether what the last turn came to is not known: its newest lines are on their way. */
export function isBeingRead(
  presence: Presence | undefined,
  transcript: Transcript | undefined,
  snapshot: Snapshot | undefined,
): boolean {
  const turn = openTurn(presence, transcript);
  return turn !== undefined && isUnread(turn, transcript, snapshot);
}

function openTurn(presence: Presence | undefined, transcript: Transcript | undefined): Turn | undefined {
  const turn = transcript?.turns.findLast((t) => t.source !== 'none');
  return turn?.status === 'open' && isLiveStream(presence, turn.refs.at(-1)?.stream) ? turn : undefined;
}

/** Lines after all that is here are missing, and the harness, asked since the turn began, named no such turn as open. */
function isUnread(turn: Turn, transcript: Transcript | undefined, snapshot: Snapshot | undefined): boolean {
  const newest = transcript?.turns.at(-1);
  const gap = newest?.items.at(-1);
  if (gap?.kind !== 'gap' || gap.lost || snapshot === undefined || turn.startedAt > snapshot.now) return false;
  if ((newest?.refs.at(-1)?.last ?? 0) > gap.lastSeq) return false;
  return snapshot.channels.find(({ channelId }) => channelId === transcript?.channelId)?.activeTurn !== turn.id;
}

const NONE: readonly QuestionItem[] = [];

/** What waits for the owner in a session, oldest first; where nothing does, the same value each time. */
export function answerableQuestions(
  presence: Presence | undefined,
  transcript: Transcript | undefined,
): readonly QuestionItem[] {
  if (presence?.harness !== 'live' || transcript === undefined) return NONE;
  const found: QuestionItem[] = [];
  // A request is pending only in a turn that is open, and open turns are the last ones.
  for (let at = transcript.turns.length - 1; at >= 0; at--) {
    const turn = transcript.turns[at] as Turn;
    for (const item of turn.items) if (isQuestion(item) && isAnswerable(presence, item)) found.push(item);
    if (turn.status === 'ended' && turn.source !== 'none') break;
  }
  return found.length === 0 ? NONE : found.sort((a, b) => (a.at < b.at ? -1 : 1));
}

/**
 * How it stands with lines that are not here: `lost`, the harness never kept them or has them no more; `awaited`, they are
 * asked for; `missing`, they were asked for in vain, or never; `unasked`, there is nobody to ask now.
 */
export function gapState(
  presence: Presence | undefined,
  repairs: Repairs,
  gap: GapItem,
): 'lost' | 'awaited' | 'missing' | 'unasked' {
  const within = (spans: readonly StreamSpan[]) =>
    spans.filter(({ stream, first, last }) => stream === gap.stream && first <= gap.lastSeq && last >= gap.firstSeq);
  if (gap.lost) return 'lost';
  if (presence?.harness === 'live' && within(repairs.awaited).length > 0) return 'awaited';
  if (covers(within(repairs.gone), gap)) return 'lost';
  if (presence?.harness === 'waiting') return 'awaited';
  return presence?.harness === 'live' ? 'missing' : 'unasked';
}

/** Whether every line of a gap is in one of these spans of its stream. */
function covers(spans: readonly StreamSpan[], { firstSeq, lastSeq }: GapItem): boolean {
  let next = firstSeq;
  for (const { first, last } of spans.toSorted((a, b) => a.first - b.first)) {
    if (first > next) return false;
    next = Math.max(next, last + 1);
  }
  return next > lastSeq;
}
