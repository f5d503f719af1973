import {
  type Crypto,
  type EventTemplate,
  err,
  parseEvent,
  type Result,
  type Signer,
  type VerifiedEvent,
  verifyEvent,
} from '@heliograph/wire';
import type { Clock } from './clock.ts';

/** What is asked of a signer, as NIP-46 names it: texts in, one text out. */
export type SignerMethod = 'get_public_key' | 'sign_event' | 'nip44_encrypt' | 'nip44_decrypt';

/** Why a signer gave nothing. `refused`: it said no. `away`: it did not answer. `failed`: it can't. */
export interface SignerFault {
  readonly code: 'refused' | 'away' | 'failed';
  readonly message: string;
}

/** Words of a no; other errors are about one request: a frame that can't be opened is no refusal. */
const NO = /den(y|ied)|reject|refus|declin|cancel|not (allowed|authori[sz]ed|permitted)|unauthori[sz]ed|no permission/i;

/** What a signer's error means. Pure. */
export function signerFault(message: string): SignerFault {
  return { code: NO.test(message) ? 'refused' : 'failed', message };
}

/** Where the key is: a browser's extension (NIP-07) or a bunker (NIP-46). Answers never reject. */
export interface SignerBackend {
  ask(method: SignerMethod, params: readonly string[]): Promise<Result<string, SignerFault>>;
}

/** How a signer does, for who looks at the screen. */
export interface SignerState {
  /** `waiting`: it has not answered for a while, so it may be asking its owner. `refused`: nothing is asked until `retry`. */
  readonly phase: 'ready' | 'waiting' | 'refused' | 'away';
  /** What it said, or what is wrong. Hostile text. */
  readonly message: string | undefined;
  /** Frames opened in a second, over the last ten. */
  readonly perSecond: number;
  /** It had no pause for ten seconds: what is shown falls behind what happens. */
  readonly isBehind: boolean;
}

export interface RemoteSignerOptions {
  readonly publicKey: string;
  readonly backend: SignerBackend;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly onState: (state: SignerState) => void;
}

/** A signer whose key is elsewhere. */
export interface RemoteSigner extends Signer {
  /** Asks again after a refusal. */
  retry(): void;
}

const WAITING_MS = 3_000;
const WINDOW_MS = 10_000;
const PAUSED: SignerFault = { code: 'refused', message: 'the signer refused before, and was not asked again' };

/**
 * Signs, encrypts and opens by asking. What comes back is checked: a signature that does not hold, or is of another event, is
 * none. After a refusal nothing is asked until the owner says so, or every frame would ask them anew.
 */
export function createRemoteSigner({ publicKey, backend, crypto, clock, onState }: RemoteSignerOptions): RemoteSigner {
  const meter = new BusyMeter(clock);
  const slow = new Set<object>();
  let paused = false;
  let fault: SignerFault | undefined;
  let told = '';
  /** Counts retries: what was asked before one says nothing about what was asked since. */
  let tries = 0;

  function tell(): void {
    const phase = paused ? 'refused' : slow.size > 0 ? 'waiting' : fault?.code === 'away' ? 'away' : 'ready';
    const state = { phase, message: phase === 'waiting' ? undefined : fault?.message, ...meter.read() } as const;
    const text = JSON.stringify(state);
    if (text === told) return;
    told = text;
    onState(state);
  }

  async function ask(method: SignerMethod, params: readonly string[]): Promise<Result<string, SignerFault>> {
    if (paused) return err(PAUSED);
    const request = {};
    const mine = tries;
    const cancel = clock.setTimer(WAITING_MS, () => {
      slow.add(request);
      tell();
    });
    const end = method === 'nip44_decrypt' ? meter.begin() : () => {};
    const answer = await backend.ask(method, params);
    end();
    cancel();
    slow.delete(request);
    if (mine === tries) {
      fault = answer.ok ? undefined : answer.error;
      if (fault?.code === 'refused') paused = true;
    }
    tell();
    return answer;
  }

  return {
    publicKey,
    retry() {
      paused = false;
      fault = undefined;
      tries++;
      tell();
    },
    async sign(template) {
      const answer = await ask('sign_event', [JSON.stringify({ ...template, pubkey: publicKey })]);
      if (!answer.ok) throw new Error(answer.error.message);
      const event = readSigned(answer.value, template, publicKey, crypto);
      if (event === undefined) throw new Error('the signer gave no signature of this event that holds');
      return event;
    },
    async encrypt(peer, text) {
      const answer = await ask('nip44_encrypt', [peer, text]);
      if (!answer.ok) throw new Error(answer.error.message);
      return answer.value;
    },
    decrypt: (peer, text) => ask('nip44_decrypt', [peer, text]),
  };
}

function readSigned(
  json: string,
  template: EventTemplate,
  publicKey: string,
  crypto: Crypto,
): VerifiedEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const parsed = parseEvent(value);
  if (!parsed.ok) return undefined;
  const { pubkey, kind, created_at, tags, content } = parsed.value;
  const isAsked =
    pubkey === publicKey &&
    kind === template.kind &&
    created_at === template.created_at &&
    content === template.content &&
    JSON.stringify(tags) === JSON.stringify(template.tags);
  const verified = isAsked ? verifyEvent(parsed.value, crypto) : undefined;
  return verified?.ok ? verified.value : undefined;
}

/** How much of the last ten seconds somebody waited for the signer, and for how many answers. */
class BusyMeter {
  readonly #clock: Clock;
  #begun: number[] = [];
  #open = 0;
  #busySinceMs = Number.POSITIVE_INFINITY;
  #busyUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): () => void {
    const nowMs = this.#clock.nowMs();
    // A pause shorter than a moment is none: the next frame was on its way.
    if (this.#open === 0 && nowMs - this.#busyUntilMs > PAUSE_MS) this.#busySinceMs = nowMs;
    this.#open++;
    return () => {
      const endMs = this.#clock.nowMs();
      this.#open--;
      this.#busyUntilMs = endMs;
      this.#begun = [...this.#begun.filter((atMs) => atMs > endMs - WINDOW_MS), endMs];
    };
  }

  read(): { readonly perSecond: number; readonly isBehind: boolean } {
    const nowMs = this.#clock.nowMs();
    const isBusy = this.#open > 0 || nowMs - this.#busyUntilMs <= PAUSE_MS;
    const count = this.#begun.filter((atMs) => atMs > nowMs - WINDOW_MS).length;
    return {
      perSecond: Math.round((count * 10_000) / WINDOW_MS) / 10,
      isBehind: isBusy && nowMs - this.#busySinceMs >= WINDOW_MS,
    };
  }
}

const PAUSE_MS = 50;
