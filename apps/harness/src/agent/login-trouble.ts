import { hideSecrets } from '../mirror/secret-shapes.ts';
import { saysLoginRefused } from './failure.ts';
import type { StderrFeed } from './stderr-feed.ts';

/** Of the line that tells it, at most. */
const MAX_WORDS = 300;
/** Of an update, at most. */
const MAX_UPDATE = 16_384;
/** Updates in which agents tell of trouble; what an answer or a tool says is no word on the agent's own login. */
const TELLS_TROUBLE = ['session_info_update', 'notice'];

/** What an agent says of its own login while it writes nothing else: on stderr, or in the last update before it fell silent. */
export class LoginTrouble {
  readonly #stderr: Pick<StderrFeed, 'length' | 'since'> | undefined;
  /** Where stderr stood at the last tick before the agent wrote something, and at the one before: the pipes have no common order. */
  #from: number;
  #next: number;
  #update: string | undefined;

  constructor(stderr: Pick<StderrFeed, 'length' | 'since'> | undefined) {
    this.#stderr = stderr;
    this.#from = stderr?.length ?? 0;
    this.#next = this.#from;
  }

  /** The agent wrote to stdout: it goes on, and what stderr said before that is over. */
  heard(): void {
    this.#from = this.#next;
    this.#next = this.#stderr?.length ?? 0;
  }

  /** The agent's newest update in this turn. */
  noteUpdate(update: unknown): void {
    const kind = (update as { sessionUpdate?: unknown } | null | undefined)?.sessionUpdate;
    this.#update = TELLS_TROUBLE.includes(kind as string) ? JSON.stringify(update).slice(0, MAX_UPDATE) : undefined;
  }

  /** The line that tells of a refused login, secrets hidden; undefined where none does. */
  words(): string | undefined {
    const lines = `${this.#stderr?.since(this.#from) ?? ''}\n${this.#update ?? ''}`.split('\n');
    const line = lines.findLast(saysLoginRefused);
    return line === undefined ? undefined : hideSecrets(line.trim()).slice(0, MAX_WORDS);
  }
}
