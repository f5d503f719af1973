/** Bytes of one check in a job: signature (64), hash (32), x-only public key (32), as BIP-340 takes them. */
export const CHECK_BYTES = 128;

/** Signatures for a worker to check: `checks` holds CHECK_BYTES for each. */
export interface VerifyJob {
  readonly id: number;
  readonly checks: Uint8Array;
}

/** A worker's answer: 1 for each check that holds, else 0. */
export interface VerifyDone {
  readonly id: number;
  readonly holds: Uint8Array;
}

/** What a worker says first, once its engine is loaded. */
export type VerifyLoaded = 'loaded';
