/** The worker's entry: hands the browser's clock, sockets and storage to the owner's session. */
import { Bunker, createViewer, openSocketWith, type ViewerEvent } from '@heliograph/client';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { randomUuid } from '../random-uuid.ts';
import { indexedDbKeyStore } from './device-key.ts';
import { deviceName } from './device-name.ts';
import { HostApi } from './host-api.ts';
import { findOwnRelay } from './own-relay.ts';
import { OwnerSession } from './owner-session.ts';
import { PageFeed } from './page-feed.ts';
import type { PageToWorker, WorkerToPage } from './protocol.ts';
import { SessionReader } from './session-reader.ts';
import { SignerGate } from './signer-gate.ts';

declare const self: DedicatedWorkerGlobalScope;
/** Written in when the page is built. */
declare const HELIOGRAPH_VERSION: string;

const clock = {
  nowMs: () => Date.now(),
  setTimer: (delayMs: number, fire: () => void) => {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};
const post = (message: WorkerToPage) => self.postMessage(message);
const feed = new PageFeed({
  clock,
  post: (events) => post({ type: 'events', events }),
  changes: () => reader.changes(),
});
const reader = new SessionReader({
  clock,
  onChanges: () => feed.changed(),
  flush: () => feed.flush(),
  post(answer) {
    // An answer speaks of what the page has been told, and of no less; lines speak of themselves alone.
    if (answer.type !== 'lines') feed.flush();
    post({ type: 'read', answer });
  },
  readAgain: (agent, span) => session.readAgain(agent, span),
});
function take(event: ViewerEvent): void {
  if (event.type === 'events') reader.take(event);
  else if (event.type === 'names') session.learnNames(event.names);
  else feed.add(event);
}
const uuid = () => randomUuid(nobleCrypto);
const openSocket = openSocketWith(WebSocket);

const session = new OwnerSession({
  crypto: nobleCrypto,
  keys: indexedDbKeyStore(indexedDB),
  post,
  uuid,
  nowMs: clock.nowMs,
  openHost: (base) => new HostApi(base, fetch.bind(self)),
  onKept: (agent, events) => take({ type: 'events', agent, events }),
  findRelay: (base) => findOwnRelay(base, fetch.bind(self)),
  nameDevice: (viewerId) => deviceName(navigator.userAgent, viewerId),
  signers: new SignerGate({
    crypto: nobleCrypto,
    clock,
    post,
    openBunker: (client, relays, signer, onAuthUrl) =>
      new Bunker({ client, relays, openSocket, clock, random: Math.random, crypto: nobleCrypto, onAuthUrl }, signer),
  }),
  startViewer: (start) =>
    createViewer({
      ...start,
      version: HELIOGRAPH_VERSION,
      openSocket,
      clock,
      crypto: nobleCrypto,
      random: Math.random,
      uuid,
      onEvent: take,
    }),
});

self.onmessage = (event: MessageEvent<PageToWorker>) => {
  const { data } = event;
  if (data.type === 'read') reader.receive(data.request);
  else if (data.type === 'painted') feed.painted(data.tookMs);
  else
    session.receive(data).catch((error: unknown) => {
      session.fail(error instanceof Error ? error.message : String(error));
    });
};
