import type { ObserverEvent } from '@heliograph/wire/observer';
import type { CarriedTranscript } from '../carry.ts';
import { TranscriptFold } from '../fold.ts';
import type { Item, Turn } from '../model.ts';
import { CHANNEL, MiniHarness } from './mini-harness.ts';

/** The item type that has kind K among its kinds. */
type ItemOf<K extends Item['kind'], I = Item> = I extends { readonly kind: infer J }
  ? K extends J
    ? I
    : never
  : never;

/** A session told line by line, and what a viewer sees of it so far. `told`: the harness says its part, too. */
export class Scene {
  readonly harness: MiniHarness;
  readonly fold = new TranscriptFold();
  #id = 100;
  #taken = 0;

  constructor({ told = false, version = 1 }: { readonly told?: boolean; readonly version?: number | undefined } = {}) {
    this.harness = new MiniHarness({ quiet: !told });
    this.harness.write({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: version } });
    this.harness.read({ jsonrpc: '2.0', id: 1, result: { protocolVersion: version, agentInfo: { name: 'scene' } } });
  }

  /** An update of the agent. */
  update(update: object, extra: Partial<ObserverEvent> = {}): this {
    this.harness.read({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } }, extra);
    return this;
  }

  /** Text of the agent. */
  says(text: string, messageId?: string): this {
    return this.update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
  }

  /** A prompt; its id is the answer's. */
  prompt(text = 'do it', extra: Partial<ObserverEvent> = {}): this {
    const params = { sessionId: 's', prompt: [{ type: 'text', text }] };
    this.harness.write({ jsonrpc: '2.0', id: ++this.#id, method: 'session/prompt', params }, extra);
    return this;
  }

  /** The agent's answer to the newest prompt, or to the one `back` before it. */
  answer(result: object = { stopReason: 'end_turn' }, back = 0): this {
    this.harness.read({ jsonrpc: '2.0', id: this.#id - back, result });
    return this;
  }

  refuse(error: object): this {
    this.harness.read({ jsonrpc: '2.0', id: this.#id, error });
    return this;
  }

  cancel(): this {
    this.harness.write({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } });
    return this;
  }

  /** The agent's question number `id` about a tool call. */
  ask(id: number, toolCall: object, more: object = {}): this {
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const params = { sessionId: 's', toolCall, options, ...more };
    this.harness.read({ jsonrpc: '2.0', id, method: 'session/request_permission', params });
    return this;
  }

  /** The client's answer to a question. */
  decide(id: number, outcome: object, extra: Partial<ObserverEvent> = {}): this {
    this.harness.write({ jsonrpc: '2.0', id, result: { outcome } }, extra);
    return this;
  }

  /** An event of the harness in the channel's stream. */
  note(kind: string, payload: unknown, extra: Partial<ObserverEvent> = {}): this {
    this.harness.say(this.harness.stream, { ...extra, kind, payload });
    return this;
  }

  /** An event of the harness in its own stream. */
  harnessNote(kind: string, payload: unknown): this {
    this.harness.say(this.harness.run, { kind, payload });
    return this;
  }

  get transcript(): CarriedTranscript {
    for (const event of this.harness.events.slice(this.#taken)) this.fold.insert(event);
    this.#taken = this.harness.events.length;
    return this.fold.transcript(CHANNEL);
  }

  get turns(): readonly Turn[] {
    return this.transcript.turns;
  }

  /** The n-th turn, the newest by default. */
  turn(n = -1): Turn {
    const turn = this.turns.at(n);
    if (turn === undefined) throw new RangeError(`no turn ${n}`);
    return turn;
  }

  /** All items of a kind, over all turns. */
  all<K extends Item['kind']>(kind: K): readonly ItemOf<K>[] {
    return this.turns.flatMap((turn) => turn.items.filter((item): item is ItemOf<K> => item.kind === kind));
  }

  /** The only item of a kind. */
  the<K extends Item['kind']>(kind: K): ItemOf<K> {
    const [item, ...more] = this.all(kind);
    if (item === undefined || more.length > 0)
      throw new RangeError(`${more.length + (item ? 1 : 0)} items of kind ${kind}`);
    return item;
  }

  /** What the newest turn shows, kind by kind, with its text where it has one. */
  outline(n = -1): readonly string[] {
    return this.turn(n).items.map((item) => {
      if ('parts' in item)
        return `${item.kind}: ${item.parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('')}`;
      if (item.kind === 'tool') return `tool ${item.toolCallId}: ${item.status}`;
      return item.kind;
    });
  }
}
