import {
  addFigures,
  figures,
  hasFigures,
  NO_FIGURES,
  readPromptUsage,
  USAGE_KEYS,
  type UsageFigures,
  type UsageNote,
} from '@heliograph/wire';

/** What of a session's usage outlives a harness. */
export interface UsageSoFar {
  readonly sessionId: string;
  readonly turnSeq: number;
  /** Of the turns of this session, as they were told. */
  readonly sum: UsageFigures;
}

/**
 * One session's usage. `base`: the agent's counters at the last turn's end, null where they were never seen; `now`: as last
 * told; `told`: which were told since the last turn's end; `broken`: which ran backwards, so that they say nothing any more;
 * `isAdrift`: what is told between turns only says where the counters stand, for nothing was counted yet.
 */
export interface UsageState extends UsageSoFar {
  readonly isAdrift: boolean;
  readonly base: UsageFigures;
  readonly now: UsageFigures;
  readonly told: readonly (keyof UsageFigures)[];
  readonly broken: readonly (keyof UsageFigures)[];
  /** Model calls of the open turn, added up. */
  readonly calls: UsageFigures | undefined;
  readonly model: string | null;
}

/** What one turn used, and the session so far. */
export interface TurnUsage {
  readonly turnSeq: number;
  readonly model: string | null;
  readonly turn: UsageFigures;
  readonly cumulative: UsageFigures;
  /** False: the agent told counters only, and what they stood at before the turn is not known. */
  readonly deltaReliable: boolean;
}

const ZERO = figures(() => 0);

/**
 * Begins to count a session. A new one has used nothing yet. One that is opened again goes on from `before`, where that is
 * its own; where its counters stand in the agent's new process is not known until they are told.
 */
export function openUsage(sessionId: string, isNew: boolean, before: UsageSoFar | undefined): UsageState {
  const fresh = { now: NO_FIGURES, told: [], broken: [], calls: undefined, model: null };
  if (isNew) return { ...fresh, sessionId, turnSeq: 0, sum: ZERO, base: ZERO, isAdrift: false };
  const known = before?.sessionId === sessionId ? before : { turnSeq: 0, sum: NO_FIGURES };
  return { ...fresh, sessionId, turnSeq: known.turnSeq, sum: known.sum, base: NO_FIGURES, isAdrift: true };
}

/** Takes what the agent tells of usage, in a turn or between two. */
export function noteUsage(state: UsageState, note: UsageNote, inTurn: boolean): UsageState {
  const { counters, call } = note;
  const told = USAGE_KEYS.filter((key) => counters[key] !== null);
  const ranBack = told.filter((key) => (counters[key] ?? 0) < (state.now[key] ?? state.base[key] ?? 0));
  const now = figures((key) => counters[key] ?? state.now[key]);
  return {
    ...state,
    now,
    base: state.isAdrift && !inTurn ? now : state.base,
    told: inTurn ? union(state.told, told) : state.told,
    broken: union(state.broken, ranBack),
    calls:
      inTurn && hasFigures(call) ? (state.calls === undefined ? call : addFigures(state.calls, call)) : state.calls,
    model: note.model ?? state.model,
  };
}

/**
 * Ends a turn with its prompt's answer (undefined: there was none). Tokens come from one source: the answer, else the calls,
 * else the counters. A turn without a figure leaves the session's sum of it unknown from then on: null, never too little.
 */
export function endUsage(state: UsageState, result: unknown): { readonly state: UsageState; readonly used: TurnUsage } {
  const answer = readPromptUsage(result);
  const direct = hasFigures(answer.figures) ? answer.figures : state.calls;
  const sound = (key: keyof UsageFigures) => state.told.includes(key) && !state.broken.includes(key);
  const delta = figures((key) => (sound(key) ? difference(state.now[key], state.base[key]) : null));
  const turn = direct === undefined ? delta : { ...direct, costUsd: delta.costUsd };
  const sum = addFigures(state.sum, turn);
  const counted = figures((key) =>
    (direct === undefined || key === 'costUsd') && !state.broken.includes(key) ? state.now[key] : null,
  );
  const cumulative = figures((key) => counted[key] ?? sum[key]);
  const turnSeq = state.turnSeq + 1;
  const used = {
    turnSeq,
    model: answer.model ?? state.model,
    turn,
    cumulative,
    deltaReliable: hasFigures(turn) || state.told.length === 0,
  };
  const base = figures((key) => (state.told.includes(key) ? state.now[key] : state.base[key]));
  return { state: { ...state, turnSeq, sum, base, told: [], calls: undefined, isAdrift: false }, used };
}

/** In billionths: 0.0024 − 0.0016 is 0.0008, and no more digits than that. */
function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : Math.round((now - before) * 1e9) / 1e9;
}

function union<T>(some: readonly T[], more: readonly T[]): readonly T[] {
  return more.every((one) => some.includes(one)) ? some : [...new Set([...some, ...more])];
}
