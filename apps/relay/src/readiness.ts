import type { Awaitable } from '@heliograph/relay';
import type { EventSigner, RelayMessage } from '@heliograph/wire';
import { authTemplate, encodeMessage } from '@heliograph/wire';
import { WebSocket } from 'ws';
import type { ClusterState } from './cluster/nats-cluster.ts';

/** What a relay must be able to do to be called ready; each gives what is wrong, or undefined. */
export interface ReadinessChecks {
  /** Whether a write reaches the disk. */
  readonly storage: () => Awaitable<string | undefined>;
  readonly clock: () => Awaitable<string | undefined>;
  /** Whether a frame that is published comes back over the relay's own port. */
  readonly echo: (deadlineMs: number) => Promise<string | undefined>;
  /** How other relays are reached, where there are any: told, and no reason to turn clients away. */
  readonly cluster?: (() => ClusterState) | undefined;
  /** What is wrong with who else uses the storage: told, and no reason to turn clients away. */
  readonly neighbours?: (() => string | undefined) | undefined;
}

/** Ready, or the first thing that is not and why. */
export type Readiness =
  | { readonly ready: true; readonly echoMs: number; readonly cluster?: ClusterState; readonly warning?: string }
  | { readonly ready: false; readonly check: 'storage' | 'clock' | 'echo'; readonly reason: string };

const DEADLINE_MS = 3_000;
/** One answer serves all who ask within this time: a probe must not be a way to load the disk. */
const FRESH_MS = 2_000;

/** Asks all checks, at most once in two seconds; an answer always comes within the deadline. */
export function createReadiness(checks: ReadinessChecks, nowMs: () => number): () => Promise<Readiness> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<Readiness> | undefined;
  return () => {
    if (answer === undefined || nowMs() - askedAtMs > FRESH_MS) {
      askedAtMs = nowMs();
      answer = ask(checks, nowMs);
    }
    return answer;
  };
}

async function ask(checks: ReadinessChecks, nowMs: () => number): Promise<Readiness> {
  const startedAtMs = nowMs();
  for (const check of ['storage', 'clock'] as const) {
    const reason = await withDeadline(checks[check]);
    if (reason !== undefined) return { ready: false, check, reason };
  }
  const reason = await checks.echo(DEADLINE_MS);
  if (reason !== undefined) return { ready: false, check: 'echo', reason };
  const ready = { ready: true, echoMs: nowMs() - startedAtMs } as const;
  const warning = checks.neighbours?.();
  return {
    ...ready,
    ...(checks.cluster && { cluster: checks.cluster() }),
    ...(warning !== undefined && { warning }),
  };
}

/** A store far away may never answer. */
async function withDeadline(check: () => Awaitable<string | undefined>): Promise<string | undefined> {
  let deadline: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    deadline = setTimeout(() => resolve(`there was no answer within ${DEADLINE_MS} ms`), DEADLINE_MS);
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(deadline);
  }
}

/** An ephemeral kind nobody else uses here, for a relay talking to itself. */
const KIND_ECHO = 29_747;

/** Connects, authenticates, subscribes, publishes and waits for the event to come back; gives how far it got when it does not. */
export function echo(
  url: string,
  relayUrl: string,
  signer: EventSigner,
  { nowSec, deadlineMs }: { readonly nowSec: number; readonly deadlineMs: number },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let step = 'connected';
    const end = (reason: string | undefined): void => {
      clearTimeout(deadline);
      socket.terminate();
      resolve(reason);
    };
    const deadline = setTimeout(
      () => end(`nothing came back within ${deadlineMs} ms after it was ${step}`),
      deadlineMs,
    );
    socket.on('error', (error) => end(`${url}: ${error.message}`));
    socket.on('close', () => end(`the connection was closed after it was ${step}`));
    const event = signer.sign({ kind: KIND_ECHO, created_at: nowSec, tags: [['p', signer.publicKey]], content: '' });
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString()) as RelayMessage;
      if (message[0] === 'AUTH') {
        const template = authTemplate({ relayUrl, challenge: message[1], createdAtSec: nowSec });
        socket.send(encodeMessage(['AUTH', signer.sign(template)]));
      } else if (message[0] === 'OK' && !message[2]) end(message[3]);
      else if (message[0] === 'OK' && step === 'connected') {
        step = 'authenticated';
        socket.send(encodeMessage(['REQ', 'echo', { kinds: [KIND_ECHO], '#p': [signer.publicKey], limit: 0 }]));
      } else if (message[0] === 'EOSE') {
        step = 'subscribed';
        socket.send(encodeMessage(['EVENT', event]));
      } else if (message[0] === 'EVENT' && message[2].id === event.id) end(undefined);
      else if (message[0] === 'CLOSED') end(message[2]);
    });
  });
}
