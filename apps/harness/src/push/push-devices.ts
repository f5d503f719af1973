import {
  isPushQuiet,
  isPushReasons,
  isPushSubscription,
  isWithinHours,
  PUSH_REASONS,
  type PushQuiet,
  type PushReason,
  type PushSubscription,
} from '@heliograph/wire';

/** A device that wants to be called. */
export interface SubscribedDevice {
  readonly device: string;
  readonly subscription: PushSubscription;
  readonly reasons: readonly PushReason[];
  readonly quiet?: PushQuiet;
  /** Why its push service takes no calls. */
  readonly failing?: string;
}

/** Devices that one agent calls. */
export const MAX_PUSH_DEVICES = 8;

/** Devices out of a file; what is none is left out. Pure. */
export function readDevices(value: unknown): readonly SubscribedDevice[] {
  return Array.isArray(value) ? value.filter(isDevice).slice(0, MAX_PUSH_DEVICES) : [];
}

/** The list with this device as it is now; the same browser under another name is one device. Pure. */
export function withDevice(devices: readonly SubscribedDevice[], added: SubscribedDevice): readonly SubscribedDevice[] {
  const { endpoint } = added.subscription;
  return [...devices.filter((one) => one.device !== added.device && one.subscription.endpoint !== endpoint), added];
}

/** Of the reasons there are now, the one that matters most of those this device wants; undefined in its quiet hours. Pure. */
export function callFor(
  { reasons, quiet }: SubscribedDevice,
  due: ReadonlySet<PushReason>,
  at: Date,
): PushReason | undefined {
  if (quiet !== undefined && isQuiet(quiet, at)) return undefined;
  return PUSH_REASONS.find((reason) => due.has(reason) && reasons.includes(reason));
}

/** Whether the time of day in that zone is in the quiet hours, which may go over midnight. Pure. */
export function isQuiet({ from, to, timeZone }: PushQuiet, at: Date): boolean {
  const time = timeIn(timeZone, at);
  return time !== undefined && isWithinHours(from, to, time);
}

/** Whether this platform knows the zone. */
export function isTimeZone(timeZone: string): boolean {
  return timeIn(timeZone, new Date(0)) !== undefined;
}

function timeIn(timeZone: string, at: Date): string | undefined {
  try {
    const form = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return new Intl.DateTimeFormat('en-GB', form).format(at);
  } catch {
    return undefined;
  }
}

function isDevice(value: unknown): value is SubscribedDevice {
  const { device, subscription, reasons, quiet, failing } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    typeof device === 'string' &&
    isPushSubscription(subscription) &&
    isPushReasons(reasons) &&
    (quiet === undefined || isPushQuiet(quiet)) &&
    (failing === undefined || typeof failing === 'string')
  );
}
