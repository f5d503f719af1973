import type { TranscriptFold } from '@heliograph/transcript';
import { saveSession, scanOf } from '../export/save-session.ts';
import type { SecretScan } from '../export/session-secrets.ts';
import type { SessionRef } from '../store/session-ref.ts';
import type { ReaderAnswer, ReaderFollowing } from './reader-protocol.ts';
import type { SessionLines } from './session-lines.ts';
import type { Slices } from './slices.ts';
import type { Standing } from './standing.ts';

export interface StandingSaveOptions {
  readonly id: number;
  readonly session: SessionRef;
  readonly fold: TranscriptFold;
  readonly lines: SessionLines;
  readonly slices: Slices;
  readonly post: (answer: ReaderAnswer) => void;
}

/** A session that is to be saved: looked through for secrets in slices, then written without those that are not kept. */
export class StandingSave implements Standing {
  readonly agent: string;
  readonly #options: StandingSaveOptions;
  readonly #giveUp: () => void;
  #scan: SecretScan | undefined;

  constructor(options: StandingSaveOptions) {
    const { id, session, fold, lines, slices, post } = options;
    this.agent = session.agent;
    this.#options = options;
    const looking = scanOf(fold, session, lines.run);
    let progress = 0;
    const steps = {
      next: () => {
        const step = looking.next();
        if (step.done === true) this.#scan = step.value;
        else progress = step.value;
        return step;
      },
    };
    this.#giveUp = slices.start(steps, () => {
      const { found: listed, unlisted } = this.#scan ?? {};
      const found = listed === undefined ? undefined : { listed, unlisted: unlisted?.length ?? 0 };
      post({ type: 'scanned', id, progress: found === undefined ? progress : 1, found });
    });
  }

  changed(): void {}

  receive(more: ReaderFollowing): void {
    const scan = this.#scan;
    if (more.type !== 'save' || scan === undefined) return;
    const { id, session, fold, post } = this.#options;
    const kept = new Set(more.kept);
    const secrets = [...scan.found.filter(({ secret }) => !kept.has(secret)), ...scan.unlisted];
    saveSession({ fold, session, agentName: more.agentName }, more.as, scan, secrets).then(
      (saved) => post({ type: 'saved', id, ...saved }),
      (error: unknown) => post({ type: 'not-saved', id, message: error instanceof Error ? error.message : `${error}` }),
    );
  }

  stop(): void {
    this.#giveUp();
  }
}
