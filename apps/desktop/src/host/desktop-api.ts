import type { KnownAgent } from '@heliograph/client';
import { type Crypto, hexEncode, isHex64, type Result } from '@heliograph/wire';
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

/** The secret key as the page's worker gets it. */
export type OwnerKey = Uint8Array | { readonly ncryptsec: string };

export interface DesktopApiOptions {
  readonly file: DesktopFile;
  readonly tokens: OneTimeTokens;
  readonly ownerKey: OwnerKey;
  readonly crypto: Crypto;
  readonly invite: MakeInvite;
  readonly version: string;
}

const MAX_NAME_CHARACTERS = 64;
const MAX_RELAYS = 16;

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
    const { publicKey, name, revoked } = body;
    if (!isHex64(publicKey)) return refuse(400, 'bad-agent', 'publicKey: expected 64 hex digits.');
    if (name !== undefined && !isName(name)) return refuse(400, 'bad-name', NAME_RULE);
    if (revoked !== undefined && typeof revoked !== 'boolean') {
      return refuse(400, 'bad-revoked', 'revoked: expected true or false.');
    }
    await this.#options.file.update((state) => {
      const known = state.agents.find((agent) => agent.publicKey === publicKey);
      const agent: KnownAgent = {
        ...(known ?? { publicKey, name: publicKey.slice(0, 8) }),
        ...(name !== undefined ? { name } : {}),
        ...(revoked !== undefined ? { revoked } : {}),
      };
      return { ...state, agents: upsert(state.agents, agent) };
    });
    return { status: 200, body: { agents: this.#options.file.state.agents } };
  }

  async makeInvite(body: Record<string, unknown>): Promise<Reply> {
    const { name, relays } = body;
    if (!isName(name)) return refuse(400, 'bad-name', NAME_RULE);
    if (!Array.isArray(relays) || relays.length === 0 || relays.length > MAX_RELAYS || !relays.every(isRelayUrl)) {
      return refuse(400, 'bad-relays', `relays: expected 1 to ${MAX_RELAYS} URLs that start with ws:// or wss://.`);
    }
    const made = await this.#options.invite({ name, relays });
    if (!made.ok) return refuse(409, 'no-invite', made.error.message);
    const { text, agent } = made.value;
    await this.#options.file.update((state) => ({ ...state, agents: upsert(state.agents, agent) }));
    return { status: 200, body: { invite: text, agent, agents: this.#options.file.state.agents } };
  }
}

const NAME_RULE = `name: expected 1 to ${MAX_NAME_CHARACTERS} characters on one line.`;

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    [...value].length <= MAX_NAME_CHARACTERS &&
    !/[\p{Cc}\p{Surrogate}]/u.test(value)
  );
}

function isRelayUrl(value: unknown): value is string {
  return typeof value === 'string' && /^wss?:\/\//.test(value) && value.length <= 1_024 && URL.canParse(value);
}

function upsert(agents: readonly KnownAgent[], agent: KnownAgent): readonly KnownAgent[] {
  const others = agents.filter((known) => known.publicKey !== agent.publicKey);
  return others.length === agents.length ? [...agents, agent] : agents.map((a) => (others.includes(a) ? a : agent));
}
