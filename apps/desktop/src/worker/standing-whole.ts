import type { ReaderFollowing } from './reader-protocol.ts';
import type { Standing } from './standing.ts';

/** What is done once all of a session is here: until then nothing of it is begun, and where it is stopped before, nothing ever. */
export class StandingWhole implements Standing {
  readonly agent: string;
  #standing: Standing | undefined;
  #isStopped = false;

  /** `whole`: fulfilled once no more of it will come; `begin` returns undefined where that is too little. */
  constructor(agent: string, whole: Promise<void>, begin: () => Standing | undefined) {
    this.agent = agent;
    void whole.then(() => {
      if (!this.#isStopped) this.#standing = begin();
    });
  }

  changed(): void {
    this.#standing?.changed();
  }

  receive(more: ReaderFollowing): void {
    this.#standing?.receive(more);
  }

  stop(): void {
    this.#isStopped = true;
    this.#standing?.stop();
  }
}
