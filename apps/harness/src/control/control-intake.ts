import { type Clock, type RelayClient, SeenIds } from '@heliograph/client';
import {
  type Control,
  type ControlResult,
  type Crypto,
  KIND_OBSERVER,
  MAX_FRAME_SKEW_SEC,
  type NostrEvent,
  openFrame,
  parseControl,
  parseFrame,
  type Signer,
  type VerifiedEvent,
  verifyEvent,
} from '@heliograph/wire';
import type { Log } from '../log.ts';
import type { ControlLedger } from './control-ledger.ts';

/** A control that passed every check, to be acted on now and only now. */
export interface AdmittedControl {
  readonly control: Control;
  /** The requestId, or for other implementations' controls the event's id. */
  readonly key: string;
  readonly eventId: string;
  /** When the owner said it: `issuedAt`, else the frame's created_at, in whole seconds. */
  readonly saidMs: number;
  /** Records and tells a result; may be called again with a later one. */
  readonly reply: (result: Omit<ControlResult, 'type' | 'requestId'>) => void;
}

export interface IntakePort {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly owner: string;
  readonly run: string;
  readonly ledger: ControlLedger;
  readonly log: Log;
  /** Emits a `control_result` in the channel's stream if it is known, else in the harness stream. */
  tell(result: ControlResult, channelId: string | null | undefined): void;
  act(admitted: AdmittedControl): void;
}

/** How far back the subscription asks: as far as a control may be old. */
const LOOK_BACK_SEC = MAX_FRAME_SKEW_SEC;
const MAX_ISSUED_AGE_MS = 24 * 3_600_000;
const STALE_REFUSAL_EVERY_MS = 10_000;
const MAX_SEEN_IDS = 20_000;
/** Controls that change nothing: asked for anew they are simply answered anew, so the disk need not know. */
const READ_ONLY = new Set<Control['type']>(['hello', 'replay']);

/** What other implementations say, without requestId, issuedAt and run. */
const FOREIGN = new Set<Control['type']>(['cancel_turn', 'switch_model', 'permission_decision']);

/** Frames that were refused unanswered, by reason. */
export type RefusalCounts = Readonly<
  Record<'tags' | 'stranger' | 'signature' | 'stale' | 'undecodable' | 'incomplete', number>
>;

/** The door for controls: lets through, once each, what the owner said to this run, freshly (HA27). */
export class ControlIntake {
  readonly #port: IntakePort;
  readonly #seen = new SeenIds(MAX_SEEN_IDS);
  readonly #refused = { tags: 0, stranger: 0, signature: 0, stale: 0, undecodable: 0, incomplete: 0 };
  readonly #abort = new AbortController();
  #lastStaleMs = Number.NEGATIVE_INFINITY;

  constructor(port: IntakePort) {
    this.#port = port;
  }

  get refused(): RefusalCounts {
    return this.#refused;
  }

