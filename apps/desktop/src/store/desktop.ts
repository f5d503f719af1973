import type { ControlDraft } from '@heliograph/client';
import type { Result } from '@heliograph/wire';
import type { ArchiveAnswers, ArchiveAsk } from '../archive-ask.ts';
import type { AgentChange, Failure, PageToWorker, WorkerToPage } from '../worker/protocol.ts';
import type { PageEvent } from '../worker/session-told.ts';
import {
  addControl,
  addWarning,
  applyEvents,
  applySession,
  createDesktopStore,
  type DesktopStore,
  dismissWarning,
  dropControl,
  nameControl,
  type Reveal,
  selectSession,
  wantSession,
} from './desktop-store.ts';
import { createReader, type Reader } from './reader.ts';
import type { SeenMarks } from './seen.ts';
import type { SessionRef } from './session-ref.ts';

/** What the page needs of the world; handed in, so that tests and the fixture page bring their own. */
export interface DesktopPort {
  /** Sends to the worker. */
  post(message: PageToWorker): void;
  nowMs(): number;
  /**
   * Calls `act` before the next paint, or soon when nothing is painted, and `done` after that paint with what it took, ms;
   * also where `act` throws.
   */
  onFrame(act: () => void, done: (tookMs: number) => void): void;
  /** Keeps the token that opens the page again after a reload of this tab. */
  keepToken(token: string): void;
  /** A fresh UUID. */
  uuid(): string;
}

/** Orders after which channels or policies are others than the last snapshot said. */
const RESHAPING = new Set<string>([
  'new_session',
  'load_session',
  'close_session',
  'set_policy',
  'restart_agent',
  'push_subscribe',
]);
/** Prompts half typed that are kept, one per session; the oldest go first. */
const MAX_DRAFTS = 100;

/** The page's one store and everything that changes it. */
export interface Desktop {
  readonly store: DesktopStore;
  readonly nowMs: () => number;
  /** Asks the worker about sessions: what would take too long here. */
  readonly reader: Reader;
  /** Takes a message of the worker. */
  receive(message: WorkerToPage): void;
  open(base: string, token: string | undefined): void;
  unlock(passphrase: string): void;
  importKey(secret: string, passphrase: string, relays: readonly string[]): void;
  /** Leaves the owner's key in this browser's extension (NIP-07), or at a remote signer (NIP-46). */
  connectExtension(relays: readonly string[]): void;
  connectBunker(address: string, relays: readonly string[]): void;
  offerConnection(meetAt: readonly string[], relays: readonly string[]): void;
  /** Asks a signer again that refused. */
  retrySigner(): void;
  forgetKey(): void;
  /** Other relays for a key that this browser keeps. */
  setRelays(relays: readonly string[]): void;
  /** The key encrypted under this passphrase, for another device. */
  moveKey(passphrase: string): Promise<Result<{ readonly ncryptsec: string }, Failure>>;
  select(ref: SessionRef | undefined): void;
  /** The session to choose once it is there; undefined: the first one, from now on. */
  want(ref: SessionRef | undefined): void;
  /** Selects a session and has its view show an item of it; undefined: it was shown. */
  reveal(place: Reveal | undefined): void;
  /** Takes over what this device remembers of what was looked at. */
  setSeen(change: (marks: SeenMarks) => SeenMarks): void;
  /** What was typed into a session's composer and not sent. */
  readDraft(key: string): string;
  keepDraft(key: string, text: string): void;
  control(agent: string, draft: ControlDraft): void;
  /** An id for a new channel. */
  newId(): string;
  dropControl(id: number): void;
  resync(agent?: string): void;
  dismissWarning(id: number): void;
  changeAgent(change: AgentChange): Promise<Result<undefined, Failure>>;
  invite(name: string, relays: readonly string[]): Promise<Result<{ readonly text: string }, Failure>>;
  /** Asks this machine's archive. `signal`: who asked no longer waits, so the host stops looking; that never resolves. */
  askArchive<A extends Exclude<ArchiveAsk, { ask: 'lines' }>>(
    question: A,
    signal?: AbortSignal,
  ): Promise<Result<ArchiveAnswers[A['ask']], Failure>>;
  /** Brings a kept session's lines into the page; `isWhole`: all of them. `signal` as in `askArchive`. */
  readArchived(
    agent: string,
    session: number,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly isWhole: boolean }, Failure>>;
}

