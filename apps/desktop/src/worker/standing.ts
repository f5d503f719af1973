import type { ReaderFollowing } from './reader-protocol.ts';

/** Something the page goes on being told of until it says stop. */
export interface Standing {
  readonly agent: string;
  /** There is more of that agent than before. */
  changed(): void;
  /** Takes what the page says to it later. */
  receive(more: ReaderFollowing): void;
  stop(): void;
}
