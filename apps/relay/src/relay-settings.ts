import type { BlockList } from 'node:net';
import { DEFAULT_LIMITS, NOTHING_OPEN, type OpenKinds, type RelayLimits, type RetentionRule } from '@heliograph/relay';
import { normalizeRelayUrl, parsePublicKey } from '@heliograph/wire';
import { trustedProxies } from './client-address.ts';

/** What can change while a relay runs. */
export interface RelaySettings {
  /** npub or hex; without one the relay admits nobody. */
  readonly owners: readonly string[];
  /** What everybody may read and write without AUTH; nothing unless said. */
  readonly open?: OpenKinds | undefined;
  /** How long kinds are kept; for ever unless said. */
  readonly retention?: readonly RetentionRule[] | undefined;
  /** Changes to DEFAULT_LIMITS. */
  readonly limits?: Partial<RelayLimits> | undefined;
  /** The ws or wss URL clients use, where it is not the one listened on. */
  readonly publicUrl?: string | undefined;
  /** Shown in NIP-11 and on the landing page, unless NIP-86 gave another. */
  readonly name?: string | undefined;
  /** Addresses and ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** Settings that were checked; keys are hex, nothing is left open. */
export interface CheckedSettings {
  readonly owners: readonly string[];
  readonly open: OpenKinds;
  readonly retention: readonly RetentionRule[];
  readonly limits: RelayLimits;
  readonly publicUrl: string | undefined;
  readonly name: string;
  readonly trusted: BlockList;
}

/** Checks settings; throws RangeError with a sentence that names the setting and its flag. */
export function checkSettings(settings: RelaySettings): CheckedSettings {
  const { open = NOTHING_OPEN, retention = [], limits = {}, publicUrl, name = 'Heliograph relay' } = settings;
  if (publicUrl !== undefined && normalizeRelayUrl(publicUrl) === undefined) {
    throw new RangeError(`publicUrl (--public-url) must be a ws:// or wss:// URL, got ${JSON.stringify(publicUrl)}`);
  }
  return {
    owners: settings.owners.map(readOwner),
    open,
    retention,
    limits: { ...DEFAULT_LIMITS, ...checkLimits(limits) },
    publicUrl,
    name,
    trusted: trustedProxies(settings.trustedProxies ?? []),
  };
}

function readOwner(text: string): string {
  const key = parsePublicKey(text);
  if (!key.ok) throw new RangeError(`owners (--owner): ${key.error.message}`);
  return key.value;
}

/** They may come from a file, so names and values are looked at as if nothing was known of them. */
function checkLimits(limits: Partial<RelayLimits>): Partial<RelayLimits> {
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw new RangeError(`limits: there is no "${name}"; there are ${Object.keys(DEFAULT_LIMITS).join(', ')}`);
    }
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new RangeError(`limits: ${name} must be a number of at least 0, got ${JSON.stringify(value)}`);
    }
  }
  return limits;
}