export function createDesktop(port: DesktopPort): Desktop {
  const store = createDesktopStore();
  const reader = createReader((request) => port.post({ type: 'read', request }));
  const answers = new Map<number, (result: never) => void>();
  const drafts = new Map<string, string>();
  let lastId = 0;
  let waiting: PageEvent[] = [];
  let isFrameDue = false;

  /** Many messages may come between two paints: they change the screen once, and the worker hears when. */
  function receiveEvents(events: readonly PageEvent[]): void {
    for (const event of events) waiting.push(event);
    if (isFrameDue) return;
    isFrameDue = true;
    port.onFrame(
      () => {
        isFrameDue = false;
        flush();
      },
      // Told even where something can't be shown: the worker would wait for it for good, and the screen with it.
      (tookMs) => port.post({ type: 'painted', tookMs }),
    );
  }

  function flush(): void {
    const events = waiting;
    waiting = [];
    apply(events);
  }

  function apply(events: readonly PageEvent[]): void {
    if (events.length === 0) return;
    store.setState((state) => applyEvents(state, events));
    // What the harness was told to be shows only in its next snapshot.
    for (const event of events)
      if (event.type === 'control' && event.progress.phase === 'done' && RESHAPING.has(event.progress.type))
        port.post({ type: 'resync', agent: event.progress.agent });
  }

  function ask<T>(message: (id: number) => PageToWorker, signal?: AbortSignal): Promise<T> {
    const id = ++lastId;
    return new Promise((resolve) => {
      answers.set(id, resolve);
      port.post(message(id));
      const drop = () => {
        if (answers.delete(id)) port.post({ type: 'drop-archive', id });
      };
      signal?.addEventListener('abort', drop, { once: true });
    });
  }

  function answer(id: number, result: unknown): void {
    answers.get(id)?.(result as never);
    answers.delete(id);
  }

  return {
    store,
    nowMs: port.nowMs,
    reader,
    receive(message) {
      switch (message.type) {
        case 'session':
          return store.setState((state) => applySession(state, message.session));
        case 'signer':
          return store.setState((state) => ({ ...state, signer: message.signer }));
        case 'next-token':
          return port.keepToken(message.token);
        case 'events':
          return receiveEvents(message.events);
        case 'read':
          // It may speak of what was told just before; lines, which come all the time, speak of themselves alone.
          if (message.answer.type !== 'lines') flush();
          return reader.receive(message.answer);
        case 'problem':
          return store.setState((state) => addWarning(state, undefined, 'worker', message.message));
        case 'control-started':
          store.setState((state) => nameControl(state, message.id, message.requestId));
          return;
        case 'agent-changed':
        case 'invited':
        case 'key-moved':
        case 'archive-said':
        case 'archived-read':
          return answer(message.id, message.result);
      }
    },
    open: (base, token) => port.post({ type: 'open', base, token }),
    unlock: (passphrase) => port.post({ type: 'unlock', passphrase }),
    importKey: (secret, passphrase, relays) => port.post({ type: 'import', secret, passphrase, relays }),
    connectExtension: (relays) => port.post({ type: 'use-extension', relays }),
    connectBunker: (address, relays) => port.post({ type: 'use-bunker', address, relays }),
    offerConnection: (meetAt, relays) => port.post({ type: 'offer-connection', meetAt, relays }),
    retrySigner: () => port.post({ type: 'retry-signer' }),
    forgetKey: () => port.post({ type: 'forget-key' }),
    setRelays: (relays) => port.post({ type: 'set-relays', relays }),
    moveKey: (passphrase) => ask((id) => ({ type: 'move-key', id, passphrase })),
    select: (ref) => store.setState((state) => selectSession(state, ref)),
    want: (ref) => store.setState((state) => wantSession(state, ref)),
    reveal: (reveal) => store.setState((state) => ({ ...selectSession(state, reveal?.ref ?? state.selected), reveal })),
    setSeen: (change) =>
      store.setState((state) => {
        const seen = change(state.seen);
        return seen === state.seen ? state : { ...state, seen };
      }),
    readDraft: (key) => drafts.get(key) ?? '',
    keepDraft(key, text) {
      drafts.delete(key);
      if (text !== '') drafts.set(key, text);
      const [oldest] = drafts.keys();
      if (drafts.size > MAX_DRAFTS && oldest !== undefined) drafts.delete(oldest);
    },
    control(agent, draft) {
      const id = ++lastId;
      store.setState((state) => addControl(state, { id, agent, draft, startedAtMs: port.nowMs() }));
      port.post({ type: 'control', id, agent, draft });
    },
    newId: port.uuid,
    dropControl: (id) => store.setState((state) => dropControl(state, id)),
    resync: (agent) => port.post({ type: 'resync', agent }),
    dismissWarning: (id) => store.setState((state) => dismissWarning(state, id)),
    changeAgent: (change) => ask((id) => ({ type: 'change-agent', id, change })),
    askArchive: (question, signal) => ask((id) => ({ type: 'archive', id, ask: question }), signal),
    readArchived: (agent, session, signal) => ask((id) => ({ type: 'read-archived', id, agent, session }), signal),
    invite: (name, relays) => ask((id) => ({ type: 'invite', id, name, relays })),
  };
}
