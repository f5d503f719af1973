import {
  type AuthTag,
  type Crypto,
  conditionsHold,
  err,
  expiresAtSec,
  ok,
  parseAuthTag,
  type Result,
  verifyAuthTag,
} from '@heliograph/wire';
import type { SealedFile } from './sealed-file.ts';

export interface AttestationOptions {
  readonly agent: string;
  readonly owner: string;
  readonly crypto: Crypto;
  /** The tag the harness was started with. */
  readonly authTag: AuthTag | undefined;
  nowSec(): number;
}

/** The owner's word for this agent's key: the tag it was started with, or a newer one the owner sent since. */
export class Attestation {
  readonly #options: AttestationOptions;
  readonly #file: SealedFile;
  #tag: AuthTag | undefined;

  /** With the newer tag an earlier run was sent, where that lasts longer than the one we were started with. */
  static async open(options: AttestationOptions, file: SealedFile): Promise<Attestation> {
    const kept = parseAuthTag(await file.read());
    const attestation = new Attestation(options, file);
    if (kept.ok && attestation.#check(kept.value).ok && attestation.#lastsLonger(kept.value))
      attestation.#tag = kept.value;
    return attestation;
  }

  private constructor(options: AttestationOptions, file: SealedFile) {
    this.#options = options;
    this.#file = file;
    this.#tag = options.authTag;
  }

  get tag(): AuthTag | undefined {
    return this.#tag;
  }

  /** Takes a tag in the place of the one before, once it is on disk; the error says what is wrong with it. */
  async renew(tag: AuthTag): Promise<Result<void, { readonly message: string }>> {
    const checked = this.#check(tag);
    if (!checked.ok) return checked;
    try {
      await this.#file.write(tag);
    } catch (cause) {
      return err({ message: `the tag could not be kept: ${cause instanceof Error ? cause.message : 'unknown'}` });
    }
    this.#tag = tag;
    return ok(undefined);
  }

  #check(tag: AuthTag): Result<void, { readonly message: string }> {
    const { agent, owner, crypto, nowSec } = this.#options;
    const verified = verifyAuthTag(tag, agent, crypto);
    if (!verified.ok) return verified;
    if (verified.value.owner !== owner)
      return err({ message: `the tag is signed by ${verified.value.owner}, not by ${owner}` });
    if (conditionsHold(verified.value.conditions, { createdAtSec: nowSec() })) return ok(undefined);
    return err({ message: `the tag does not hold now: its conditions are "${tag[2]}"` });
  }

  #lastsLonger(tag: AuthTag): boolean {
    const endOf = (one: AuthTag) => {
      const verified = verifyAuthTag(one, this.#options.agent, this.#options.crypto);
      return verified.ok ? (expiresAtSec(verified.value.conditions) ?? Number.POSITIVE_INFINITY) : 0;
    };
    return this.#tag === undefined || endOf(tag) > endOf(this.#tag);
  }
}
