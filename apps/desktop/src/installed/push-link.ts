import type { ControlDraft } from '@heliograph/client';
import type { PushQuiet, PushReason, PushState } from '@heliograph/wire';
import type { LocalSubscription, PushBrowser } from './push-browser.ts';

/** An agent as far as calling its owner goes. */
export interface CallingAgent {
  readonly publicKey: string;
  readonly name: string;
  readonly run: string | undefined;
  /** Whether its harness answers now. */
  readonly isLive: boolean;
  readonly isRevoked: boolean;
  /** What its harness said of Web Push; undefined where it can't do it. */
  readonly push: PushState | undefined;
}

/** What this device is to be called for by one agent. */
export interface CallWishes {
  readonly reasons: readonly PushReason[];
  readonly quiet: PushQuiet | undefined;
}

/** How calls of one agent to this device stand. */
export type PushPhase =
  | { readonly phase: 'off' | 'working' | 'on' }
  | { readonly phase: 'failed'; readonly message: string };

export interface PushLinkOptions {
  readonly browser: PushBrowser;
  readonly send: (agent: string, draft: ControlDraft) => void;
  readonly wishes: (agent: string) => CallWishes;
  readonly isWanted: () => boolean;
}

const OFF: PushPhase = { phase: 'off' };

/**
 * Keeps three places in step: what the owner wants of this device, this browser's subscriptions, and what each harness has of
 * them. Each difference is mended once; how that went shows in the harness's next snapshot.
 */
export class PushLink {
  readonly #options: PushLinkOptions;
  readonly #phases = new Map<string, PushPhase>();
  readonly #local = new Map<string, { readonly key: string; readonly made: LocalSubscription }>();
  /** Keys that this browser could not subscribe for: not tried again until the owner says so. */
  readonly #refused = new Map<string, string>();
  /** The newest order to each agent, so that none is given twice. */
  readonly #sent = new Map<string, string>();
  readonly #busy = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #latest: { readonly agents: readonly CallingAgent[]; readonly device: string } = { agents: [], device: '' };

  constructor(options: PushLinkOptions) {
    this.#options = options;
  }

  phase(agent: string): PushPhase {
    return this.#phases.get(agent) ?? OFF;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes how the agents are now; `device` is what this one is called. */
  update(agents: readonly CallingAgent[], device: string): void {
    this.#latest = { agents, device };
    for (const agent of agents) void this.#settle(agent.publicKey);
  }

  /** Begins anew, also where it failed: the owner has switched it on or off, or chosen otherwise. */
  async changed(isFresh: boolean): Promise<void> {
    if (isFresh) {
      this.#sent.clear();
      this.#refused.clear();
      this.#local.clear();
    }
    await Promise.all(this.#latest.agents.map(({ publicKey }) => this.#settle(publicKey)));
    this.#tell();
  }

  /** One at a time for each agent; what changed meanwhile is looked at afterwards. */
  async #settle(publicKey: string): Promise<void> {
    if (this.#busy.has(publicKey)) return;
    this.#busy.add(publicKey);
    try {
      for (let before: string | undefined; ; ) {
        const agent = this.#latest.agents.find((one) => one.publicKey === publicKey);
        const now = JSON.stringify([agent, this.#options.isWanted(), this.#options.wishes(publicKey)]);
        if (agent === undefined || now === before) return;
        before = now;
        const isWanted = this.#options.isWanted() && !agent.isRevoked;
        await (isWanted ? this.#connect(agent) : this.#disconnect(agent));
      }
    } finally {
      this.#busy.delete(publicKey);
    }
  }

  async #connect(agent: CallingAgent): Promise<void> {
    const { publicKey, name, push, isLive, run } = agent;
    if (push === undefined || !isLive) return;
    if (push.problem !== undefined) return this.#set(publicKey, { phase: 'failed', message: push.problem });
    const made = await this.#subscription(publicKey, push.key, name);
    if (made === undefined) return;
    const { reasons, quiet } = this.#options.wishes(publicKey);
    const kept = push.devices.find(({ device }) => device === this.#latest.device);
    const isSame =
      kept?.endpointSha256 === made.endpointSha256 &&
      JSON.stringify([[...kept.reasons].sort(), kept.quiet]) === JSON.stringify([[...reasons].sort(), quiet]);
    if (isSame) {
      this.#sent.delete(publicKey);
      this.#set(publicKey, kept.failing === undefined ? { phase: 'on' } : { phase: 'failed', message: kept.failing });
      return;
    }
    const { subscription } = made;
    const draft = { type: 'push_subscribe', subscription, reasons, ...(quiet !== undefined ? { quiet } : {}) } as const;
    if (this.#isNew(publicKey, run, draft)) {
      this.#set(publicKey, { phase: 'working' });
      this.#options.send(publicKey, draft);
    }
  }

  async #disconnect({ publicKey, push, isLive, run }: CallingAgent): Promise<void> {
    this.#local.delete(publicKey);
    // First here: what still comes is refused by the push service, whether the harness hears of it or not. Where that fails the harness is told all the same.
    await this.#options.browser.unsubscribe(publicKey).catch(() => {});
    const isKept = push?.devices.some(({ device }) => device === this.#latest.device) ?? false;
    const draft = { type: 'push_subscribe', subscription: null } as const;
    if (isKept && isLive && this.#isNew(publicKey, run, draft)) this.#options.send(publicKey, draft);
    this.#set(publicKey, OFF);
  }

  async #subscription(agent: string, key: string, name: string): Promise<LocalSubscription | undefined> {
    const known = this.#local.get(agent);
    if (known?.key === key) return known.made;
    if (this.#refused.get(agent) === key) return undefined;
    this.#set(agent, { phase: 'working' });
    const made = await this.#options.browser.subscribe(agent, key, name);
    if (!made.ok) {
      this.#refused.set(agent, key);
      this.#set(agent, { phase: 'failed', message: made.error.message });
      return undefined;
    }
    this.#local.set(agent, { key, made: made.value });
    return made.value;
  }

  #isNew(agent: string, run: string | undefined, draft: object): boolean {
    const order = JSON.stringify([run, draft]);
    if (this.#sent.get(agent) === order) return false;
    this.#sent.set(agent, order);
    return true;
  }

  #set(agent: string, phase: PushPhase): void {
    if (JSON.stringify(this.phase(agent)) === JSON.stringify(phase)) return;
    this.#phases.set(agent, phase);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
