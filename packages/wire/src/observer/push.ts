/** What an owner can be called for, by an open page or by Web Push, the one that matters most first. */
export const PUSH_REASONS = ['permission', 'question', 'failed', 'offline', 'ended'] as const;
export type PushReason = (typeof PUSH_REASONS)[number];

/** All that a push message says, as JSON: the agent's public key, and why. */
export interface PushCall {
  readonly agent: string;
  readonly reason: PushReason | 'test';
}

/** A browser's push subscription (W3C Push API), as its `toJSON` gives it; keys in base64url. */
export interface PushSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** A device's quiet hours: `HH:MM` of the day in its own IANA time zone; equal ones mean never. */
export interface PushQuiet {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** A device that is called, as a snapshot tells it. */
export interface PushDevice {
  readonly device: string;
  /** The push service's host. */
  readonly service: string;
  /** SHA-256 of the endpoint, hex: whoever has the subscription can tell whether it is this one. */
  readonly endpointSha256: string;
  readonly reasons: readonly PushReason[];
  readonly quiet?: PushQuiet;
  /** Why its push service takes no calls; absent while it does. */
  readonly failing?: string;
}

/** What a snapshot tells of Web Push. */
export interface PushState {
  /** What subscriptions are to be made for (RFC 8292): an uncompressed P-256 point, base64url. */
  readonly key: string;
  /** Why nobody can be called yet, with its mend. */
  readonly problem?: string;
  readonly devices: readonly PushDevice[];
}

const MAX_ENDPOINT_LENGTH = 2_048;
const MAX_DEVICES = 64;
const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Whether a value is a subscription: an address, a point of 65 bytes and a secret of 16, both base64url. Pure. */
export function isPushSubscription(value: unknown): value is PushSubscription {
  const { endpoint, keys } = members(value);
  const { p256dh, auth } = members(keys);
  return (
    typeof endpoint === 'string' &&
    endpoint.length <= MAX_ENDPOINT_LENGTH &&
    /^https?:\/\/[\x21-\x7e]+$/.test(endpoint) &&
    typeof p256dh === 'string' &&
    /^B[\w-]{86}$/.test(p256dh) &&
    typeof auth === 'string' &&
    /^[\w-]{22}$/.test(auth)
  );
}

/** Whether a value is quiet hours; what zone names are known is the platform's to say. Pure. */
export function isPushQuiet(value: unknown): value is PushQuiet {
  const { from, to, timeZone } = members(value);
  return isDayTime(from) && isDayTime(to) && typeof timeZone === 'string' && /^[A-Za-z][\w+/-]{0,63}$/.test(timeZone);
}

/** Whether a value is a time of day, `HH:MM`. Pure. */
export function isDayTime(value: unknown): value is string {
  return typeof value === 'string' && HOUR.test(value);
}

/** Whether a time of day lies in these hours, which may go over midnight; all three `HH:MM`, equal ends mean never. Pure. */
export function isWithinHours(from: string, to: string, time: string): boolean {
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

/** Whether a value is a list of reasons. Pure. */
export function isPushReasons(value: unknown): value is readonly PushReason[] {
  return Array.isArray(value) && value.length <= PUSH_REASONS.length && value.every(isReason);
}

/** What a snapshot tells of Web Push, whatever an agent sent; undefined where that is nothing of the kind. Pure. */
export function readPushState(value: unknown): PushState | undefined {
  const { key, problem, devices } = members(value);
  if (typeof key !== 'string' || !/^B[\w-]{86}$/.test(key)) return undefined;
  const list = Array.isArray(devices) ? devices.slice(0, MAX_DEVICES).flatMap(readDevice) : [];
  return { key, ...(typeof problem === 'string' ? { problem } : {}), devices: list };
}

function readDevice(value: unknown): PushDevice[] {
  const { device, service, endpointSha256, reasons, quiet, failing } = members(value);
  if (typeof device !== 'string' || typeof service !== 'string' || typeof endpointSha256 !== 'string') return [];
  return [
    {
      device,
      service,
      endpointSha256,
      reasons: Array.isArray(reasons) ? reasons.filter(isReason) : [],
      ...(isPushQuiet(quiet) ? { quiet } : {}),
      ...(typeof failing === 'string' ? { failing } : {}),
    },
  ];
}

function isReason(value: unknown): value is PushReason {
  return PUSH_REASONS.includes(value as PushReason);
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
