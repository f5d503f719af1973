import { randomUUID } from 'node:crypto';
import {
  type ControlDraft,
  type ControlProgress,
  createViewer,
  openSocketWith,
  type Presence,
} from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { mergeRawLines, TranscriptFold } from '@heliograph/transcript';
import { type ControlResult, localSigner, parseInvite, parseSecretKey } from '@heliograph/wire';
import WebSocket from 'ws';
import type { MirroredAgent } from './mirrored-agent.ts';

/** An owner who watches one agent: what the real viewer client received, and a way to wait for it. */
export interface Watcher {
  /** Everything received, as transcripts and as raw lines. */
  readonly fold: TranscriptFold;
  /** What the viewer complained about: nothing, when all is well. */
  readonly warnings: readonly string[];
  /** Sends a control and resolves with its final result; rejects when it was given up. */
  control(draft: ControlDraft): Promise<ControlResult>;
  /** Resolves with the first defined value of `find`, tried whenever something came. `what` names it when time is up. */
  until<T>(what: string, find: () => T | undefined): Promise<T>;
  close(): void;
}

/** Gemini may have to wait a minute before it loads a session, and a busy machine takes several times as long for everything. */
const PATIENCE_MS = 240_000;

const LOOK_MS = 50;

/** Connects the viewer client as the owner of a mirrored agent and resolves once the harness answered its hello. */
export async function watch(mirrored: MirroredAgent, viewerId = 'suite'): Promise<Watcher> {
  const { crypto } = selectNodeCrypto();
  const secret = parseSecretKey(mirrored.ownerKey.trim());
  const invite = parseInvite(mirrored.invite, crypto);
  if (!secret.ok || !invite.ok) throw new Error('the command line made a key or an invite that can not be read');
  const fold = new TranscriptFold();
  const progress = new Map<string, ControlProgress>();
  const warnings: string[] = [];
  const retries = new Set<() => void>();
  let presence: Presence | undefined;
  let isDue = false;

  const viewer = createViewer({
    signer: localSigner(secret.value, crypto),
    relays: [mirrored.relayUrl],
    agents: [{ publicKey: mirrored.agent, name: 'agent', authTag: invite.value.authTag }],
    viewerId,
    openSocket: openSocketWith(WebSocket),
    clock: {
      nowMs: Date.now,
      setTimer(ms, fn) {
        const timer = setTimeout(fn, ms);
        return () => clearTimeout(timer);
      },
    },
    crypto,
    random: Math.random,
    uuid: randomUUID,
    onEvent(event) {
      if (event.type === 'events') for (const e of event.events) fold.insert(e);
      else if (event.type === 'presence') presence = event.presence;
      else if (event.type === 'control') progress.set(event.progress.requestId, event.progress);
      else if (event.type === 'warning') warnings.push(`${event.code}: ${event.message}`);
      retrySoon();
    },
  });
  // What is waited for is looked at between bursts, not for each of their events.
  function retrySoon(): void {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      for (const retry of retries) retry();
    }, LOOK_MS);
  }

  function until<T>(what: string, find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        retries.delete(retry);
        clearTimeout(timer);
        act();
      };
      const retry = () => {
        const found = find();
        if (found !== undefined) settle(() => resolve(found));
      };
      const timer = setTimeout(
        () => settle(() => reject(new Error(`no ${what} after ${PATIENCE_MS} ms: ${state()}`))),
        PATIENCE_MS,
      );
      retries.add(retry);
      retry();
    });
  }
  const state = () => {
    const lines = [...mergeRawLines(fold.log, fold.log.streams())].slice(-8);
    const told = lines.map(({ seq, kind, text }) => `${seq} ${kind} ${text.slice(0, 300)}`);
    return [`harness ${presence?.harness}`, ...warnings, ...told].join('\n  ');
  };

  await until('snapshot of the harness', () => (presence?.harness === 'live' ? presence : undefined));
  return {
    fold,
    warnings,
    async control(draft) {
      // Like an owner, who waits until the page says so.
      await until('live harness', () => presence?.harness === 'live' || undefined);
      const requestId = viewer.control(mirrored.agent, draft);
      const last = await until(`end of ${draft.type}`, () => {
        const now = progress.get(requestId);
        return now?.phase === 'done' || now?.phase === 'failed' ? now : undefined;
      });
      if (!last.result) throw new Error(`${draft.type} was given up: ${last.reason}`);
      return last.result;
    },
    until,
    close: viewer.close,
  };
}
