import { addPart, partsText, readParts } from './content.ts';
import { has, type JsonObject, jsonText, text } from './json.ts';
import type { MessageItem, Part } from './model.ts';
import type { Stamp, Step } from './step.ts';
import { changeOpen, markRunning, openTurnOf, speechTurn } from './turn.ts';

type Speaker = MessageItem['kind'];

/** A message with one more part at its end. */
function appendPart(
  before: MessageItem | undefined,
  stamp: Stamp,
  said: {
    readonly kind: Speaker;
    readonly messageId: string | undefined;
    readonly part: Part;
    readonly streaming: boolean;
  },
): MessageItem {
  const { kind, part, streaming } = said;
  const { id, refs, at, updatedAt, late } = stamp;
  const messageId = said.messageId ?? before?.messageId;
  const parts = addPart(before?.parts ?? [], part);
  // Every chunk makes one: member by member, which costs a fraction of spreading the stamp.
  return late === undefined
    ? { id, refs, at, updatedAt, kind, messageId, parts, streaming }
    : { id, refs, at, updatedAt, late, kind, messageId, parts, streaming };
}

/** `…_message_chunk`, `…_thought_chunk`: more of a message. False when the update has no content to show. */
export function reduceChunk(step: Step, kind: Speaker, update: JsonObject): boolean {
  if (!has(update, 'content')) return false;
  const turn = speechTurn(step);
  markRunning(step, turn);
  for (const part of readParts(update.content)) {
    if (part.type === 'text' && part.text === '') continue;
    const messageId = text(update, 'messageId');
    if (kind === 'user' && absorbEcho(step, turn, part, messageId)) continue;
    append(step, turn, kind, messageId, part);
  }
  return true;
}

function append(step: Step, turn: number, kind: Speaker, messageId: string | undefined, part: Part): void {
  const { draft } = step;
  const streaming = draft.head(turn).status === 'open';
  const id = messageId === undefined ? continuedId(step, turn, kind) : `${kind}:${messageId}`;
  const before = draft.item(turn, id);
  const item = step.place<MessageItem>(turn, id, (known, stamp) =>
    appendPart(known, stamp, { kind, messageId, part: kind === 'thought' ? apart(known, part) : part, streaming }),
  );
  if (before !== undefined) endOther(step, turn, item.id);
  if (!streaming) return;
  const { id: turnId } = draft.head(turn);
  const { streaming: known } = draft.carry;
  if (known?.itemId === item.id && known.turnId === turnId) return;
  draft.carry = { ...draft.carry, streaming: { turnId, itemId: item.id } };
}

/**
 * Thoughts that are told whole, each under a heading (gemini's), are paragraphs. A piece of one comes under an empty heading,
 * which would be drawn as a rule: it goes on in the next line.
 */
function apart(before: MessageItem | undefined, part: Part): Part {
  if (part.type !== 'text') return part;
  const text = part.text.replace(/^\*{4}\n(?=.)/s, '');
  const last = before?.parts.at(-1);
  if (last?.type !== 'text' || last.text.endsWith('\n')) return { ...part, text };
  if (text !== part.text) return { ...part, text: `\n${text}` };
  return /^\*\*[^*\n]+\*\*\n/.test(text) ? { ...part, text: `\n\n${text}` } : part;
}

/** Text that moves from one message to another (thought and answer alternate): only one is being written. */
function endOther(step: Step, turn: number, itemId: string): void {
  if (step.draft.carry.streaming?.itemId !== itemId) step.endStreaming(turn);
}

/**
 * Without an id a chunk goes on with the last row, if that is of the same speaker and has no id either; notices in between do
 * not count. What agents that name their messages say without an id (claude's warnings, codex's errors) is no more of them.
 */
function continuedId(step: Step, turn: number, kind: Speaker): string {
  const items = step.draft.items(turn);
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind === kind) {
      const isOther = item.id === promptOf(step, turn)?.promptItemId || item.messageId !== undefined;
      return isOther ? freshId(step, kind) : item.id;
    }
    if (item?.kind !== 'notice') break;
  }
  return freshId(step, kind);
}

