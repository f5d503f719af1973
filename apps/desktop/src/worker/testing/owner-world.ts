import type { Viewer } from '@heliograph/client';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { hexEncode, type ObserverEvent } from '@heliograph/wire';
import type { DeviceKey } from '../device-key.ts';
import { HostApi } from '../host-api.ts';
import type { OwnRelay } from '../own-relay.ts';
import { OwnerSession, type ViewerStart } from '../owner-session.ts';
import type { ToOwnerSession, WorkerToPage } from '../protocol.ts';
import { SignerGate } from '../signer-gate.ts';

export const SECRET = new Uint8Array(32).fill(9);
export const PUBLIC = hexEncode(nobleCrypto.publicKey(SECRET));
export const NOW_MS = 1_800_000_000_000;
export const AGENT = { publicKey: 'ab'.repeat(32), name: 'Claude' };
export const HOST_SESSION = {
  relays: ['ws://r'],
  agents: [AGENT],
  viewerId: 'device',
  apiToken: 'api',
  nextToken: 'next',
};
const BASE = 'http://127.0.0.1:7448/';

export type Route = (
  body: unknown,
  headers: Headers,
) => { readonly status: number; readonly json: unknown } | undefined;

/** What is around a session, and what it did there. */
interface World {
  posted: WorkerToPage[];
  started: ViewerStart[];
  calls: string[];
  kept: DeviceKey | undefined;
  relay: OwnRelay | undefined;
  keptLines: { readonly agent: string; readonly events: readonly ObserverEvent[] }[];
}

const empty = (): World => ({
  posted: [],
  started: [],
  calls: [],
  kept: undefined,
  relay: undefined,
  keptLines: [],
});

export const world: World = empty();

/** Before each test. */
export function resetWorld(): void {
  Object.assign(world, empty());
}

/** A session in a world where a host answers by `routes`, or none at all without them. */
export function openWorld(routes?: Readonly<Record<string, Route>>): OwnerSession {
  const fetcher = async (url: unknown, init?: RequestInit) => {
    const answer = routes?.[String(url).slice(`${BASE}api/`.length)]?.(
      init?.body ? JSON.parse(String(init.body)) : undefined,
      new Headers(init?.headers),
    );
    if (answer === undefined) throw new TypeError('fetch failed');
    await Promise.resolve();
    init?.signal?.throwIfAborted();
    return new Response(JSON.stringify(answer.json), { status: answer.status });
  };
  return new OwnerSession({
    onKept: (agent, events) => world.keptLines.push({ agent, events }),
    crypto: nobleCrypto,
    keys: {
      read: async () => world.kept,
      write: async (key) => {
        world.kept = key as DeviceKey;
      },
      remove: async () => {
        world.kept = undefined;
      },
    },
    post: (message) => world.posted.push(message),
    uuid: () => 'made-up',
    nameDevice: (viewerId) => viewerId,
    logN: 4,
    nowMs: () => NOW_MS,
    signers: new SignerGate({
      crypto: nobleCrypto,
      clock: { nowMs: () => NOW_MS, setTimer: () => () => undefined },
      post: (message) => world.posted.push(message),
      openBunker: () => {
        throw new Error('no relays here');
      },
    }),
    findRelay: async () => world.relay,
    openHost: (base) => new HostApi(base, fetcher as typeof fetch),
    startViewer: (start): Viewer => {
      world.started.push(start);
      return {
        publicKey: PUBLIC,
        control: (agent, draft) => `${world.calls.push(`control ${agent} ${draft.type}`)}`,
        resync: (agent) => world.calls.push(`resync ${agent}`),
        readAgain: async () => ({ isAnswered: false }),
        nameAgent: (agent, name) => world.calls.push(`name ${agent} ${name}`),
        setAgents: (agents) => world.calls.push(`agents ${agents.map(({ name }) => name)}`),
        setRelays: (relays) => world.calls.push(`relays ${relays}`),
        close: () => world.calls.push('close'),
      };
    },
  });
}

/** A page that is opened with this in its link. */
export const open = (token: string | undefined): ToOwnerSession => ({ type: 'open', base: BASE, token });
/** What the page was told last of the session. */
export const phase = () => world.posted.findLast((message) => message.type === 'session')?.session;
