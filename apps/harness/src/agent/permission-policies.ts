import {
  isPermissionPolicy,
  type PermissionPolicy,
  type PermissionRule,
  readPermissionRule,
  type SetPolicy,
} from '@heliograph/wire';
import type { SealedFile } from '../sealed-file.ts';
import { decideByRules } from './permission-rules.ts';

/** Rules first, in their order; then the policy. */
export interface PolicySetting {
  readonly policy: PermissionPolicy;
  readonly rules: readonly PermissionRule[];
}

/** What the owner set: for the whole agent, and for channels that have their own. */
export interface PolicySettings {
  readonly agent?: PolicySetting;
  readonly channels: Readonly<Record<string, PolicySetting>>;
}

const NOTHING_SET: PolicySettings = { channels: {} };

/** Who decides a permission request: what the owner set for the channel, else for the agent, else what the harness was started with. */
export class PermissionPolicies {
  readonly #started: PolicySetting;
  readonly #file: SealedFile;
  #settings: PolicySettings;
  /** What stays after a restart. */
  #kept: PolicySettings;
  /** Changes are kept one after the other: each is made to what the disk has. */
  #keeping = Promise.resolve();

  constructor(started: PolicySetting, file: SealedFile, kept: PolicySettings = NOTHING_SET) {
    this.#started = started;
    this.#file = file;
    this.#settings = kept;
    this.#kept = kept;
  }

  /** The whole agent's policy now. */
  get policy(): PermissionPolicy {
    return (this.#settings.agent ?? this.#started).policy;
  }

  /** A channel's own policy, if it has one. */
  policyOf(channelId: string): PermissionPolicy | undefined {
    return this.#settings.channels[channelId]?.policy;
  }

  decide(
    params: unknown,
    channelId: string | undefined,
    cwd: string,
  ): { readonly policy: PermissionPolicy; readonly rule?: string } {
    const { policy, rules } = this.#settingOf(channelId);
    const ruled = decideByRules(rules, params, cwd);
    return ruled === undefined ? { policy } : { policy: ruled.decide, rule: `rule ${ruled.number}` };
  }

  /** Takes what the owner set; with `persist` it is on disk when it resolves, and rejects where the disk does not take it. */
  async set({ channelId, policy, rules = [], persist = false }: SetPolicy): Promise<void> {
    const into =
      policy === 'inherit'
        ? taking(channelId)
        : setting(channelId, { policy: policy ?? this.#settingOf(channelId).policy, rules });
    this.#settings = into(this.#settings);
    if (persist) await this.#keep(into);
  }

  /** A channel is not there any more, nor will it be: its policy goes with it. */
  forget(channelId: string): void {
    this.#settings = without(this.#settings, channelId);
    this.#kept = without(this.#kept, channelId);
  }

  /** What stays after a restart is what the disk took: a change it refused is not written with the next one. */
  #keep(change: Change): Promise<void> {
    const written = this.#keeping.then(async () => {
      const next = change(this.#kept);
      await this.#file.write(next);
      this.#kept = next;
    });
    this.#keeping = written.catch(() => {});
    return written;
  }

  #settingOf(channelId: string | undefined): PolicySetting {
    const own = channelId === undefined ? undefined : this.#settings.channels[channelId];
    return own ?? this.#settings.agent ?? this.#started;
  }
}

type Change = (settings: PolicySettings) => PolicySettings;

function taking(channelId: string | undefined): Change {
  return (settings) => (channelId === undefined ? settings : without(settings, channelId));
}

function setting(channelId: string | undefined, own: PolicySetting): Change {
  return (settings) =>
    channelId === undefined
      ? { ...settings, agent: own }
      : { ...settings, channels: { ...settings.channels, [channelId]: own } };
}

function without(settings: PolicySettings, channelId: string): PolicySettings {
  const { [channelId]: gone, ...channels } = settings.channels;
  return gone === undefined ? settings : { ...settings, channels };
}

/**
 * Reads what the owner set to stay, for the agent and for those channels that are still there; what can't be read whole is
 * left out, so that the owner is asked.
 */
export async function readPolicySettings(file: SealedFile, channelIds: readonly string[]): Promise<PolicySettings> {
  const { agent, channels } = ((await file.read()) ?? {}) as { agent?: unknown; channels?: unknown };
  const whole = readSetting(agent);
  const own = Object.entries((channels ?? {}) as object).flatMap(([channelId, value]) => {
    const setting = readSetting(value);
    return setting === undefined || !channelIds.includes(channelId) ? [] : [[channelId, setting] as const];
  });
  return { ...(whole !== undefined ? { agent: whole } : {}), channels: Object.fromEntries(own) };
}

function readSetting(value: unknown): PolicySetting | undefined {
  const { policy, rules } = (value ?? {}) as { policy?: unknown; rules?: unknown };
  if (!isPermissionPolicy(policy) || !Array.isArray(rules)) return undefined;
  const read = rules.map(readPermissionRule);
  return read.every((rule) => typeof rule !== 'string') ? { policy, rules: read } : undefined;
}
