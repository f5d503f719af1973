import type { Draft } from './draft.ts';
import { finite, type JsonObject, object } from './json.ts';
import type { GapItem } from './model.ts';
import { Step } from './step.ts';
import { changeOpen, noteTurn } from './turn.ts';

/** Lines are missing before this one: a row stands for them until they come. */
export function placeGap(step: Step, first: number, last: number): void {
  const turn = noteTurn(step);
  step.place<GapItem>(turn, `gap:${step.stream}:${first}`, () => missing(step, first, last));
  for (const { turnId } of step.draft.carry.open) changeOpen(step, turnId, { holed: true });
}

/** A stream is known to go on to `end`, and nothing of that is here. */
export function reduceMissing(draft: Draft, stream: string, end: number): void {
  const first = draft.carry.lastSeq + 1;
  const timestamp = draft.carry.lastAt ?? '';
  const nothing = { agentIndex: null, channelId: draft.channelId, sessionId: null, turnId: null, payload: '{}' };
  placeGap(new Step(draft, { ...nothing, stream, seq: end, timestamp, kind: 'heads' }), first, end);
}

/** A stream is left that is known to go on to `end`: what is not here of it is missing. */
export function reduceTail(draft: Draft, stream: string, end: number): void {
  if (draft.carry.stream === stream && end > draft.carry.lastSeq) reduceMissing(draft, stream, end);
}

function missing(step: Step, first: number, last: number): GapItem {
  return {
    id: `gap:${step.stream}:${first}`,
    refs: [{ stream: step.stream, first, last }],
    at: step.at,
    updatedAt: step.at,
    kind: 'gap',
    stream: step.stream,
    firstSeq: first,
    lastSeq: last,
    lost: false,
    reasons: [],
  };
}

/** `observer_telemetry_gap`: these numbers will not come. Only what is missing here is marked: a line that is held beats a gap. */
export function reduceTelemetryGap(step: Step, payload: JsonObject | undefined): void {
  const [first, last] = [finite(payload, 'firstSeq'), finite(payload, 'lastSeq')];
  if (first === undefined || last === undefined) return;
  const reasons = Object.keys(object(payload, 'reasonCounts') ?? {}).slice(0, 16);
  const { draft } = step;
  for (let turn = draft.turnCount - 1; turn >= 0; turn--) {
    const gaps = draft
      .items(turn)
      .filter((item): item is GapItem => item.kind === 'gap' && item.stream === step.stream);
    for (const gap of gaps) {
      if (gap.lastSeq < first || gap.firstSeq > last) continue;
      draft.replace(turn, gap.id, losePart(gap, first, last, reasons));
      step.touched.add(turn);
    }
  }
}

/** The gap in up to three pieces: what is before the lost range, the lost part, what comes after. */
function losePart(gap: GapItem, first: number, last: number, reasons: readonly string[]): readonly GapItem[] {
  const from = Math.max(gap.firstSeq, first);
  const to = Math.min(gap.lastSeq, last);
  const all = [...new Set([...gap.reasons, ...reasons])];
  const pieces: GapItem[] = [{ ...piece(gap, from, to), lost: true, reasons: all }];
  if (gap.firstSeq < from) pieces.unshift(piece(gap, gap.firstSeq, from - 1));
  if (gap.lastSeq > to) pieces.push(piece(gap, to + 1, gap.lastSeq));
  return pieces;
}

function piece(gap: GapItem, first: number, last: number): GapItem {
  const refs = [{ stream: gap.stream, first, last }];
  return { ...gap, id: `gap:${gap.stream}:${first}`, refs, firstSeq: first, lastSeq: last };
}
