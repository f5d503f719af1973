import type { KnownAgent } from '@heliograph/client';
import { type Crypto, err, INVITE_TERM_SEC, makeInvite, ok, type Result } from '@heliograph/wire';
import { changedAgents, readInviteRequest, withAgent } from '../agent-list.ts';
import type { DeviceKey, DeviceKeyStore, SignerOwner } from './device-key.ts';
import type { AgentChange, Failure } from './protocol.ts';

/** Who keeps the owner's list of agents, and makes invites: the desktop's host, or this browser. */
export interface OwnerBook {
  changeAgent(change: AgentChange): Promise<Result<readonly KnownAgent[], Failure>>;
  invite(
    name: string,
    relays: readonly string[],
  ): Promise<Result<{ readonly text: string; readonly agents: readonly KnownAgent[] }, Failure>>;
}

const NO_WORD =
  'A signer signs events only, and the owner’s word for an agent (NIP-OA) is none: make the invite where the key itself is, with `heliograph invite`.';

export interface DeviceBookOptions {
  readonly key: DeviceKey | SignerOwner;
  /** Absent where the key is at a signer. */
  readonly secretKey: Uint8Array | undefined;
  readonly keys: DeviceKeyStore;
  readonly crypto: Crypto;
  readonly nowMs: () => number;
}

/** What a browser that holds the key itself keeps beside it. */
export class DeviceBook implements OwnerBook {
  readonly #options: DeviceBookOptions;
  #key: DeviceKey | SignerOwner;

  constructor(options: DeviceBookOptions) {
    this.#options = options;
    this.#key = options.key;
  }

  async changeAgent(change: AgentChange): Promise<Result<readonly KnownAgent[], Failure>> {
    const changed = changedAgents(this.#key.agents, { ...change });
    if (changed.ok) await this.#keep({ ...this.#key, agents: changed.value });
    return changed;
  }

  async invite(name: string, relays: readonly string[]): ReturnType<OwnerBook['invite']> {
    const { secretKey, crypto, nowMs } = this.#options;
    const request = readInviteRequest({ name, relays });
    if (!request.ok) return request;
    if (secretKey === undefined) return err({ message: NO_WORD });
    const untilSec = Math.floor(nowMs() / 1_000) + INVITE_TERM_SEC;
    try {
      const made = makeInvite({ ownerSecret: secretKey, relays, name, untilSec }, crypto);
      const agent = { publicKey: made.agent, name, authTag: made.authTag };
      const agents = withAgent(this.#key.agents, agent);
      await this.#keep({ ...this.#key, agents });
      return ok({ text: made.token, agents });
    } catch (error) {
      // What encodeInvite does not accept was typed by the user.
      if (error instanceof RangeError) return err({ message: error.message });
      throw error;
    }
  }

  setRelays(relays: readonly string[]): Promise<void> {
    return this.#keep({ ...this.#key, relays });
  }

  async #keep(key: DeviceKey | SignerOwner): Promise<void> {
    await this.#options.keys.write(key);
    this.#key = key;
  }
}
