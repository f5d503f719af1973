import type { prepareAll } from './record-sql.ts';

/** A stream's number in the file, with the channel that is known of it. */
export interface StreamRef {
  readonly stream: number;
  readonly channelId: string | null;
  /** The newest first seq of its records, 0 before any: what begins later can't be held already. */
  top: number;
}

/** Agents and streams whose numbers are remembered; the oldest go first and are looked up again. */
const MAX_REMEMBERED = 10_000;

/** The numbers of agents and streams in the file; one that is new gets its row. */
export class RowRefs {
  readonly #sql: ReturnType<typeof prepareAll>;
  readonly #agents = new Map<string, number>();
  readonly #streams = new Map<string, StreamRef>();

  constructor(sql: ReturnType<typeof prepareAll>) {
    this.#sql = sql;
  }

  /** Forgets what is remembered: rows were removed, or a transaction was undone. */
  forget(): void {
    this.#agents.clear();
    this.#streams.clear();
  }

  /** An agent's number, by its public key. */
  agentOf(publicKey: string): number {
    const known = this.#agents.get(publicKey);
    if (known !== undefined) return known;
    this.#sql.addAgent.run(publicKey);
    const { agent } = this.#sql.agent.get(publicKey) as { agent: number };
    remember(this.#agents, publicKey, agent);
    return agent;
  }

  /** A stream's number; `channelId` joins it to its session as soon as it is known. */
  streamOf(agent: string, id: string, channelId?: string | null): StreamRef {
    const key = `${agent} ${id}`;
    const known = this.#streams.get(key);
    if (known !== undefined && (channelId === undefined || known.channelId !== null || channelId === null))
      return known;
    const agentRef = this.agentOf(agent);
    this.#sql.addStream.run(agentRef, id);
    if (typeof channelId === 'string') {
      this.#sql.addSession.run(agentRef, channelId);
      this.#sql.joinSession.run(agentRef, channelId, agentRef, id);
    }
    const { stream } = this.#sql.stream.get(agentRef, id) as { stream: number };
    const { top } = this.#sql.topSeq.get(stream) as { top: number | null };
    const ref = { stream, channelId: channelId ?? null, top: top ?? 0 };
    remember(this.#streams, key, ref);
    return ref;
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value as string);
}
