import { applyPatch, emptyTranscript, type Transcript } from '@heliograph/transcript';
import type { SessionChanges } from '../worker/session-told.ts';

/**
 * One agent's sessions as far as the worker told of them: of each the newest part, and what waits. Grows in place; what it
 * hands out never changes: a value that is the same object says the same.
 */
export class ToldSessions {
  readonly #transcripts = new Map<string | null, Transcript>();
  #channels: readonly string[] = [];

  /** Takes what is other than before. Cost: the turns and items of what changed. */
  take({ channels, transcripts }: SessionChanges): void {
    if (channels !== undefined) this.#channels = channels;
    for (const patch of transcripts)
      this.#transcripts.set(patch.channelId, applyPatch(this.transcript(patch.channelId), patch));
  }

  /** Ids of its channels, in the order they were first heard of. */
  channels(): readonly string[] {
    return this.#channels;
  }

  /** What is shown of a channel; `null`: of what belongs to none. */
  transcript(channelId: string | null): Transcript {
    let transcript = this.#transcripts.get(channelId);
    if (transcript === undefined) {
      transcript = emptyTranscript(channelId);
      this.#transcripts.set(channelId, transcript);
    }
    return transcript;
  }
}
