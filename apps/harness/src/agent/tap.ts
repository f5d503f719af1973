import type { Clock } from '@heliograph/client';
import {
  classifyLine,
  classifyValue,
  type FramedLine,
  hexEncode,
  type LineBody,
  lineBody,
  type RpcMessage,
  utf8Encode,
  type Via,
} from '@heliograph/wire';
import { type Emitted, type EventBody, elidedBody, type Place } from '../mirror/observer-bus.ts';
import { mayHoldSecrets, redactLine } from '../mirror/redact.ts';
import { Intake } from './intake.ts';
import type { Route, Router } from './router.ts';

/** A line from the agent after it was recorded. */
export interface ReadLine {
  readonly message: RpcMessage;
  /** The JSON text, without a BOM. */
  readonly text: string;
  /** The text observers have: with a BOM that was there, and with secrets replaced. */
  readonly recorded: string;
  readonly route: Route;
  readonly place: Place;
  readonly emitted: Emitted;
  readonly redacted: boolean;
}

/** A line for the agent, and who made it. */
export interface OutLine {
  readonly text: string;
  readonly via: Via;
}

export interface TapPort {
  readonly router: Router;
  readonly clock: Clock;
  readonly maxLineBytes: number;
  /** Where events of a route stand now: its stream and open turn. */
  place(route: Route): Place;
  emit(place: Place, body: EventBody): Emitted;
  /** Hands bytes to the agent; `flushed` is called once. */
  send(bytes: Uint8Array, flushed: (error: Error | undefined) => void): void;
  onLine(line: ReadLine): void;
  /** Whether more can't be emitted for now: what was has to be sealed first. */
  isBehind(): boolean;
  /** Leaves the agent's output alone, or reads it again. */
  hold(on: boolean): void;
  /** Whether what the agent says of this session now is what it said before. */
  isReplayed(sessionId: string | null): boolean;
}

interface Unflushed {
  readonly line: OutLine;
  readonly message: RpcMessage;
  readonly place: Place;
  emitted: Emitted | undefined;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const LF = '\n';

/**
 * Below all parsing: what the agent writes is recorded as the bytes it was before anything acts on it, and what is written
 * to the agent goes out in whole lines, in order, and is recorded once it is out, behind what was read before.
 */
export class Tap {
  readonly #port: TapPort;
  readonly #intake: Intake;
  #unflushed: Unflushed[] = [];

