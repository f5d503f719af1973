import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { NatsServer } from '../../../../fixtures/servers/nats-server.ts';
import { PostgresServer } from '../../../../fixtures/servers/postgres-server.ts';
import { type RelayUnderTest, startTestRelay } from '../relay-under-test.ts';

/** A PostgreSQL and a NATS server for all tests of a file, and a database of its own for each. */
export class ClusterUnderTest {
  #servers: { readonly postgres: PostgresServer; readonly nats: NatsServer } | undefined;
  /** The URL of the database that relays started here share. */
  database = '';

  constructor() {
    beforeAll(async () => {
      const [postgres, nats] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
      this.#servers = { postgres, nats };
    });
    beforeEach(() => this.changeDatabase());
    afterAll(async () => {
      await Promise.all([this.#servers?.postgres.close(), this.#servers?.nats.close()]);
    });
  }

  get nats(): NatsServer {
    if (this.#servers === undefined) throw new Error('the servers run in tests only');
    return this.#servers.nats;
  }

  /** Relays that are started from now on share another database. */
  changeDatabase(): void {
    this.database = this.#servers?.postgres.database() ?? '';
  }

  /** One relay of the cluster, once it reaches the others. */
  async start(options: Parameters<typeof startTestRelay>[0] = {}): Promise<RelayUnderTest> {
    const relay = await startTestRelay({ postgres: this.database, nats: this.nats.url, ...options });
    await expect
      .poll(() => relay.log.map(({ message }) => message))
      .toContainEqual(expect.stringMatching(/^connected to NATS/));
    return relay;
  }

  /** Two that hear each other. */
  async startTwo(): Promise<[RelayUnderTest, RelayUnderTest]> {
    const nodes = await Promise.all([this.start(), this.start()]);
    for (const node of nodes) await expect.poll(() => clusterOf(node)).toMatchObject({ connected: true, peers: 1 });
    return nodes;
  }
}

/** What /readyz says. */
export async function readyz(relay: RelayUnderTest) {
  return (await (await fetch(`${relay.httpUrl}/readyz`)).json()) as { ready: boolean; cluster?: object };
}

/** What /readyz says of the other relays. */
export async function clusterOf(relay: RelayUnderTest): Promise<object | undefined> {
  return (await readyz(relay)).cluster;
}

/** A number of /metrics; 0 where there is none. */
export async function metric(relay: RelayUnderTest, name: string): Promise<number> {
  const text = await (await fetch(`${relay.httpUrl}/metrics`)).text();
  return Number(new RegExp(`^heliograph_relay_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}
