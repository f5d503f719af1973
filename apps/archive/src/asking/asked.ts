import type { ArchiveReader } from '@heliograph/record';
import type { Result } from '@heliograph/wire';
import type { Hit, SearchQuery } from '../search.ts';

/** What lies in an archive's file. Bytes of its pages in use; times are Unix milliseconds of the archive's own clock. */
export interface ShownArchive {
  readonly bytes: number;
  readonly records: number;
  readonly sessions: number;
  readonly oldestMs: number | undefined;
  readonly newestMs: number | undefined;
  readonly atRest: 'open' | 'sealed';
}

/** What can be asked of an archive's file, with what is answered. */
export interface ArchiveTold {
  readonly shown: ShownArchive;
  readonly search: readonly Hit[];
  readonly lines: ReturnType<ArchiveReader['lines']>;
}

export type ArchiveAsked =
  | { readonly ask: 'shown'; readonly file: string }
  | { readonly ask: 'search'; readonly file: string; readonly query: SearchQuery }
  /** A page of a session's lines, oldest first: from `after` on, else from its beginning. */
  | {
      readonly ask: 'lines';
      readonly file: string;
      readonly session: number;
      readonly after?: { readonly stream: string; readonly seq: number } | undefined;
      readonly limit: number;
    };

/** What goes to the thread, and what comes back. */
export interface AskMessage {
  readonly asked: ArchiveAsked;
  /** Opens what an archive of ciphertext only holds; undefined: it stays closed. */
  readonly ownerSecret: Uint8Array | undefined;
}
export type ToldMessage = Result<ArchiveTold[keyof ArchiveTold], { readonly message: string }>;