  constructor(port: TapPort) {
    this.#port = port;
    const { clock, maxLineBytes } = port;
    this.#intake = new Intake({
      clock,
      maxLineBytes,
      onLine: (line, readMs) => this.#record(line, readMs),
      isBehind: () => port.isBehind(),
      hold: (on) => port.hold(on),
    });
  }

  /** Bytes from the agent. */
  read(chunk: Uint8Array): void {
    this.#intake.push(chunk);
  }

  /** The agent's output is at its end: resolves when all of it is recorded. */
  readEnd(): Promise<void> {
    return this.#intake.end();
  }

  /**
   * Writes lines as one piece: nothing comes in between. Resolves with where each was recorded, or with the reason why
   * they did not get out, which is recorded too.
   */
  write(lines: readonly OutLine[]): Promise<readonly Emitted[] | Error> {
    const batch = lines.map((line): Unflushed => {
      const message = classifyLine(line.text);
      if (!message.ok) throw new TypeError(`a line for the agent must be a JSON-RPC message: ${message.error.message}`);
      const route = this.#port.router.route('write', message.value, line.text);
      return { line, message: message.value, place: this.#port.place(route), emitted: undefined };
    });
    this.#unflushed.push(...batch);
    const bytes = utf8Encode(lines.map(({ text }) => text + LF).join(''));
    return new Promise((resolve) => {
      const flushed = (error: Error | undefined) => {
        this.#unflushed = this.#unflushed.filter((entry) => !batch.includes(entry));
        if (error !== undefined) for (const entry of batch) this.#recordFailure(entry, error);
        resolve(error ?? batch.map((entry) => this.#recordWrite(entry)));
      };
      this.#port.send(bytes, (error) => this.#intake.inTurn(() => flushed(error)));
    });
  }

  #record(line: FramedLine, readMs: number): void {
    const ends = line.unterminated ? { readMs, unterminated: true as const } : { readMs };
    if (line.type === 'long') {
      this.#recordLong(line, ends);
      return;
    }
    const body = lineBody('read', line.bytes, base64);
    if (body === undefined) return;
    const { kind, payload, fragile, json } = body;
    const message = json && classifyValue(json.value, json.text);
    if (json === undefined || message === undefined || !message.ok) {
      // No message, so it belongs to no session; nothing is written back.
      this.#emitRead({ channelId: null, sessionId: null }, { kind, payload, fragile, ...ends });
      return;
    }
    this.#proveWrites(message.value);
    const route = this.#port.router.route('read', message.value, json.text);
    const isReplayed = message.value.type === 'notification' && this.#port.isReplayed(route.sessionId);
    const replayed = isReplayed ? { replayed: true as const } : {};
    const read = this.#emitRead(route, { kind, payload, fragile, ...ends, ...replayed });
    this.#port.onLine({ message: message.value, text: json.text, route, ...read });
  }

  #recordLong(line: Extract<FramedLine, { type: 'long' }>, ends: Pick<EventBody, 'readMs' | 'unterminated'>): void {
    const { length, sha256, head, tail } = line;
    const decoder = new TextDecoder();
    const text = decoder.decode(head);
    const sessionId = /"sessionId"\s*:\s*"([^"\\]+)"/.exec(text)?.[1] ?? null;
    const channelId = sessionId === null ? undefined : this.#port.router.channelOf(sessionId);
    const route = { channelId: channelId ?? null, sessionId: channelId === undefined ? null : sessionId };
    const shown = mayHoldSecrets(text, decoder.decode(tail)) ? 0 : undefined;
    const body = elidedBody('acp_read', length, hexEncode(sha256), head, tail, shown);
    this.#emitRead(route, { ...body, ...ends });
  }

  /** An answer proves that its request got out, even if the system has not told us yet: the request is recorded first. */
  #proveWrites(message: RpcMessage): void {
    if (message.type !== 'response' && message.type !== 'error') return;
    const at = this.#unflushed.findLastIndex(
      (entry) => entry.message.type === 'request' && entry.message.id === message.id,
    );
    for (const entry of this.#unflushed.slice(0, at + 1)) this.#recordWrite(entry);
  }

  #recordWrite(entry: Unflushed): Emitted {
    entry.emitted ??= this.#emitWrite(entry.place, entry.line);
    return entry.emitted;
  }

  #recordFailure(entry: Unflushed, error: Error): void {
    if (entry.emitted !== undefined) return;
    const line = redactLine(entry.line.text).text;
    const payload = JSON.stringify({ line, error: error.message });
    entry.emitted = this.#port.emit(entry.place, { kind: 'acp_write_failed', payload, via: entry.line.via });
  }

  #emitWrite(place: Place, { text, via }: OutLine): Emitted {
    const { kind, fragile } = lineBody('write', utf8Encode(text), base64) as LineBody;
    const { text: payload, pointers } = redactLine(text);
    return this.#port.emit(place, { kind, payload, fragile, redacted: pointers, via });
  }

  #emitRead(route: Route, body: EventBody): Pick<ReadLine, 'place' | 'emitted' | 'recorded' | 'redacted'> {
    const place = this.#port.place(route);
    const { text: recorded, pointers } =
      body.kind === 'acp_read' ? redactLine(body.payload) : { text: body.payload, pointers: [] };
    const emitted = this.#port.emit(place, { ...body, payload: recorded, redacted: pointers });
    return { place, emitted, recorded, redacted: pointers.length > 0 };
  }
}
