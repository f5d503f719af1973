import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, PublishError, RelayClient, RelayState } from '@heliograph/client';
import {
  type AuthTag,
  type Crypto,
  conditionsHold,
  KIND_USAGE,
  parseConditions,
  parseEvent,
  parseUsageEvent,
  type Signer,
  sealUsage,
  type UsageReport,
  type VerifiedEvent,
  verifyEvent,
} from '@heliograph/wire';
import type { Log } from '../log.ts';
import { writeWhole } from '../write-whole.ts';
import { RelayPublisher } from './relay-publisher.ts';
import type { SeqSpan } from './sealed-envelope.ts';

export interface UsageOutboxOptions {
  readonly stateDir: string;
  readonly owner: string;
  readonly signer: Signer;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly log: Log;
  authTag(): AuthTag | undefined;
}

/** A usage event on its way. Its span only says which came first. */
interface Mail extends SeqSpan {
  readonly event: VerifiedEvent;
  readonly path: string;
  /** Relays that have not taken it; it stays on disk until there are none. */
  readonly waiting: Set<RelayPublisher<Mail>>;
  /** Some relay calls it invalid: kept for the next run. */
  isRefused: boolean;
}

/** Turns whose reports wait for a relay; of more the oldest are dropped, which is logged. */
export const MAX_WAITING = 500;
const FOLDER = 'usage';
const STREAM = 'usage';

/**
 * Usage events for the relays, each to all of them. Signed once, so that a relay that has one already knows it again; on
 * disk (ciphertext, 0600) from before the first try until every relay took it, so that neither a relay that is away nor a
 * restart loses one.
 */
export class UsageOutbox {
  readonly #options: UsageOutboxOptions;
  readonly #folder: string;
  readonly #mails = new Set<Mail>();
  readonly #publishers = new Map<string, RelayPublisher<Mail>>();
  readonly #onState = new Map<string, (state: RelayState) => void>();
  #nextSeq = 1;
  #writing: Promise<void> = Promise.resolve();
  #whenSettled = () => {};
  readonly #told = new Set<string>();

  /** With what an earlier run with this state folder did not get rid of. */
  static async open(options: UsageOutboxOptions): Promise<UsageOutbox> {
    const outbox = new UsageOutbox(options);
    await mkdir(outbox.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(outbox.#folder)).sort();
    for (const name of names) {
      const path = join(outbox.#folder, name);
      const event = await outbox.#read(path);
      if (event === undefined) await rm(path, { force: true });
      else outbox.#mails.add(outbox.#mail(event, path));
    }
    outbox.#trim();
    return outbox;
  }

  private constructor(options: UsageOutboxOptions) {
    this.#options = options;
    this.#folder = join(options.stateDir, FOLDER);
  }

  /** One more relay that all of it goes to, over a connection that is there. */
  connect(client: RelayClient): void {
    const { clock, log } = this.#options;
    const publisher = new RelayPublisher<Mail>(
      {
        clock,
        log,
        what: 'usage reports',
        tellsConnection: false,
        isHopeless: (mail, error) => this.#isHopeless(mail, client.url, error),
        frame: (mail) => Promise.resolve(mail.event),
        onSettled: (mail) => this.#settled(mail, publisher),
        onState: () => this.#whenSettled(),
      },
      (onState) => {
        this.#onState.set(client.url, onState);
        return client;
      },
    );
    this.#publishers.set(client.url, publisher);
    for (const mail of this.#mails) this.#offer(mail, publisher);
    this.relayChanged(client.url, client.state);
  }

  /** Takes the news of a connection. */
  relayChanged(url: string, state: RelayState): void {
    this.#onState.get(url)?.(state);
  }

  /** Seals a report and sends it to every relay; it is on disk before. */
  publish(report: UsageReport): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#post(report))
      .catch((cause: unknown) =>
        this.#options.log.error({ err: cause }, 'a usage report could not be signed: it is lost'),
      );
    return this.#writing;
  }

  /** Waits until the relays that are there have taken everything, at most so long; the rest goes out in the next run. */
  async drain(timeoutMs: number): Promise<void> {
    await this.#writing;
    const isBusy = () => [...this.#publishers.values()].some((publisher) => publisher.isBusy);
    if (!isBusy()) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.setTimer(timeoutMs, resolve);
      this.#whenSettled = () => {
        if (isBusy()) return;
        cancel();
        resolve();
      };
    });
  }

  /** Sends nothing any more; the connections are their owner's to close. */
  async close(): Promise<void> {
    await this.#writing;
    for (const publisher of this.#publishers.values()) publisher.stop();
  }

  async #post(report: UsageReport): Promise<void> {
    const { signer, owner, clock, log } = this.#options;
    if (!this.#isVouched()) return;
    const nowSec = Math.floor(clock.nowMs() / 1_000);
    const event = await sealUsage(report, { agent: signer.publicKey, owner }, nowSec, signer);
    const path = join(this.#folder, `${String(event.created_at).padStart(12, '0')}-${event.id.slice(0, 16)}.json`);
    try {
      await writeWhole(path, event.json);
    } catch (cause) {
      const { message } = cause as Error;
      this.#once('disk', () =>
        log.warn({ err: cause }, `usage reports can't be kept (${message}): a restart loses what no relay took`),
      );
    }
    const mail = this.#mail(event, path);
    this.#mails.add(mail);
    this.#trim();
    for (const publisher of this.#publishers.values()) this.#offer(mail, publisher);
  }

  /** An attestation for some kinds only may leave usage out: nobody would believe it. */
  #isVouched(): boolean {
    const tag = this.#options.authTag();
    const conditions = tag === undefined ? undefined : parseConditions(tag[2]);
    if (conditions === undefined || !conditions.ok) return true;
    const createdAtSec = Math.floor(this.#options.clock.nowMs() / 1_000);
    const holds = conditionsHold(conditions.value, { kind: KIND_USAGE, createdAtSec });
    if (holds || !conditionsHold(conditions.value, { createdAtSec })) return true;
    const text = `the owner's attestation (${tag?.[2]}) leaves out kind ${KIND_USAGE}: no usage is reported until it is renewed without that`;
    this.#once('kind', () => this.#options.log.warn({}, text));
    return false;
  }

  /** What a relay calls invalid it will call so again: that holds back no other, and the next run asks anew. */
  #isHopeless(mail: Mail, relay: string, { code, message: reason }: PublishError): boolean {
    if (code !== 'invalid') return false;
    mail.isRefused = true;
    this.#once(`${relay} ${reason}`, () =>
      this.#options.log.warn({ relay, reason }, 'the relay refused a usage report: it is left out there for now'),
    );
    return true;
  }

  #offer(mail: Mail, publisher: RelayPublisher<Mail>): void {
    mail.waiting.add(publisher);
    publisher.offer(mail, 'live');
  }