  /** Listens on a relay until closed. */
  async listen(client: RelayClient): Promise<void> {
    const since = Math.floor(this.#port.clock.nowMs() / 1_000) - LOOK_BACK_SEC;
    const filter = { kinds: [KIND_OBSERVER], '#p': [this.#port.signer.publicKey], since };
    for await (const item of client.subscribe([filter], { signal: this.#abort.signal })) {
      if (item.type === 'event') await this.#receiveSafely(item.event);
      else if (item.type === 'closed') {
        this.#port.log.warn(
          { relay: client.url, reason: item.reason },
          'the relay does not let us listen for controls',
        );
      }
    }
  }

  close(): void {
    this.#abort.abort();
  }

  /** Takes one event as it came; never throws for anything a relay can send. */
  async receive(event: NostrEvent): Promise<void> {
    const { signer, owner, crypto } = this.#port;
    const frame = parseFrame(event);
    if (!frame.ok || frame.value.frame !== 'control' || frame.value.agent !== signer.publicKey)
      return this.#refuse('tags');
    if (event.pubkey !== owner) return this.#refuse('stranger');
    if (this.#seen.has(event.id)) return;
    const verified = verifyEvent(event, crypto);
    if (!verified.ok) return this.#refuse('signature');
    // Only now: a forged copy must not keep the real one out.
    this.#seen.add(event.id);
    const opened = await openFrame(verified.value, signer);
    if (!opened.ok) return this.#refuse('undecodable');
    await this.#judge(verified.value, opened.value.text);
  }

  async #receiveSafely(event: NostrEvent): Promise<void> {
    try {
      await this.receive(event);
    } catch (cause) {
      // A signer that is away, or a fault of ours: one control is lost, the sender repeats it; listening goes on.
      this.#port.log.error({ err: cause, event: event.id }, 'a control could not be taken in');
    }
  }

  async #judge(event: VerifiedEvent, text: string): Promise<void> {
    const { clock, ledger, run, tell, log } = this.#port;
    const parsed = parseControl(text);
    const ageSec = Math.floor(clock.nowMs() / 1_000) - event.created_at;
    if (Math.abs(ageSec) > MAX_FRAME_SKEW_SEC) {
      const said = parsed.ok ? parsed.value : parsed.error;
      return this.#refuseStale(ageSec, said.type, said.requestId);
    }
    if (!parsed.ok) {
      const { type, requestId, code, message } = parsed.error;
      if (type === undefined) return this.#refuse('undecodable');
      const status = code === 'unknown-type' ? 'unsupported' : 'invalid';
      tell({ type, ...(requestId !== undefined ? { requestId } : {}), status, reason: message }, undefined);
      return;
    }
    const control = parsed.value;
    const { type, requestId } = control;
    const channelId = 'channelId' in control ? control.channelId : undefined;
    const key = requestId ?? `event:${event.id}`;
    const answer = (result: Omit<ControlResult, 'type' | 'requestId'>): ControlResult => {
      const full = { type, ...(requestId !== undefined ? { requestId } : {}), ...result };
      tell(full, channelId);
      return full;
    };
    const lacks = lacking(control);
    if (lacks !== undefined) {
      if (requestId === undefined) return this.#refuse('incomplete');
      answer({ status: 'invalid', reason: `a ${type} needs ${lacks}` });
      return;
    }
    const known = ledger.known(key);
    if (known !== undefined) {
      if (known.phase === 'answered') tell(known.result, channelId);
      else if (known.phase === 'uncertain') {
        answer({
          status: 'uncertain',
          reason: 'the harness was restarted while it did this: it may or may not be done',
        });
      }
      return;
    }
    if (control.issuedAt !== undefined && clock.nowMs() - Date.parse(control.issuedAt) > MAX_ISSUED_AGE_MS) {
      answer({ status: 'expired', reason: 'this was said more than 24 hours ago' });
      return;
    }
    if (control.issuedAt !== undefined && Date.parse(control.issuedAt) - clock.nowMs() > MAX_FRAME_SKEW_SEC * 1_000) {
      answer({ status: 'expired', reason: 'this was said in the future: set the clocks of both machines right' });
      return;
    }
    if (control.run !== undefined && control.run !== run) {
      answer({ status: 'wrong_run', reason: 'the harness was restarted since: look again and say it anew' });
      return;
    }
    const saidMs = control.issuedAt === undefined ? event.created_at * 1_000 : Date.parse(control.issuedAt);
    const admitted = { control, key, eventId: event.id, saidMs };
    if (READ_ONLY.has(type)) {
      this.#port.act({ ...admitted, reply: answer });
      return;
    }
    try {
      await ledger.begin(key);
    } catch (cause) {
      log.error({ err: cause }, 'a control could not be written down, so it is not done: is the disk full?');
      answer({ status: 'failure', reason: 'the harness could not write this down and did not do it' });
      return;
    }
    this.#port.act({
      ...admitted,
      reply: (result) => {
        ledger.finish(key, answer(result)).catch((cause: unknown) => {
          log.error({ err: cause }, 'the result of a control could not be written down');
        });
      },
    });
  }

  #refuse(reason: keyof RefusalCounts): void {
    this.#refused[reason]++;
    this.#port.log.debug({ reason, refused: this.#refused[reason] }, 'a control was refused');
  }

  /** The owner's, but old or from the future: one answer in ten seconds, so that a relay that repeats old frames moves nothing. */
  #refuseStale(ageSec: number, type: string | undefined, requestId: string | undefined): void {
    this.#refuse('stale');
    const nowMs = this.#port.clock.nowMs();
    if (type === undefined || Math.abs(nowMs - this.#lastStaleMs) < STALE_REFUSAL_EVERY_MS) return;
    if (requestId !== undefined && this.#port.ledger.known(requestId) !== undefined) return;
    this.#lastStaleMs = nowMs;
    const minutes = Math.round(Math.abs(ageSec) / 60);
    const reason = `your clock is ${minutes} min ${ageSec > 0 ? 'behind' : 'ahead of'} the agent machine's: set both right`;
    this.#port.tell({ type, ...(requestId !== undefined ? { requestId } : {}), status: 'stale', reason }, undefined);
  }
}

/** What a control must carry and does not; without it an old one could be done again. */
function lacking({ type, requestId, issuedAt, run }: Control): string | undefined {
  if (requestId === undefined) return FOREIGN.has(type) ? undefined : 'requestId';
  if (issuedAt === undefined) return 'issuedAt';
  return run === undefined && type !== 'hello' ? 'run' : undefined;
}
