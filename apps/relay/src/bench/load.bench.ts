// The load: clients that publish, subscribe and measure, against any relay that speaks NIP-01, with AUTH where it asks.
import type { EventSigner } from '@heliograph/wire';
import { authTemplate, encodeMessage } from '@heliograph/wire';
import { WebSocket } from 'ws';

export const nowSec = (): number => Math.floor(Date.now() / 1_000);
/** How long a relay may take to ask for AUTH before it is taken for one that does not; once that is known nobody waits. */
const AUTH_PATIENCE_MS = 3_000;
/** Whether a relay asks for AUTH, by its URL. */
const asksForAuth = new Map<string, boolean>();
/** Nothing measured here takes this long unless a relay loses events. */
const PATIENCE_MS = 600_000;

/** One relay under load; `key` is admitted where keys need to be. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: EventSigner;
}

async function connect({ url, key }: Target, onText: (text: string) => void): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => {
    let patience: NodeJS.Timeout | undefined;
    const begin = (isAsked: boolean): void => {
      clearTimeout(patience);
      asksForAuth.set(url, isAsked);
      socket.removeAllListeners('message');
      socket.on('message', (data) => onText(data.toString()));
      resolve();
    };
    socket.on('error', reject);
    socket.on('open', () => {
      const asks = asksForAuth.get(url);
      if (asks === false) begin(false);
      if (asks === undefined) patience = setTimeout(() => begin(false), AUTH_PATIENCE_MS);
    });
    socket.on('message', (data) => {
      const text = data.toString();
      if (text.startsWith('["AUTH"')) {
        clearTimeout(patience);
        const [, challenge] = JSON.parse(text) as [string, string];
        socket.send(
          encodeMessage(['AUTH', key.sign(authTemplate({ relayUrl: url, challenge, createdAtSec: nowSec() }))]),
        );
      } else if (text.startsWith('["OK"')) begin(true);
    });
  });
  return socket;
}

async function openReaders(
  target: Target,
  count: number,
  filter: object,
  onEvent: (text: string) => void,
): Promise<WebSocket[]> {
  const opened = Array.from({ length: count }, async () => {
    let isOpen = (): void => undefined;
    const eose = new Promise<void>((resolve) => {
      isOpen = resolve;
    });
    const socket = await connect(target, (text) => {
      if (text.startsWith('["EVENT"')) onEvent(text);
      else if (text.startsWith('["EOSE"')) isOpen();
    });
    socket.send(`["REQ","live",${JSON.stringify(filter)}]`);
    await eose;
    return socket;
  });
  return Promise.all(opened);
}

/** Subscriptions that match nothing of the load, forty to a connection. */
export async function openIdle(target: Target, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let at = 0; at < count; at += 40) {
    let open = 0;
    await new Promise<void>((resolve) => {
      void connect(target, (text) => {
        if (text.startsWith('["EOSE"')) open += 1;
        if (open === Math.min(40, count - at)) resolve();
      }).then((socket) => {
        sockets.push(socket);
        for (let n = at; n < Math.min(at + 40, count); n++) {
          const p = n.toString(16).padStart(64, '0');
          socket.send(`["REQ","${n}",{"kinds":[20001],"#p":["${p}"],"limit":0}]`);
        }
      });
    });
  }
  return sockets;
}

/** Connections that are open, authenticated and quiet. */
export async function openQuiet(target: Target, count: number): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: Math.min(50, count - at) }, () => connect(target, () => undefined));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

/** Events to publish, and who reads them: where they are published, unless said. */
export interface Load {
  readonly kind: number;
  readonly bytes: number;
  readonly count: number;
  readonly readers: number;
  readonly readAt?: Target | undefined;
}

/** Publishes `count` events, at most 100 unanswered and 150 undelivered at a time, until every reader has everything; events per second. */
export async function publishAll(
  target: Target,
  { kind, bytes, count, readers, readAt = target }: Load,
): Promise<number> {
  const messages = Array.from({ length: count }, (_, n) => {
    const content = `${n} ${Math.random()}`.padEnd(Math.max(10, bytes - 300), 'x');
    return encodeMessage(['EVENT', target.key.sign({ kind, created_at: nowSec(), tags: [], content })]);
  });
  let delivered = 0;
  let answered = 0;
  let sent = 0;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    setTimeout(
      () => reject(new Error(`${target.name}: ${answered}/${count} answered, ${delivered} delivered`)),
      PATIENCE_MS,
    ).unref();
  });
  const check = (): void => {
    if (answered === count && delivered === count * readers) finish();
  };
  // Readers share this process: who runs ahead of them meets the relay's bound for slow readers, and not its speed.
  const pump = (): void => {
    while (sent < count && sent - answered < 100 && (sent - 150) * readers <= delivered) {
      publisher.send(messages[sent++] as string);
    }
  };
  const sockets = await openReaders(readAt, readers, { kinds: [kind], limit: 0 }, () => {
    delivered += 1;
    pump();
    check();
  });
  const publisher = await connect(target, (text) => {
    if (!text.startsWith('["OK"')) return;
    answered += 1;
    pump();
    check();
  });
  const startedMs = performance.now();
  pump();
  await finished;
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const socket of [publisher, ...sockets]) socket.terminate();
  return count / seconds;
}

/** Milliseconds from publishing to each delivery at 500 events a second, median and 99th percentile. */
export async function latency(
  target: Target,
  readers: number,
  readAt: Target = target,
): Promise<[p50: number, p99: number]> {
  const times: number[] = [];
  const count = 1_500;
  const sentAtMs = new Map<string, number>();
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const sockets = await openReaders(readAt, readers, { kinds: [20_002], limit: 0 }, (text) => {
    const at = text.indexOf('"id":"') + 6;
    times.push(performance.now() - (sentAtMs.get(text.slice(at, at + 64)) ?? 0));
    if (times.length === count * readers) finish();
  });
  const publisher = await connect(target, () => undefined);
  let sent = 0;
  const startedMs = performance.now();
  const timer = setInterval(() => {
    // Timers come late under load: the rate is kept by what should have been sent by now.
    while (sent < count && sent < (performance.now() - startedMs) / 2) {
      const event = target.key.sign({ kind: 20_002, created_at: nowSec(), tags: [], content: `${sent}`.padEnd(700) });
      sentAtMs.set(event.id, performance.now());
      publisher.send(encodeMessage(['EVENT', event]));
      sent += 1;
    }
    if (sent === count) clearInterval(timer);
  }, 2);
  await finished;
  for (const socket of [publisher, ...sockets]) socket.terminate();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return [at(0.5), at(0.99)];
}
