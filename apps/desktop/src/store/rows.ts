import {
  type AwayItems,
  type Item,
  isQuestion,
  type PermissionItem,
  type QuestionItem,
  type SeqRange,
  selectRefusal,
  type ToolItem,
  type Transcript,
  type Turn,
} from '@heliograph/transcript';
import { parseTime } from '../text/human.ts';

/**
 * One row of the transcript list. Keys are stable, so that the list keeps its place when rows come before it; of a row that
 * shows what it showed before `turn` may be as it was then, but for its id and source.
 */
export type Row =
  | ItemRow
  | LooksRow
  | DelegatedRow
  | { readonly type: 'turn-end'; readonly key: string; readonly turn: Turn }
  | AwayRow;

/** One item. Of what stands beside it in its turn it holds what it shows. */
export interface ItemRow {
  readonly type: 'item';
  readonly key: string;
  readonly item: Item;
  readonly turn: Turn;
  readonly leave: Leave;
}

/** Consecutive looks at files that all went well: one sentence, opened on demand. */
export interface LooksRow {
  readonly type: 'looks';
  readonly key: string;
  readonly items: readonly ToolItem[];
  readonly turn: Turn;
}

/** A call that others were made for (a sub-agent's): those stand in it, in their order. */
export interface DelegatedRow {
  readonly type: 'delegated';
  readonly key: string;
  readonly item: ToolItem;
  readonly items: readonly ToolItem[];
  readonly turn: Turn;
  readonly leave: Leave;
}

/** What became of the leave a call needed. */
export interface Leave {
  /** For how long it waited for somebody's leave or answer, ms: that time is not the call's own. */
  readonly waitedMs: number;
  /**
   * The request for leave that it did not get; undefined where it got it, needed none, or went ahead all the same: an exit
   * code or output says so.
   */
  readonly refusal: PermissionItem | undefined;
}

/** Items that are not here, before one that is. */
export interface AwayRow {
  readonly type: 'away';
  readonly key: string;
  readonly items: number;
  /** `itemId` '': what was let go of its turn. */
  readonly before: { readonly turnId: string; readonly itemId: string };
  readonly letGo: AwayItems['letGo'];
  readonly turn: Turn;
}

const turnRows = new WeakMap<Turn, readonly Row[]>();
const transcriptRows = new WeakMap<Transcript, readonly Row[]>();

/** The rows of a transcript; those of a turn that did not change are the same values as before. */
export function selectRows(transcript: Transcript): readonly Row[] {
  let rows = transcriptRows.get(transcript);
  if (rows === undefined) {
    rows = transcript.turns.flatMap(rowsOfTurn);
    transcriptRows.set(transcript, rows);
  }
  return rows;
}

function rowsOfTurn(turn: Turn): readonly Row[] {
  let rows = turnRows.get(turn);
  if (rows === undefined) {
    rows = toRows(turn);
    turnRows.set(turn, rows);
  }
  return rows;
}

function toRows(turn: Turn): readonly Row[] {
  const rows: Row[] = [];
  let looks: ToolItem[] = [];
  const endLooks = () => {
    const [first] = looks;
    if (first === undefined) return;
    const key = `${turn.id}/${first.id}`;
    if (looks.length === 1) rows.push(keepRow(first, { type: 'item', key, item: first, turn, leave: leave(first) }));
    else rows.push(keepRow(first, { type: 'looks', key: `looks:${key}`, items: looks, turn }));
    looks = [];
  };
  const questions = turn.items.filter(isQuestion);
  const leave = (item: Item) => leaveOf(item, questions);
  const asked = openRequests(turn);
  const delegated = delegatedCalls(turn);
  const tellAway = (at: number) => {
    for (const { before, items, letGo } of turn.away ?? []) {
      if (before !== at) continue;
      endLooks();
      const itemId = letGo === undefined ? (turn.items[at]?.id ?? '') : '';
      const key = `away:${turn.id}/${itemId}`;
      rows.push({ type: 'away', key, items, before: { turnId: turn.id, itemId }, letGo, turn });
    }
  };
  for (const [at, item] of turn.items.entries()) {
    tellAway(at);
    if (item.kind === 'tool' && delegated.inner.has(item)) continue;
    // A call that waits for leave is told by the card that asks for it, unless others were made for it.
    const isTold = item.kind === 'tool' && item.endedAt === undefined && asked.has(item.toolCallId);
    if (isTold && !delegated.of.has(item)) continue;
    if (item.kind === 'tool' && isQuietLook(item) && !delegated.of.has(item)) {
      looks.push(item);
      continue;
    }
    endLooks();
    const key = `${turn.id}/${item.id}`;
    const inside = item.kind === 'tool' ? delegated.of.get(item) : undefined;
    if (item.kind === 'tool' && inside !== undefined)
      rows.push(keepRow(item, { type: 'delegated', key, item, items: inside, turn, leave: leave(item) }));
    else rows.push(keepRow(item, { type: 'item', key, item, turn, leave: leave(item) }));
  }
  endLooks();
  tellAway(turn.items.length);
  if (turn.source !== 'none' && turn.status === 'ended') rows.push({ type: 'turn-end', key: `end:${turn.id}`, turn });
  return rows;
}

