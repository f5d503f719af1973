import {
  encodeEventMessage,
  encodeMessage,
  type Filter,
  isEphemeral,
  KIND_AUTH,
  matchFilter,
  type NostrEvent,
  parseClientMessage,
} from '@heliograph/wire';
import type { ClientSocket, OpenSocket } from '../socket.ts';

interface Peer {
  readonly socket: ClientSocket;
  readonly subscriptions: Map<string, readonly Filter[]>;
  authenticated: boolean;
  /** What this peer sent, in order. */
  readonly said: string[];
}

/** A relay in memory for tests of the client: real messages over sockets without a network. */
export class MemoryRelay {
  readonly peers: Peer[] = [];
  readonly stored: NostrEvent[] = [];
  /** Whether it sends a challenge on connect, and refuses what comes before AUTH. */
  challenges = true;
  requiresAuth = true;
  /** Refuses the AUTH itself with these words. */
  authRefusal: string | undefined;
  /** Refuses connections. */
  down = false;
  /** Swallows everything: a half-open connection. */
  deaf = false;
  /** Answers an EVENT instead of the relay; `undefined` lets it be taken. */
  answer: (event: NostrEvent) => readonly [boolean, string] | 'silence' | undefined = () => undefined;

  readonly open: OpenSocket = () => {
    const socket: ClientSocket = {
      send: (text) => this.#receive(peer, text),
      close: () => this.drop(peer, 'closed'),
      onOpen: () => {},
      onMessage: () => {},
      onClose: () => {},
    };
    const peer: Peer = { socket, subscriptions: new Map(), authenticated: false, said: [] };
    queueMicrotask(() => {
      if (this.down) {
        socket.onClose('connection refused');
        return;
      }
      this.peers.push(peer);
      socket.onOpen();
      if (this.challenges) socket.onMessage(encodeMessage(['AUTH', 'challenge']));
    });
    return socket;
  };

  drop(peer: Peer, reason: string): void {
    const at = this.peers.indexOf(peer);
    if (at === -1) return;
    this.peers.splice(at, 1);
    queueMicrotask(() => peer.socket.onClose(reason));
  }

  /** Sends an event to whoever asked for it, as if somebody had published it. */
  deliver(event: NostrEvent): number {
    let listeners = 0;
    for (const peer of this.peers) {
      for (const [subId, filters] of peer.subscriptions) {
        if (!filters.some((filter) => matchFilter(filter, event))) continue;
        listeners++;
        peer.socket.onMessage(encodeEventMessage(subId, JSON.stringify(event)));
      }
    }
    return listeners;
  }

  #receive(peer: Peer, text: string): void {
    peer.said.push(text);
    if (this.deaf) return;
    const parsed = parseClientMessage(text);
    if (!parsed.ok) throw new Error(`the client said ${text.slice(0, 80)}`);
    const [type, subject, ...filters] = parsed.value;
    const reply = (message: string) => queueMicrotask(() => peer.socket.onMessage(message));
    if (type === 'AUTH') {
      peer.authenticated = this.authRefusal === undefined && subject.kind === KIND_AUTH;
      reply(encodeMessage(['OK', subject.id, peer.authenticated, this.authRefusal ?? '']));
    } else if (type === 'EVENT') {
      const answer = this.#answerFor(peer, subject);
      if (answer !== 'silence') reply(encodeMessage(['OK', subject.id, ...answer]));
    } else if (type === 'CLOSE') {
      peer.subscriptions.delete(subject);
    } else if (this.requiresAuth && !peer.authenticated) {
      reply(encodeMessage(['CLOSED', subject, 'auth-required: who are you?']));
    } else {
      peer.subscriptions.set(subject, filters as Filter[]);
      const newestFirst = [...this.stored].sort((a, b) => b.created_at - a.created_at);
      const found = (filters as Filter[]).flatMap((filter) =>
        newestFirst.filter((event) => matchFilter(filter, event)).slice(0, filter.limit),
      );
      for (const event of new Set(found)) reply(encodeEventMessage(subject, JSON.stringify(event)));
      reply(encodeMessage(['EOSE', subject]));
    }
  }

  #answerFor(peer: Peer, event: NostrEvent): readonly [boolean, string] | 'silence' {
    if (this.requiresAuth && !peer.authenticated) return [false, 'auth-required: who are you?'];
    const scripted = this.answer(event);
    if (scripted !== undefined) return scripted;
    if (!isEphemeral(event.kind)) this.stored.push(event);
    const listeners = this.deliver(event);
    return isEphemeral(event.kind) && listeners === 0 ? [false, 'mute: nobody listens'] : [true, ''];
  }
}
