import type { ClusterState } from './cluster/nats-cluster.ts';

/** Kinds told apart in metrics; the others are counted together, so that no client can make the list grow. */
const COUNTED_KINDS: ReadonlySet<number> = new Set([0, 1, 3, 4, 5, 7, 9, 1059, 10_002, 22_242, 24_200, 30_023, 44_200]);
const LATENCY_BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100];

/** Values that are read when somebody asks. */
export interface Gauges {
  readonly connections: number;
  readonly admitted: number;
  readonly subscriptions: number;
  readonly databaseBytes: number;
  readonly outboundBytes: number;
  readonly cluster?: ClusterState | undefined;
}

/** Counts what a relay does; never what is in it. */
export class Metrics {
  readonly startedAtMs = Date.now();
  readonly #counts = new Map<string, number>();
  readonly #latencyCounts = LATENCY_BOUNDS_MS.map(() => 0);
  #latencySumMs = 0;
  #latencyCount = 0;

  /** Adds to a counter; `label` is one `name="value"` pair of a fixed few. */
  add(name: string, label = '', amount = 1): void {
    const key = label === '' ? name : `${name}{${label}}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + amount);
  }

  /** An event of this kind was offered. */
  offered(kind: number): void {
    this.add('events_total', `kind="${COUNTED_KINDS.has(kind) ? kind : 'other'}"`);
  }

  /** The time from an event's message to its broadcast. */
  fannedOut(ms: number): void {
    this.#latencySumMs += ms;
    this.#latencyCount += 1;
    const bucket = LATENCY_BOUNDS_MS.findIndex((bound) => ms <= bound);
    if (bucket !== -1) this.#latencyCounts[bucket] = (this.#latencyCounts[bucket] ?? 0) + 1;
  }

  /** A counter's value over all its labels. */
  total(name: string): number {
    let sum = 0;
    for (const [key, count] of this.#counts) if (key === name || key.startsWith(`${name}{`)) sum += count;
    return sum;
  }

  /** Everything in Prometheus' text format 0.0.4. */
  render({ connections, admitted, subscriptions, databaseBytes, outboundBytes, cluster }: Gauges): string {
    const lines: string[] = [];
    const family = (name: string, type: string, samples: readonly string[]): void => {
      lines.push(`# TYPE ${PREFIX}${name} ${type}`, ...samples.map((sample) => PREFIX + sample));
    };
    const gauges = {
      connections,
      admitted_connections: admitted,
      subscriptions,
      database_bytes: databaseBytes,
      outbound_waiting_bytes: outboundBytes,
      start_time_seconds: Math.floor(this.startedAtMs / 1_000),
      resident_memory_bytes: process.memoryUsage.rss(),
      ...(cluster && { cluster_connected: Number(cluster.connected), cluster_peers: cluster.peers }),
    };
    for (const [name, value] of Object.entries(gauges)) family(name, 'gauge', [`${name} ${value}`]);
    const names = [...new Set([...this.#counts.keys()].map((key) => key.split('{', 1)[0] ?? key))].sort();
    for (const name of names) {
      const own = [...this.#counts].filter(([key]) => key === name || key.startsWith(`${name}{`));
      family(
        name,
        'counter',
        own.map(([key, count]) => `${key} ${count}`),
      );
    }
    let below = 0;
    const buckets = LATENCY_BOUNDS_MS.map((bound, at) => {
      below += this.#latencyCounts[at] ?? 0;
      return `fan_out_seconds_bucket{le="${bound / 1_000}"} ${below}`;
    });
    family('fan_out_seconds', 'histogram', [
      ...buckets,
      `fan_out_seconds_bucket{le="+Inf"} ${this.#latencyCount}`,
      `fan_out_seconds_sum ${this.#latencySumMs / 1_000}`,
      `fan_out_seconds_count ${this.#latencyCount}`,
    ]);
    return `${lines.join('\n')}\n`;
  }
}

const PREFIX = 'heliograph_relay_';
