/** Inclusive range of seqs of one stream. */
export interface SeqSpan {
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** One envelope after sealing: nothing of its plaintext is left but the chain's hash. */
export interface SealedEnvelope extends SeqSpan {
  /** Hex SHA-256 of the plaintext: `prev` of the next one. */
  readonly hash: string;
  /** When the oldest of its events was read or happened. */
  readonly sinceMs: number;
  /** NIP-44 ciphertext to the owner, base64. Re-sending re-uses it. */
  readonly content: string;
  /** What the gaps told in it name: told anew should this envelope be lost too. */
  readonly gaps: readonly SeqSpan[];
}

/** How soon an envelope goes out: before all others, in turn, or when nothing else waits. */
export type Lane = 'urgent' | 'live' | 'replay';
