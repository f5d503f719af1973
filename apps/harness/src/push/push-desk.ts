import { createHash } from 'node:crypto';
import type { Clock } from '@heliograph/client';
import {
  PUSH_REASONS,
  type PushCall,
  type PushReason,
  type PushState,
  type PushSubscribe,
  type PushTest,
} from '@heliograph/wire';
import type { Reply } from '../agent/conversation.ts';
import type { Log } from '../log.ts';
import type { SealedFile } from '../sealed-file.ts';
import { PushCalls } from './push-calls.ts';
import {
  callFor,
  isTimeZone,
  MAX_PUSH_DEVICES,
  readDevices,
  type SubscribedDevice,
  withDevice,
} from './push-devices.ts';
import { parsePushEndpoint } from './push-endpoint.ts';
import { encryptPush } from './push-message.ts';
import { type PushOutcome, sendPush } from './push-service.ts';
import { subjectOfRelays, VapidKey } from './vapid-key.ts';

export interface PushDeskOptions {
  readonly agent: string;
  readonly relays: readonly string[];
  /** Whom a push service may write to: `mailto:` or `https:`. The first relay with a public name where it is absent. */
  readonly pushSubject?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a file keeps between runs. */
interface Kept {
  readonly vapid: unknown;
  readonly devices: unknown;
}

/** What a service that is in trouble is given; it may ask for more, up to an hour. After the last a call is given up. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000];
/** Calls to one device: so many at once, then one a minute. More are dropped. */
const MAX_BURST = 20;
const REFILL_MS = 60_000;
const NO_SUBJECT =
  'push services want a contact: start this agent with --push-subject mailto:you@your-domain.org (or use a relay with a public name and TLS)';

/** How long a service keeps a call for a device that is away, and how it is to wake it. */
const MANNERS: Readonly<Record<PushCall['reason'], { readonly ttlSec: number; readonly urgency: 'high' | 'normal' }>> =
  {
    permission: { ttlSec: 12 * 3_600, urgency: 'high' },
    question: { ttlSec: 12 * 3_600, urgency: 'high' },
    failed: { ttlSec: 12 * 3_600, urgency: 'normal' },
    offline: { ttlSec: 12 * 3_600, urgency: 'normal' },
    ended: { ttlSec: 4 * 3_600, urgency: 'normal' },
    test: { ttlSec: 60, urgency: 'high' },
  };

/**
 * Calls the owner's devices by Web Push, each as it wishes: the one contact of the harness beside its relays, and only once a
 * device was subscribed. A message says which agent and why, nothing else.
 */
export class PushDesk {
  readonly #options: PushDeskOptions;
  readonly #file: SealedFile;
  readonly #key: VapidKey;
  readonly #subject: string | undefined;
  readonly #calls: PushCalls;
  readonly #budgets = new Map<string, { left: number; atMs: number }>();
  /** Calls that are to be sent again, one for each device and reason. */
  readonly #retries = new Map<string, () => void>();
  readonly #underway = new Set<Promise<void>>();
  #devices: readonly SubscribedDevice[];
  readonly #ending = new AbortController();

  /** With the key and devices of earlier runs; a key is made at the first. Rejects with the system's error. */
  static async open(options: PushDeskOptions, file: SealedFile): Promise<PushDesk> {
    const kept = (await file.read()) as Kept | undefined;
    const key = VapidKey.read(kept?.vapid);
    const desk = new PushDesk(options, file, key ?? VapidKey.make(), readDevices(kept?.devices));
    if (key === undefined) await desk.#keep();
    return desk;
  }

  private constructor(options: PushDeskOptions, file: SealedFile, key: VapidKey, devices: readonly SubscribedDevice[]) {
    this.#options = options;
    this.#file = file;
    this.#key = key;
    this.#devices = devices;
    this.#subject = options.pushSubject ?? subjectOfRelays(options.relays);
    this.#calls = new PushCalls({ clock: options.clock, call: (due) => this.#call(due) });
  }

