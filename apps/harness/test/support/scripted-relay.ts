import type { ClientSocket, OpenSocket } from '@heliograph/client';
import { type NostrEvent, parseClientMessage } from '@heliograph/wire';

/** How a relay answers an EVENT: OK true, a refusal's text, or nothing at all; `drop` closes the connection instead. */
export type ScriptedAnswer = 'ok' | 'silence' | 'drop' | (string & {});

/** A relay in memory that answers as it is told; it asks for AUTH, and takes it, only when told to. What it took it keeps. */
export class ScriptedRelay {
  readonly received: NostrEvent[] = [];
  readonly taken: NostrEvent[] = [];
  answer: (event: NostrEvent) => ScriptedAnswer = () => 'ok';
  challenges = false;
  #socket: ClientSocket | undefined;

  readonly open: OpenSocket = () => {
    const socket: ClientSocket = {
      send: (text) => queueMicrotask(() => this.#receive(socket, text)),
      close: () => this.#close(socket),
      onOpen: () => {},
      onMessage: () => {},
      onClose: () => {},
    };
    this.#socket = socket;
    queueMicrotask(() => {
      socket.onOpen();
      if (this.challenges) socket.onMessage('["AUTH","challenge"]');
    });
    return socket;
  };

  /** Ends the connection from the relay's side. */
  drop(): void {
    if (this.#socket !== undefined) this.#close(this.#socket);
  }

  #receive(socket: ClientSocket, text: string): void {
    const message = parseClientMessage(text);
    if (message.ok && message.value[0] === 'AUTH')
      socket.onMessage(JSON.stringify(['OK', message.value[1].id, true, '']));
    if (!message.ok || message.value[0] !== 'EVENT' || this.#socket !== socket) return;
    const event = message.value[1];
    this.received.push(event);
    const answer = this.answer(event);
    if (answer === 'silence') return;
    if (answer === 'drop') {
      this.#close(socket);
      return;
    }
    if (answer === 'ok') this.taken.push(event);
    socket.onMessage(JSON.stringify(['OK', event.id, answer === 'ok', answer === 'ok' ? '' : answer]));
  }

  #close(socket: ClientSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    queueMicrotask(() => socket.onClose('the relay went away'));
  }
}
