import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { authTemplate, type EventTemplate, encodeMessage, eventSigner, type RelayMessage } from '@heliograph/wire';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NatsServer } from '../fixtures/servers/nats-server.ts';
import { PostgresServer } from '../fixtures/servers/postgres-server.ts';
import { Balancer } from './support/balancer.ts';
import { Product, type Program } from './support/product.ts';

const { crypto } = selectNodeCrypto();
const owner = eventSigner(crypto.randomBytes(32), crypto);
const nowSec = (): number => Math.floor(Date.now() / 1_000);
const note = (content: string): EventTemplate => ({ kind: 1, created_at: nowSec(), tags: [], content });
/** An ephemeral kind that nobody else uses here. */
const PASSING = 20_123;
const passing = (): EventTemplate => ({ ...note(`${Math.random()}`), kind: PASSING });

/** One connection of the owner's, to whichever relay the address leads to. */
class Client {
  readonly heard: RelayMessage[] = [];
  readonly ended: Promise<void>;
  readonly #socket: WebSocket;
  #watchers: (() => void)[] = [];
  isOver = false;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (data) => {
      this.heard.push(JSON.parse(data.toString()) as RelayMessage);
      for (const watcher of this.#watchers) watcher();
    });
    this.ended = new Promise((resolve) => {
      this.#socket.on('close', () => {
        this.isOver = true;
        for (const watcher of this.#watchers) watcher();
        resolve();
      });
    });
    onTestFinished(() => this.#socket.terminate());
  }

  /** A connection that is let in; undefined when it was not. */
  static async open(url: string): Promise<Client | undefined> {
    const client = new Client(url);
    const challenge = await client.find((message) => (message[0] === 'AUTH' ? message[1] : undefined));
    if (challenge === undefined) return undefined;
    const event = owner.sign(authTemplate({ relayUrl: url, challenge, createdAtSec: nowSec() }));
    client.say(encodeMessage(['AUTH', event]));
    return (await client.answerTo(event.id))?.ok ? client : undefined;
  }

  say(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  /** What the first message that has it gives, heard already or yet to come; undefined when the connection ends before. */
  find<T>(look: (message: RelayMessage) => T | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        const found = this.heard.map(look).find((value) => value !== undefined);
        if (found === undefined && !this.isOver) return;
        this.#watchers = this.#watchers.filter((other) => other !== watcher);
        resolve(found);
      };
      this.#watchers.push(watcher);
      watcher();
    });
  }

  answerTo(id: string): Promise<{ ok: boolean; reason: string } | undefined> {
    return this.find((message) =>
      message[0] === 'OK' && message[1] === id ? { ok: message[2], reason: message[3] } : undefined,
    );
  }

  async publish(template: EventTemplate): Promise<{ id: string; ok: boolean; reason: string } | undefined> {
    const event = owner.sign(template);
    this.say(encodeMessage(['EVENT', event]));
    const answer = await this.answerTo(event.id);
    return answer && { id: event.id, ...answer };
  }

  async subscribe(): Promise<void> {
    this.say(encodeMessage(['REQ', 'live', { kinds: [PASSING], limit: 0 }]));
    await this.find((message) => (message[0] === 'EOSE' ? true : undefined));
  }

  hears(id: string): boolean {
    return this.heard.some((message) => message[0] === 'EVENT' && message[2].id === id);
  }
}

async function comeIn(url: string): Promise<Client> {
  let client: Client | undefined;
  await expect
    .poll(
      async () => {
        client = await Client.open(url);
        return client;
      },
      { timeout: 30_000 },
    )
    .toBeDefined();
  return client as Client;
}

/** Publishes without end, on a new connection whenever one ends, and notes what was acknowledged and what was refused. */
class Publisher {
  readonly acknowledged: string[] = [];
  readonly refusals: string[] = [];
  #isOver = false;
  readonly #working: Promise<void>;

  constructor(url: string) {
    this.#working = this.#work(url);
  }

  async #work(url: string): Promise<void> {
    let client: Client | undefined;
    while (!this.#isOver) {
      client ??= await Client.open(url);
      const answer = await client?.publish(note(`${Math.random()}`));
      if (answer === undefined) client = undefined;
      else if (answer.ok) this.acknowledged.push(answer.id);
      else this.refusals.push(answer.reason);
    }
  }

  /** Waits until so many more were acknowledged. */
  async more(count: number): Promise<void> {
    const enough = this.acknowledged.length + count;
    await expect.poll(() => this.acknowledged.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(enough);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }
}