  /** Takes what viewers are told, as it is told. */
  observe(stream: string, kind: string, payload: string): void {
    if (this.#devices.length > 0) this.#calls.observe(stream, kind, payload);
  }

  /** As a snapshot tells it. */
  describe(): PushState {
    return {
      key: this.#key.publicKey,
      ...(this.#subject === undefined ? { problem: NO_SUBJECT } : {}),
      devices: this.#devices.map(({ device, subscription: { endpoint }, reasons, quiet, failing }) => ({
        device,
        service: new URL(endpoint).host,
        endpointSha256: createHash('sha256').update(endpoint).digest('hex'),
        reasons,
        ...(quiet !== undefined ? { quiet } : {}),
        ...(failing !== undefined ? { failing } : {}),
      })),
    };
  }

  /** Subscribes a device, changes what it is called for, or ends that. */
  async subscribe(control: PushSubscribe, reply: Reply): Promise<void> {
    const device = control.device ?? control.viewer;
    if (device === undefined) return reply({ status: 'failure', reason: 'no device is named' });
    const problem = this.#problemOf(control, device);
    if (problem !== undefined) return reply({ status: 'failure', reason: problem });
    const { subscription, reasons = PUSH_REASONS, quiet } = control;
    this.#devices =
      subscription === null
        ? this.#devices.filter((one) => one.device !== device)
        : withDevice(this.#devices, { device, subscription, reasons, ...(quiet !== undefined ? { quiet } : {}) });
    try {
      await this.#keep();
      reply({ status: 'applied' });
    } catch (cause) {
      reply({
        status: 'failure',
        reason: `it holds until the harness is restarted, but could not be kept: ${wordsOf(cause)}`,
      });
    }
  }

  /** Calls a device once, now, and says what its push service made of it. */
  async test(control: PushTest, reply: Reply): Promise<void> {
    const device = this.#find(control.device ?? control.viewer);
    if (device === undefined) return reply({ status: 'failure', reason: 'this device is not subscribed here' });
    reply({ status: 'sent' });
    const outcome = await this.#send(device, 'test');
    await this.#settle(device, outcome);
    if (outcome.code === 'taken') reply({ status: 'applied' });
    else reply({ status: 'failure', reason: 'message' in outcome ? outcome.message : 'the subscription is over' });
  }

  /** Calls for what is due now, waits for it up to `timeoutMs`, and ends. `isLost`: the agent is, and the harness with it. */
  async close(isLost: boolean, timeoutMs: number): Promise<void> {
    if (isLost) this.observe('', 'agent_exited', '{"expected":false}');
    this.#calls.flush();
    for (const cancel of this.#retries.values()) cancel();
    this.#retries.clear();
    const sent = Promise.all(this.#underway);
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.setTimer(timeoutMs, resolve);
      void sent.then(() => {
        cancel();
        resolve();
      });
    });
    // What goes on now would hold up the end of the process, and write to a file that may be another's.
    this.#ending.abort();
    for (const cancel of this.#retries.values()) cancel();
  }

  #problemOf({ subscription, quiet }: PushSubscribe, device: string): string | undefined {
    if (subscription === null) return undefined;
    if (this.#subject === undefined) return NO_SUBJECT;
    const endpoint = parsePushEndpoint(subscription.endpoint);
    if (!endpoint.ok) return endpoint.error.message;
    if (quiet !== undefined && !isTimeZone(quiet.timeZone))
      return `"${quiet.timeZone}" is no time zone that is known here`;
    try {
      encryptPush('', subscription);
    } catch {
      return 'the subscription’s key is no point of P-256';
    }
    const isFull = this.#devices.length >= MAX_PUSH_DEVICES && this.#find(device) === undefined;
    return isFull ? `${MAX_PUSH_DEVICES} devices are called by this agent already: remove one first` : undefined;
  }

  #find(device: string | undefined): SubscribedDevice | undefined {
    return this.#devices.find((one) => one.device === device);
  }

  #call(due: ReadonlySet<PushReason>): void {
    const at = new Date(this.#options.clock.nowMs());
    for (const device of this.#devices) {
      const reason = callFor(device, due, at);
      if (reason === undefined) continue;
      if (this.#mayCall(device)) this.#start(device.subscription.endpoint, reason, 0);
      else this.#options.log.warn({ device: device.device }, 'a device was called too often: this call is left out');
    }
  }

  #mayCall({ subscription }: SubscribedDevice): boolean {
    const nowMs = this.#options.clock.nowMs();
    const { left, atMs } = this.#budgets.get(subscription.endpoint) ?? { left: MAX_BURST, atMs: nowMs };
    const now = Math.min(MAX_BURST, left + Math.max(0, nowMs - atMs) / REFILL_MS);
    this.#budgets.set(subscription.endpoint, { left: Math.max(0, now - 1), atMs: nowMs });
    return now >= 1;
  }

  /** Sends, and again later where the service says so; a newer call for the same reason takes the place of one that waits. */
  #start(endpoint: string, reason: PushReason, tries: number): void {
    const key = `${endpoint} ${reason}`;
    this.#retries.get(key)?.();
    this.#retries.delete(key);
    const device = this.#devices.find(({ subscription }) => subscription.endpoint === endpoint);
    if (device === undefined) return;
    const sending = this.#send(device, reason).then((outcome) => {
      if (this.#ending.signal.aborted) return;
      const delayMs = outcome.code === 'later' ? RETRY_MS[tries] : undefined;
      if (outcome.code === 'later' && delayMs !== undefined) {
        const again = () => this.#start(endpoint, reason, tries + 1);
        const afterMs = Math.max(delayMs, outcome.afterMs ?? 0);
        // Another call for that reason may have been under way beside this one.
        this.#retries.get(key)?.();
        this.#retries.set(key, this.#options.clock.setTimer(afterMs, again));
      }
      return this.#settle(device, outcome);
    });
    this.#underway.add(sending);
    void sending.finally(() => this.#underway.delete(sending));
  }