  #settled(mail: Mail, publisher: RelayPublisher<Mail>): void {
    mail.waiting.delete(publisher);
    if (mail.waiting.size === 0 && !mail.isRefused && this.#mails.delete(mail)) {
      rm(mail.path, { force: true }).catch((cause: unknown) =>
        this.#once('rm', () =>
          this.#options.log.warn({ err: cause }, 'a usage report that was sent could not be removed'),
        ),
      );
    }
    this.#whenSettled();
  }

  /** Those that a relay has go first, then the oldest. */
  #trim(): void {
    while (this.#mails.size > MAX_WAITING) {
      const [oldest] = this.#mails;
      const taken = [...this.#mails].find((mail) => mail.waiting.size < this.#publishers.size);
      const mail = taken ?? (oldest as Mail);
      this.#mails.delete(mail);
      for (const publisher of mail.waiting) publisher.drop(mail);
      void rm(mail.path, { force: true }).catch(() => {});
      if (taken === undefined)
        this.#once('full', () =>
          this.#options.log.warn({}, `over ${MAX_WAITING} usage reports wait for a relay: the oldest are dropped`),
        );
    }
  }

  #mail(event: VerifiedEvent, path: string): Mail {
    const seq = this.#nextSeq++;
    return { stream: STREAM, firstSeq: seq, lastSeq: seq, event, path, waiting: new Set(), isRefused: false };
  }

  async #read(path: string): Promise<VerifiedEvent | undefined> {
    const { signer, owner, crypto } = this.#options;
    try {
      const parsed = parseEvent(JSON.parse(await readFile(path, 'utf8')));
      if (!parsed.ok || parsed.value.pubkey !== signer.publicKey) return undefined;
      const route = parseUsageEvent(parsed.value);
      const verified = verifyEvent(parsed.value, crypto);
      return route.ok && route.value.owner === owner && verified.ok ? verified.value : undefined;
    } catch {
      return undefined; // Cut short: it was never sent, and can't be.
    }
  }

  #once(key: string, tell: () => void): void {
    if (this.#told.has(key)) return;
    if (this.#told.size < 100) this.#told.add(key);
    tell();
  }
}
