import {
  AGENT_NAMES_TAG,
  type AgentNames,
  encodeAgentNames,
  KIND_APP_DATA,
  mergeAgentNames,
  parseAgentNames,
  type Signer,
  type VerifiedEvent,
} from '@heliograph/wire';

/** The event of an owner's names among their own: what a viewer subscribes to. */
export const ownerNamesFilter = (owner: string) => ({
  kinds: [KIND_APP_DATA],
  authors: [owner],
  '#d': [AGENT_NAMES_TAG],
});

export interface NamesPort {
  readonly signer: Signer;
  nowSec(): number;
  /** Has a relay keep an event; whether it does. */
  publish(relay: string, event: VerifiedEvent): Promise<boolean>;
  /** A name is another now. */
  changed(): void;
}

/** What one relay keeps of it, once all that it keeps was read. */
interface Keeper {
  eventId: string | undefined;
  isRead: boolean;
}

/**
 * What an owner calls their agents, the same on all devices: one event, signed by the owner and encrypted to them, that
 * relays keep. Each name is the one given last; a relay that knows less is told. What takes a key that is elsewhere its
 * time is done one after the other, beside all else.
 */
export class OwnerNames {
  readonly #port: NamesPort;
  readonly #keepers = new Map<string, Keeper>();
  #names: AgentNames = new Map();
  /** Holds `#names`; undefined while no event does. */
  #event: VerifiedEvent | undefined;
  #newestSec = 0;
  #work = Promise.resolve();

  constructor(port: NamesPort) {
    this.#port = port;
  }

  get(agent: string): string | undefined {
    return this.#names.get(agent)?.name;
  }

  /** All names, by key. */
  all(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#names].map(([agent, { name }]) => [agent, name]));
  }

  /** Calls an agent so from now on. */
  set(agent: string, name: string): void {
    const atSec = Math.max(this.#port.nowSec(), (this.#names.get(agent)?.atSec ?? -1) + 1);
    this.#names = mergeAgentNames(this.#names, new Map([[agent, { name, atSec }]]));
    this.#event = undefined;
    this.#port.changed();
    this.#tellAll();
  }

  /** A relay sent an event of names, known or not. */
  noteSent(relay: string, eventId: string): void {
    this.#keeper(relay).eventId = eventId;
  }

  /** All that a relay keeps was sent: now it can be told what it lacks, and nothing it keeps is lost by that. */
  noteRead(relay: string): void {
    this.#keeper(relay).isRead = true;
    this.#tellAll();
  }

  /** A relay's connection broke, or is used no more. */
  noteGone(relay: string): void {
    this.#keepers.delete(relay);
  }

  /** Takes an event; one of somebody else, of another program, or that can't be opened names nothing. */
  receive(event: VerifiedEvent): void {
    this.#do(() => this.#take(event));
    this.#tellAll();
  }

  async #take(event: VerifiedEvent): Promise<void> {
    const { signer } = this.#port;
    const isOurs = event.tags.some(([name, value]) => name === 'd' && value === AGENT_NAMES_TAG);
    if (event.pubkey !== signer.publicKey || !isOurs) return;
    const opened = await signer.decrypt(event.pubkey, event.content);
    if (!opened.ok) return;
    this.#newestSec = Math.max(this.#newestSec, event.created_at);
    const told = parseAgentNames(opened.value);
    const before = encodeAgentNames(this.#names);
    this.#names = mergeAgentNames(this.#names, told);
    const after = encodeAgentNames(this.#names);
    if (after === encodeAgentNames(told)) this.#event = event;
    else if (after !== before) this.#event = undefined;
    if (after !== before) this.#port.changed();
  }

  #tellAll(): void {
    this.#do(async () => {
      for (const [relay, keeper] of this.#keepers) {
        // One that was not read yet may keep names that are not known here.
        if (!keeper.isRead || this.#names.size === 0) continue;
        const event = this.#event ?? (await this.#seal());
        if (event.id !== keeper.eventId && (await this.#port.publish(relay, event))) keeper.eventId = event.id;
      }
    });
  }

  async #seal(): Promise<VerifiedEvent> {
    const { signer, nowSec } = this.#port;
    const names = this.#names;
    const content = await signer.encrypt(signer.publicKey, encodeAgentNames(names));
    const created_at = Math.max(nowSec(), this.#newestSec + 1);
    const event = await signer.sign({ kind: KIND_APP_DATA, created_at, tags: [['d', AGENT_NAMES_TAG]], content });
    this.#newestSec = created_at;
    // Named meanwhile: what was sealed is no longer all.
    if (names === this.#names) this.#event = event;
    return event;
  }

  #do(work: () => Promise<void>): void {
    // A key that is elsewhere may refuse: it is tried again with the next name, event or connection.
    this.#work = this.#work.then(work).catch(() => undefined);
  }

  #keeper(relay: string): Keeper {
    let keeper = this.#keepers.get(relay);
    if (keeper === undefined) {
      keeper = { eventId: undefined, isRead: false };
      this.#keepers.set(relay, keeper);
    }
    return keeper;
  }
}
