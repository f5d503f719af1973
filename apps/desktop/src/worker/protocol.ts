/** What the page and its worker say to each other. The worker holds the secret key; nothing here carries it back. */
import type { ControlDraft, KnownAgent, SignerFault, SignerMethod, SignerState } from '@heliograph/client';
import type { Result } from '@heliograph/wire';
import type { ArchiveAnswers, ArchiveAsk } from '../archive-ask.ts';
import type { OwnRelay } from './own-relay.ts';
import type { ReaderAnswer, ReaderRequest } from './reader-protocol.ts';
import type { PageEvent } from './session-told.ts';
import type { RemoteKey } from './signer-gate.ts';

export type PageToWorker =
  | ToOwnerSession
  /** Asks for something about the sessions that the worker holds. */
  | { readonly type: 'read'; readonly request: ReaderRequest }
  /** What was told last is on the screen, which took so long. */
  | { readonly type: 'painted'; readonly tookMs: number };

/** What has to do with the key and what it opens. */
export type ToOwnerSession =
  /** First message. `token`: from the link's fragment, or kept for a reload. `base`: the folder the page came from. */
  | { readonly type: 'open'; readonly base: string; readonly token: string | undefined }
  /** Opens the encrypted key that `locked` speaks of; one that came by a link is kept from then on. */
  | { readonly type: 'unlock'; readonly passphrase: string }
  /** A key typed in: nsec, hex or ncryptsec. It is kept on this device, encrypted under the passphrase. */
  | {
      readonly type: 'import';
      readonly secret: string;
      readonly passphrase: string;
      readonly relays: readonly string[];
    }
  /** The owner's key is in this browser's extension (NIP-07) … */
  | { readonly type: 'use-extension'; readonly relays: readonly string[] }
  /** … or at a remote signer (NIP-46): met at its `bunker://` address, or by one of ours that is shown to it. */
  | { readonly type: 'use-bunker'; readonly address: string; readonly relays: readonly string[] }
  | { readonly type: 'offer-connection'; readonly meetAt: readonly string[]; readonly relays: readonly string[] }
  /** What the extension answered. */
  | { readonly type: 'signer-answer'; readonly id: number; readonly answer: Result<string, SignerFault> }
  /** Asks a signer again that refused. */
  | { readonly type: 'retry-signer' }
  /** Encrypts the open key under this passphrase, for another device. */
  | { readonly type: 'move-key'; readonly id: number; readonly passphrase: string }
  /** Other relays for a key that this browser keeps. */
  | { readonly type: 'set-relays'; readonly relays: readonly string[] }
  /** Removes the key kept on this device. */
  | { readonly type: 'forget-key' }
  | { readonly type: 'control'; readonly id: number; readonly agent: string; readonly draft: ControlDraft }
  | { readonly type: 'resync'; readonly agent: string | undefined }
  | { readonly type: 'change-agent'; readonly id: number; readonly change: AgentChange }
  | { readonly type: 'invite'; readonly id: number; readonly name: string; readonly relays: readonly string[] }
  /** Asks this machine's archive; `lines` is the worker's own way to read. */
  | { readonly type: 'archive'; readonly id: number; readonly ask: Exclude<ArchiveAsk, { ask: 'lines' }> }
  /** Brings a session's lines from the archive into the page, as if they were received now. */
  | { readonly type: 'read-archived'; readonly id: number; readonly agent: string; readonly session: number }
  /** Nobody waits any more for what was asked of the archive with this id. */
  | { readonly type: 'drop-archive'; readonly id: number };

export interface AgentChange {
  readonly publicKey: string;
  readonly name?: string;
  readonly revoked?: boolean;
}

export type WorkerToPage =
  | { readonly type: 'session'; readonly session: Session }
  /** Opens the page once more after a reload; the page keeps it for this tab alone. */
  | { readonly type: 'next-token'; readonly token: string }
  /** What happened since the page painted last. */
  | { readonly type: 'events'; readonly events: readonly PageEvent[] }
  | { readonly type: 'read'; readonly answer: ReaderAnswer }
  /** A question to this browser's extension, which only the page can ask. */
  | {
      readonly type: 'signer-ask';
      readonly id: number;
      readonly method: SignerMethod;
      readonly params: readonly string[];
    }
  /** How the signer does that holds the owner's key; undefined where the key is here. */
  | { readonly type: 'signer'; readonly signer: SignerStatus | undefined }
  /** Something in the worker failed that no session state tells. */
  | { readonly type: 'problem'; readonly message: string }
  /** Comes before any progress of that control. */
  | { readonly type: 'control-started'; readonly id: number; readonly requestId: string }
  | { readonly type: 'agent-changed'; readonly id: number; readonly result: Result<undefined, Failure> }
  | {
      readonly type: 'key-moved';
      readonly id: number;
      readonly result: Result<{ readonly ncryptsec: string }, Failure>;
    }
  | {
      readonly type: 'archive-said';
      readonly id: number;
      readonly result: Result<ArchiveAnswers['state' | 'search'], Failure>;
    }
  /** `isWhole`: all the session's lines are in the page now. */
  | {
      readonly type: 'archived-read';
      readonly id: number;
      readonly result: Result<{ readonly isWhole: boolean }, Failure>;
    }
  /** The `helio1…` text is a secret: it goes to a file or the clipboard, never into the page. */
  | { readonly type: 'invited'; readonly id: number; readonly result: Result<{ readonly text: string }, Failure> };

/** A signer's state, and where it wants its owner to go first (hostile text). */
export interface SignerStatus extends SignerState {
  readonly authUrl: string | undefined;
}

/** Something that did not work, in words to show. */
export interface Failure {
  readonly message: string;
}

/** Who answers where the page came from. */
export type PageServer = 'host' | 'other' | 'away';

/** How far the page has come to a key. */
export type Session =
  | { readonly phase: 'opening' }
  /**
   * No key here. `server`: what serves this page: a desktop's host, whose link is missing or spent; something else; or nothing
   * that answers now, and the browser had kept the page. `relay`: a relay serves it.
   */
  | {
      readonly phase: 'first-run';
      readonly server: PageServer;
      readonly relay: OwnRelay | undefined;
      readonly problem: string | undefined;
    }
  /** `link`: it came with the address, and `replaces` says whether this browser keeps another. */
  | {
      readonly phase: 'locked';
      readonly keptBy: 'host' | 'device' | 'link';
      readonly replaces: boolean;
      readonly problem: string | undefined;
    }
  /** A signer elsewhere was asked for and has not answered. `link`: what is shown to it; `client`: our key's npub for the way to it. */
  | {
      readonly phase: 'connecting';
      readonly kind: 'extension' | 'bunker';
      readonly link: string | undefined;
      readonly client: string | undefined;
      readonly authUrl: string | undefined;
    }
  | { readonly phase: 'failed'; readonly problem: string }
  | {
      readonly phase: 'ready';
      readonly publicKey: string;
      readonly npub: string;
      readonly relays: readonly string[];
      readonly agents: readonly KnownAgent[];
      /** The relay that serves this page, always among `relays`. */
      readonly homeRelay: string | undefined;
      /** What this device is called: harnesses record it with what is decided here, and keep its subscription under it. */
      readonly device: string;
      /** Where the secret key is. */
      readonly keptBy: 'host' | 'device' | RemoteKey['type'];
    };