  async #send({ subscription, device }: SubscribedDevice, reason: PushCall['reason']): Promise<PushOutcome> {
    const { agent, clock, log } = this.#options;
    const url = parsePushEndpoint(subscription.endpoint);
    if (!url.ok || this.#subject === undefined) {
      return { code: 'refused', message: url.ok ? NO_SUBJECT : url.error.message };
    }
    const { origin } = url.value;
    const outcome = await sendPush({
      url: url.value,
      authorization: this.#key.authorization(origin, this.#subject, Math.floor(clock.nowMs() / 1_000)),
      body: encryptPush(JSON.stringify({ agent, reason } satisfies PushCall), subscription),
      ...MANNERS[reason],
      topic: topicOf(subscription.keys.auth, reason),
      signal: this.#ending.signal,
    });
    log.debug({ device, service: url.value.host, reason, outcome: outcome.code }, 'a device was called');
    return outcome;
  }

  /** What a service said of a subscription is kept with it, and told with the next snapshot. */
  async #settle({ device, subscription }: SubscribedDevice, outcome: PushOutcome): Promise<void> {
    const known = this.#devices.find((one) => one.subscription.endpoint === subscription.endpoint);
    const message = 'message' in outcome ? outcome.message : undefined;
    if (known === undefined || (outcome.code !== 'gone' && known.failing === message)) return;
    const { failing: _failing, ...rest } = known;
    const { log } = this.#options;
    if (outcome.code === 'gone') {
      log.info({ device }, 'a device is no longer subscribed at its push service: it is not called any more');
      this.#devices = this.#devices.filter((one) => one !== known);
    } else {
      if (message !== undefined) log.warn({ device, reason: message }, 'a push service took no call for a device');
      const now = message === undefined ? rest : { ...rest, failing: message };
      this.#devices = this.#devices.map((one) => (one === known ? now : one));
    }
    await this.#keep().catch((cause: unknown) =>
      log.warn({ err: cause }, 'what is subscribed could not be written down'),
    );
  }

  #keep(): Promise<void> {
    const called = new Set(this.#devices.map(({ subscription }) => subscription.endpoint));
    for (const endpoint of this.#budgets.keys()) if (!called.has(endpoint)) this.#budgets.delete(endpoint);
    return this.#file.write({ vapid: this.#key, devices: this.#devices } satisfies Kept);
  }
}

/** Says nothing to the service, and differs for each device and reason. */
function topicOf(secret: string, reason: string): string {
  return createHash('sha256').update(`${secret} ${reason}`).digest('base64url').slice(0, 32);
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'unknown';
}
