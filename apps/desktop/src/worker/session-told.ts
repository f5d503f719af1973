/** What the worker tells the page of the sessions it holds. Plain data. */
import type { ViewerEvent } from '@heliograph/client';
import type { TranscriptPatch } from '@heliograph/transcript';

/** What of an agent's sessions is other than the page was told last. */
export interface SessionChanges {
  readonly agent: string;
  /** Ids of its channels, when those are others. */
  readonly channels?: readonly string[];
  /** Makes the transcripts the page has into those that are now; of one it has not, out of an empty one. */
  readonly transcripts: readonly TranscriptPatch[];
}

/** What happens in the page's world: what a viewer tells, but that lines come as what they made of the sessions, and names with the session. */
export type PageEvent =
  | Exclude<ViewerEvent, { readonly type: 'events' | 'names' }>
  | { readonly type: 'changes'; readonly changes: SessionChanges };
