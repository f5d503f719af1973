import type { KnownAgent } from '@heliograph/client';
import { type Crypto, hexEncode, type Result } from '@heliograph/wire';
import { changedAgents, readInviteRequest, withAgent } from '../agent-list.ts';
import { type ArchiveAnswers, type ArchiveAsk, readArchiveAsk } from '../archive-ask.ts';
import type { DesktopFile } from './desktop-file.ts';
import { type Reply, refuse } from './http-reply.ts';
import { equalInConstantTime, type OneTimeTokens, randomToken } from './one-time-tokens.ts';

/** What an invite is to be made of; `relays` are ws or wss URLs, at least one. */
export interface InviteRequest {
  readonly name: string;
  readonly relays: readonly string[];
}

/** The `helio1…` text, and the agent it makes known. */
export interface MadeInvite {
  readonly text: string;
  readonly agent: KnownAgent;
}

/** Makes an invite with the owner's key, or says in words why it can't. */
export type MakeInvite = (request: InviteRequest) => Promise<Result<MadeInvite, { readonly message: string }>>;

/** Answers what the page asks of this machine's archive, or says in words why it can't; `signal`: the page no longer waits. */
export type AskArchive = <A extends ArchiveAsk>(
  ask: A,
  signal: AbortSignal,
) => Promise<Result<ArchiveAnswers[A['ask']], { readonly message: string }>>;

/** The secret key as the page's worker gets it. */
export type OwnerKey = Uint8Array | { readonly ncryptsec: string };

export interface DesktopApiOptions {
  readonly file: DesktopFile;
  readonly tokens: OneTimeTokens;
  readonly ownerKey: OwnerKey;
  readonly crypto: Crypto;
  readonly invite: MakeInvite;
  readonly archive: AskArchive;
  readonly version: string;
}

/** The few requests of the page's worker: each a function from the body to a reply. */
export class DesktopApi {
  readonly #options: DesktopApiOptions;
  /** Opens everything but the door: given out with a session, good until the host ends. */
  readonly #apiToken: string;

  constructor(options: DesktopApiOptions) {
    this.#options = options;
    this.#apiToken = randomToken(options.crypto);
  }

  health(): Reply {
    return { status: 200, body: { ok: true, version: this.#options.version } };
  }

  /** The secret key, once per token. */
  session(body: Record<string, unknown>): Reply {
    const { file, tokens, ownerKey } = this.#options;
    if (typeof body.token !== 'string' || !tokens.redeem(body.token)) {
      return refuse(401, 'used-link', 'This link was used before, or is from an earlier run.');
    }
    const secret = ownerKey instanceof Uint8Array ? { secretKeyHex: hexEncode(ownerKey) } : ownerKey;
    return { status: 200, body: { ...secret, ...file.state, apiToken: this.#apiToken, nextToken: tokens.issue() } };
  }

  isAuthorized(authorization: string | undefined): boolean {
    return equalInConstantTime(authorization ?? '', `Bearer ${this.#apiToken}`);
  }

  /** Renames an agent, or revokes it in this owner's viewers. Unknown agents become known by it. */
  async changeAgent(body: Record<string, unknown>): Promise<Reply> {
    const { file } = this.#options;
    const changed = changedAgents(file.state.agents, body);
    if (!changed.ok) return refuse(400, changed.error.code, changed.error.message);
    await file.update((state) => ({ ...state, agents: changed.value }));
    return { status: 200, body: { agents: file.state.agents } };
  }

  /** What this machine keeps, and what is asked of it. */
  async askArchive(body: Record<string, unknown>, signal: AbortSignal): Promise<Reply> {
    const ask = readArchiveAsk(body);
    if (!ask.ok) return refuse(400, 'bad-ask', ask.error.message);
    const answer = await this.#options.archive(ask.value, signal);
    return answer.ok ? { status: 200, body: answer.value } : refuse(409, 'no-archive', answer.error.message);
  }

  async makeInvite(body: Record<string, unknown>): Promise<Reply> {
    const { file, invite } = this.#options;
    const request = readInviteRequest(body);
    if (!request.ok) return refuse(400, request.error.code, request.error.message);
    const made = await invite(request.value);
    if (!made.ok) return refuse(409, 'no-invite', made.error.message);
    const { text, agent } = made.value;
    await file.update((state) => ({ ...state, agents: withAgent(state.agents, agent) }));
    return { status: 200, body: { invite: text, agent, agents: file.state.agents } };
  }
}