function freshId(step: Step, kind: Speaker): string {
  return `${kind}:@${step.origin}`;
}

function promptOf(step: Step, turn: number) {
  return openTurnOf(step.draft.carry, step.draft.head(turn).id);
}

/** What the user sent (`session/prompt`, or text steered into a running turn): the turn's user item. */
export function placePrompt(step: Step, turn: number, blocks: unknown): void {
  const parts = readParts(blocks).reduce(addPart, [] as readonly Part[]);
  const id = freshId(step, 'user');
  step.place<MessageItem>(turn, id, (_, stamp) => ({
    ...stamp,
    kind: 'user',
    messageId: undefined,
    parts,
    streaming: false,
  }));
  changeOpen(step, step.draft.head(turn).id, { promptItemId: id, echoed: 0 });
}

/** Whether a user chunk repeats what the turn's prompt already shows. Agents echo it whole, in pieces, or twice. */
function absorbEcho(step: Step, turn: number, part: Part, messageId: string | undefined): boolean {
  const open = promptOf(step, turn);
  const prompt = open?.promptItemId === undefined ? undefined : step.draft.item(turn, open.promptItemId);
  if (open === undefined || prompt?.kind !== 'user') return false;
  if (part.type !== 'text') {
    if (!prompt.parts.some((sent) => jsonText(sent) === jsonText(part))) return false;
  } else {
    const sent = partsText(prompt.parts);
    const from = sent.startsWith(part.text, open.echoed) ? open.echoed : 0;
    const whole = part.text.trim() === sent.trim();
    if (!whole && !sent.startsWith(part.text, from)) return false;
    changeOpen(step, open.turnId, { echoed: whole ? 0 : (from + part.text.length) % sent.length });
  }
  nameMessage(step, turn, prompt.id, messageId);
  return true;
}

/** The agent's id for a message that is shown already. */
function nameMessage(step: Step, turn: number, itemId: string, messageId: string | undefined): void {
  step.place<MessageItem>(turn, itemId, (before, stamp) =>
    before === undefined
      ? { ...stamp, kind: 'user', messageId, parts: [], streaming: false }
      : { ...before, refs: stamp.refs, messageId: before.messageId ?? messageId },
  );
}

/** The prompt was accepted under this id (v2 prompt result). */
export function namePrompt(step: Step, turnId: string, messageId: string | undefined): void {
  const turn = step.draft.turnAt(turnId);
  const itemId = openTurnOf(step.draft.carry, turnId)?.promptItemId;
  if (turn >= 0 && itemId !== undefined && messageId !== undefined) nameMessage(step, turn, itemId, messageId);
}

/** v2 `user_message`, `agent_message`, `agent_thought`: the message as a whole. False when it has no id. */
export function reduceMessage(step: Step, kind: Speaker, update: JsonObject): boolean {
  const messageId = text(update, 'messageId');
  if (messageId === undefined) return false;
  const turn = speechTurn(step);
  markRunning(step, turn);
  if (!has(update, 'content')) return true;
  const parts = update.content === null ? [] : readParts(update.content).reduce(addPart, [] as readonly Part[]);
  if (kind === 'user' && echoesPrompt(step, turn, parts, messageId)) return true;
  const id = `${kind}:${messageId}`;
  if (parts.length === 0 && step.draft.item(turn, id) === undefined) return true;
  step.place<MessageItem>(turn, id, (before, stamp) => ({
    ...stamp,
    kind,
    messageId,
    parts,
    streaming: before?.streaming ?? false,
  }));
  return true;
}

function echoesPrompt(step: Step, turn: number, parts: readonly Part[], messageId: string): boolean {
  const itemId = promptOf(step, turn)?.promptItemId;
  const prompt = itemId === undefined ? undefined : step.draft.item(turn, itemId);
  if (prompt?.kind !== 'user') return false;
  if (prompt.messageId !== messageId && partsText(prompt.parts).trim() !== partsText(parts).trim()) return false;
  nameMessage(step, turn, prompt.id, messageId);
  return true;
}
