import {
  type Conditions,
  type Crypto,
  conditionsHold,
  findAuthTag,
  KIND_OBSERVER,
  type NostrEvent,
  type VerifiedEvent,
  verifyAuthTag,
} from '@heliograph/wire';
import type { KnownAgent } from './viewer-event.ts';

/** Why an agent's frames are shown, or not. */
export type Standing = 'admitted' | 'revoked' | 'stranger';

interface Profiled {
  readonly name: string;
  readonly conditions: Conditions;
  readonly createdAtSec: number;
}

/**
 * Which agents this owner vouched for: the owner's own list, or a profile (kind 0) whose NIP-OA tag verifies under the
 * owner's key and holds now. Revoking beats both (SPEC 1.3).
 */
export class Admission {
  readonly #owner: string;
  readonly #crypto: Crypto;
  #listed = new Map<string, KnownAgent>();
  readonly #profiled = new Map<string, Profiled>();

  constructor(owner: string, crypto: Crypto, agents: readonly KnownAgent[]) {
    this.#owner = owner;
    this.#crypto = crypto;
    this.setAgents(agents);
  }

  setAgents(agents: readonly KnownAgent[]): void {
    this.#listed = new Map(agents.map((agent) => [agent.publicKey, agent]));
  }

  /** `kind`: of what it signed, where its attestation is bound to kinds. */
  standing(publicKey: string, nowSec: number, kind = KIND_OBSERVER): Standing {
    const listed = this.#listed.get(publicKey);
    if (listed?.revoked === true) return 'revoked';
    if (listed !== undefined) return 'admitted';
    const profiled = this.#profiled.get(publicKey);
    const holds = profiled !== undefined && conditionsHold(profiled.conditions, { kind, createdAtSec: nowSec });
    return holds ? 'admitted' : 'stranger';
  }

  /** Every agent that may be greeted. */
  admitted(nowSec: number): string[] {
    const keys = new Set([...this.#listed.keys(), ...this.#profiled.keys()]);
    return [...keys].filter((key) => this.standing(key, nowSec) === 'admitted');
  }

  /** What the owner calls an agent on all devices goes before what this device's list says, and that before its profile. */
  name(publicKey: string, given?: string): string {
    return (
      given ||
      this.#listed.get(publicKey)?.name ||
      this.#profiled.get(publicKey)?.name ||
      `agent ${publicKey.slice(0, 8)}`
    );
  }

  /** Learns from a profile; true when it vouches for an agent. A tag that does not verify under my key is no news. */
  learn(profile: VerifiedEvent): boolean {
    const tag = findAuthTag(profile);
    if (!tag.ok || tag.value === undefined) return false;
    const known = this.#profiled.get(profile.pubkey);
    if (known !== undefined && known.createdAtSec >= profile.created_at) return true;
    const verified = verifyAuthTag(tag.value, profile.pubkey, this.#crypto);
    if (!verified.ok || verified.value.owner !== this.#owner) return false;
    this.#profiled.set(profile.pubkey, {
      name: profileName(profile),
      conditions: verified.value.conditions,
      createdAtSec: profile.created_at,
    });
    return true;
  }
}

const MAX_NAME_LENGTH = 64;

function profileName(profile: NostrEvent): string {
  try {
    const content = JSON.parse(profile.content) as { name?: unknown } | null;
    return typeof content?.name === 'string' ? content.name.slice(0, MAX_NAME_LENGTH) : '';
  } catch {
    return ''; // A profile may hold anything; the key's digits name the agent then.
  }
}