it('RL106: three relays behind one address: one is killed, NATS and PostgreSQL end and come back, and nothing acknowledged is lost', async () => {
  const product = new Product();
  const [postgres, nats, balancer] = await Promise.all([PostgresServer.start(), NatsServer.start(), Balancer.start()]);
  onTestFinished(async () => {
    balancer.close();
    await product.close();
    await Promise.all([postgres.close(), nats.close()]);
  });
  writeFileSync(join(product.folder, 'postgres.url'), postgres.database(), { mode: 0o600 });
  writeFileSync(join(product.folder, 'nats.url'), nats.url, { mode: 0o600 });
  const url = `ws://127.0.0.1:${balancer.port}`;
  const servers = ['--postgres', '@postgres.url', '--nats', '@nats.url'];
  const limits = join(product.folder, 'limits.json');
  writeFileSync(limits, JSON.stringify({ limits: { eventsPerSec: 100_000, eventBurst: 100_000 } }));
  const words = [
    'relay',
    '--port',
    '0',
    '--owner',
    owner.publicKey,
    '--public-url',
    url,
    '--config',
    limits,
    ...servers,
  ];
  const startRelay = async (name: string): Promise<{ program: Program; port: number }> => {
    const program = product.start(words, { home: product.home(name) });
    await program.ready('relay');
    await program.until(() => /connected to NATS/.test(program.stderr), 'it was connected to NATS');
    const port = Number(/"?port"?[:=]\s*(\d+)/.exec(program.stderr)?.[1]);
    return { program, port };
  };
  const relays = [await startRelay('a'), await startRelay('b'), await startRelay('c')];
  balancer.backends = relays.map(({ port }) => port);

  // Each goes to the next relay.
  const viewers = [await comeIn(url), await comeIn(url), await comeIn(url)];
  for (const viewer of viewers) await viewer.subscribe();
  const [onA, onB, onC] = viewers as [Client, Client, Client];
  const publisher = new Publisher(url);
  await publisher.more(50);

  /** Publishes until one event was heard by all of these. */
  const crosses = async (from: Client, to: readonly Client[]): Promise<void> => {
    await expect
      .poll(
        async () => {
          const sent = await from.publish(passing());
          if (!sent?.ok) return false;
          const heard = to.map((client) =>
            client.find((message) => (message[0] === 'EVENT' && message[2].id === sent.id ? true : undefined)),
          );
          await Promise.race([Promise.all(heard), new Promise((resolve) => setTimeout(resolve, 2_000))]);
          return to.every((client) => client.hears(sent.id));
        },
        { timeout: 60_000 },
      )
      .toBe(true);
  };
  await crosses(onA, viewers);
  await crosses(onC, viewers);

  // A relay dies: its own connections end, no others, and who lost one comes back to another.
  await relays[1]?.program.stop('SIGKILL');
  await onB.ended;
  await publisher.more(50);
  expect([onA.isOver, onC.isOver]).toEqual([false, false]);
  const again = await comeIn(url);
  await again.subscribe();
  await crosses(onA, [onA, onC, again]);

  // NATS goes: the relays go on with their own, say so, and are one again when it is back.
  await nats.end();
  await publisher.more(50);
  await nats.resume();
  await crosses(onA, [onA, onC, again]);
  expect(relays[0]?.program.stderr).toMatch(/only own connections are served/);

  // PostgreSQL is cut off: what could not be kept is refused with error:, and all goes on when it is back.
  await postgres.end('crash');
  await expect.poll(() => publisher.refusals.length, { timeout: 60_000 }).toBeGreaterThan(0);
  await crosses(onA, [onA, onC, again]);
  await postgres.resume();
  await publisher.more(50);
  expect([onA.isOver, onC.isOver, again.isOver]).toEqual([false, false, false]);
  await publisher.end();
  expect(new Set(publisher.refusals.map((reason) => reason.split(':')[0]))).toEqual(new Set(['error']));

  const file = join(product.folder, 'events.jsonl');
  await product.run(['relay', 'export', file, '--postgres', '@postgres.url'], { home: product.home('a') });
  const kept = new Set(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id),
  );
  expect(publisher.acknowledged.length).toBeGreaterThan(200);
  expect(publisher.acknowledged.filter((id) => !kept.has(id))).toEqual([]);
}, 300_000);
