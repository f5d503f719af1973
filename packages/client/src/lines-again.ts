import type { ControlResult } from '@heliograph/wire';
import { namedIn } from './members.ts';
import type { SeqSpan } from './stream-chain.ts';
import type { ControlDraft, LinesAgain, StreamSpan } from './viewer-event.ts';

/** Asks one agent's harness for lines that were here and were let go; those asked for are let through when they come. */
export class AskedAgain {
  readonly #control: (draft: ControlDraft) => string;
  /** What is not answered, by requestId. */
  readonly #asked = new Map<string, { readonly span: StreamSpan; readonly answer: (answer: LinesAgain) => void }>();

  /** `control` sends one; returns its requestId. */
  constructor(control: (draft: ControlDraft) => string) {
    this.#control = control;
  }

  ask(span: StreamSpan): Promise<LinesAgain> {
    return new Promise((answer) => {
      const { stream, first, last } = span;
      const requestId = this.#control({ type: 'replay', stream, fromSeq: first, toSeq: last });
      this.#asked.set(requestId, { span, answer });
    });
  }

  /** Whether any of these seqs is asked for. */
  covers(stream: string, { first, last }: SeqSpan): boolean {
    for (const { span } of this.#asked.values())
      if (span.stream === stream && span.first <= last && first <= span.last) return true;
    return false;
  }

  /** Takes the result of a replay that was asked for here, or what stands for one that never came. */
  receive(result: ControlResult): void {
    const { requestId = '', status } = result;
    const asked = this.#asked.get(requestId);
    if (asked === undefined || status === 'sent') return;
    this.#asked.delete(requestId);
    if (status === 'failure' || status === 'unanswered') asked.answer({ isAnswered: false });
    else asked.answer({ isAnswered: true, gone: status === 'unknown' ? [asked.span] : namedIn(result) });
  }

  /** Nobody answers any more. */
  close(): void {
    for (const { answer } of this.#asked.values()) answer({ isAnswered: false });
    this.#asked.clear();
  }
}