/** Which calls were made for which: all below an outermost one, however deep. One whose parent is not here is its own. */
function delegatedCalls(turn: Turn) {
  const calls = new Map<string, ToolItem>();
  for (const item of turn.items) if (item.kind === 'tool') calls.set(item.toolCallId, item);
  /** Undefined: in a circle of calls that name each other, which has no outermost one. */
  const outermostOf = new Map<ToolItem, ToolItem | undefined>();
  const findOutermost = (item: ToolItem): ToolItem | undefined => {
    const path = new Set<ToolItem>();
    let at = item;
    while (!outermostOf.has(at) && !path.has(at)) {
      path.add(at);
      const parent = calls.get(at.parentToolCallId ?? '');
      if (parent === undefined) outermostOf.set(at, at);
      else at = parent;
    }
    const outermost = outermostOf.get(at);
    for (const one of path) outermostOf.set(one, outermost);
    return outermost;
  };
  const of = new Map<ToolItem, ToolItem[]>();
  const inner = new Set<ToolItem>();
  for (const item of calls.values()) {
    const outermost = findOutermost(item);
    if (outermost === undefined || outermost === item) continue;
    inner.add(item);
    const items = of.get(outermost);
    if (items === undefined) of.set(outermost, [item]);
    else items.push(item);
  }
  return { of, inner };
}

/** The items a row shows. */
function itemsOf(row: Row): readonly Item[] {
  if (row.type === 'turn-end' || row.type === 'away') return [];
  if (row.type === 'item') return [row.item];
  return row.type === 'looks' ? row.items : [row.item, ...row.items];
}

/** Calls that an undecided permission of the turn is about. */
function openRequests(turn: Turn): ReadonlySet<string | undefined> {
  const asked = new Set<string | undefined>();
  if (turn.status === 'ended') return asked;
  for (const item of turn.items) if (item.kind === 'permission' && item.state !== 'decided') asked.add(item.toolCallId);
  return asked;
}

function isQuietLook(item: ToolItem): boolean {
  return (item.toolKind === 'read' || item.toolKind === 'search') && item.status === 'completed';
}

const NO_LEAVE: Leave = { waitedMs: 0, refusal: undefined };

/** What became of the leave an item needed, of all that was asked in its turn. */
function leaveOf(item: Item, asked: readonly QuestionItem[]): Leave {
  if (item.kind !== 'tool') return NO_LEAVE;
  const about = asked.filter(({ toolCallId }) => toolCallId === item.toolCallId);
  if (about.length === 0) return NO_LEAVE;
  let waitedMs = 0;
  for (const { state, at, updatedAt } of about)
    if (state === 'decided') waitedMs += Math.max(0, (parseTime(updatedAt) ?? 0) - (parseTime(at) ?? 0));
  return { waitedMs, refusal: selectRefusal(item, about) };
}

const lastRows = new WeakMap<Item, Row>();

/** The row of before where it shows the same: it is not drawn again, though its turn went on. `of`: the item it begins with. */
function keepRow(of: Item, row: Row): Row {
  const last = lastRows.get(of);
  if (last !== undefined && showsSame(last, row)) return last;
  lastRows.set(of, row);
  return row;
}

function showsSame(a: Row, b: Row): boolean {
  if (a.type !== b.type || a.key !== b.key || a.turn.source !== b.turn.source) return false;
  const [one, two] = [itemsOf(a), itemsOf(b)];
  if (one.length !== two.length || one.some((item, at) => item !== two[at])) return false;
  const [left, right] = ['leave' in a ? a.leave : NO_LEAVE, 'leave' in b ? b.leave : NO_LEAVE];
  return left.waitedMs === right.waitedMs && left.refusal === right.refusal;
}

/** Whether a line lies in these ranges. */
export function coversLine(refs: readonly SeqRange[], stream: string, seq: number): boolean {
  return refs.some((range) => range.stream === stream && range.first <= seq && seq <= range.last);
}

const rowPlaces = new WeakMap<readonly Row[], ReadonlyMap<string, number>>();

/**
 * The row that shows an item, −1 when none does. A call that waits for leave is told by the card that asks for it; of a row
 * of several items each leads there. Cost: one pass over the rows, once for the same rows.
 */
export function findRowOfItem(rows: readonly Row[], turnId: string, itemId: string): number {
  let places = rowPlaces.get(rows);
  if (places === undefined) {
    places = placeItems(rows);
    rowPlaces.set(rows, places);
  }
  return places.get(`${turnId}/${itemId}`) ?? -1;
}

function placeItems(rows: readonly Row[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [at, row] of rows.entries()) {
    for (const item of itemsOf(row)) places.set(`${row.turn.id}/${item.id}`, at);
    if (row.type !== 'item' || row.item.kind !== 'permission') continue;
    const told = `${row.turn.id}/tool:${row.item.toolCallId}`;
    if (!places.has(told)) places.set(told, at);
  }
  return places;
}

/** The row a line became part of, −1 when it has none of its own. The narrowest item wins. */
export function findRowOfLine(rows: readonly Row[], stream: string, seq: number): number {
  return rows.findIndex((row) => itemsOf(row).some((item) => coversLine(item.refs, stream, seq)));
}
