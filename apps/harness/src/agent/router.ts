import { type Direction, type RpcMessage, scanMembers } from '@heliograph/wire';
import { PendingRequests } from './pending-requests.ts';

/** Where a line belongs. `channelId: null` is the harness stream. */
export interface Route {
  readonly channelId: string | null;
  readonly sessionId: string | null;
}

const HARNESS: Route = { channelId: null, sessionId: null };
/** Channels an agent may open by naming sessions nobody asked for. */
export const MAX_OPENED_CHANNELS = 64;
/** What a longer session id names belongs to no channel: ids stand in the head of every event. */
export const MAX_SESSION_ID_LENGTH = 256;

/**
 * Assigns lines to channels (HA4): by `params.sessionId`; an answer, `$/cancel_request` or
 * request-scoped elicitation follows its request; the rest belongs to the harness. One router per life of an agent process.
 */
export class Router {
  readonly #openChannel: (sessionId: string) => string;
  readonly #channels = new Map<string, string>();
  /** The routes of requests that are not answered, by direction. */
  readonly #pending = { read: new PendingRequests<Route>(), write: new PendingRequests<Route>() };
  /** Channels whose session was asked for and is not known yet. */
  readonly #expected = new Set<string>();
  /** Sessions that were taken for an expected one before its answer came, by channel. */
  readonly #adopted = new Map<string, string>();
  #opened = 0;

  constructor(openChannel: (sessionId: string) => string) {
    this.#openChannel = openChannel;
  }

  /** A session for this channel was asked for: updates may come before the answer does. */
  expect(channelId: string): void {
    this.#expected.add(channelId);
  }

  /** The answer came, or will not. Undefined: none did. */
  resolve(channelId: string, sessionId: string | undefined): void {
    const adopted = this.#adopted.get(channelId);
    this.#expected.delete(channelId);
    this.#adopted.delete(channelId);
    if (sessionId === undefined) return;
    // What went here before the answer belonged to another session after all.
    if (adopted !== undefined && adopted !== sessionId) this.#channels.delete(adopted);
    this.#channels.set(sessionId, channelId);
  }

  /** A session that is asked for again: what comes for it belongs to this channel. */
  reserve(channelId: string, sessionId: string): void {
    this.#channels.set(sessionId, channelId);
  }

  /** It was not to be had: the channel waits for another one. */
  release(sessionId: string): void {
    this.#channels.delete(sessionId);
  }

  /** `text` is the line that `message` was read from. */
  route(direction: Direction, message: RpcMessage, text: string): Route {
    if (message.type === 'response' || message.type === 'error') {
      // An answer written goes with a request read, and the other way round.
      const requests = this.#pending[direction === 'read' ? 'write' : 'read'];
      return message.id === undefined ? HARNESS : (requests.take(message.id) ?? HARNESS);
    }
    const route =
      this.#routeBySession(message.params) ?? this.#routeByRequest(direction, message.method, text) ?? HARNESS;
    if (message.type === 'request') this.#pending[direction].remember(message.id, route);
    return route;
  }

  /** The channel of a session, if it has one. */
  channelOf(sessionId: string): string | undefined {
    return this.#channels.get(sessionId);
  }

  #routeBySession(params: unknown): Route | undefined {
    const sessionId = (params as { sessionId?: unknown } | null | undefined)?.sessionId;
    if (typeof sessionId !== 'string') return undefined;
    if (sessionId.length > MAX_SESSION_ID_LENGTH) return HARNESS;
    const channelId = this.#channels.get(sessionId) ?? this.#adopt(sessionId);
    return { channelId: channelId ?? null, sessionId };
  }

  /** A session nobody told us of: that of the only request for one that is open, or one the agent opened by itself. */
  #adopt(sessionId: string): string | undefined {
    const [expected, another] = this.#expected;
    if (expected !== undefined && another === undefined && !this.#adopted.has(expected)) {
      this.#adopted.set(expected, sessionId);
      this.#channels.set(sessionId, expected);
      return expected;
    }
    if (this.#opened >= MAX_OPENED_CHANNELS) return undefined;
    this.#opened++;
    const channelId = this.#openChannel(sessionId);
    this.#channels.set(sessionId, channelId);
    return channelId;
  }

  #routeByRequest(direction: Direction, method: string, text: string): Route | undefined {
    if (method !== '$/cancel_request' && method !== 'elicitation/create') return undefined;
    // One cancels what it asked itself; an elicitation is about what the other side asked.
    const isOwn = method === '$/cancel_request';
    const asked = this.#pending[(direction === 'read') === isOwn ? 'read' : 'write'];
    const id = rawRequestId(text);
    return id === undefined ? undefined : asked.first(id);
  }
}

/** The raw token of `params.requestId`: ids are compared as text. `text` is JSON. */
export function rawRequestId(text: string): string | undefined {
  const params = scanMembers(text).members.findLast(({ key }) => key === 'params');
  if (params === undefined || text[params.valueStart] !== '{') return undefined;
  const id = scanMembers(text, params.valueStart).members.findLast(({ key }) => key === 'requestId');
  return id === undefined ? undefined : text.slice(id.valueStart, id.valueEnd);
}
