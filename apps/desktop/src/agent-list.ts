import type { KnownAgent } from '@heliograph/client';
import { err, isAgentName, isHex64, ok, type Result } from '@heliograph/wire';

/** Why a list of agents can't be changed so, in words to show. */
export interface ListError {
  readonly code: 'bad-agent' | 'bad-name' | 'bad-revoked' | 'bad-relays';
  readonly message: string;
}

const MAX_NAME_CHARACTERS = 64;
const MAX_RELAYS = 16;
const NAME_RULE = `name: expected 1 to ${MAX_NAME_CHARACTERS} characters on one line.`;

/** The list after one agent was renamed, revoked or trusted again; an unknown one becomes known by it. */
export function changedAgents(
  agents: readonly KnownAgent[],
  { publicKey, name, revoked }: Readonly<Record<string, unknown>>,
): Result<readonly KnownAgent[], ListError> {
  if (!isHex64(publicKey)) return err({ code: 'bad-agent', message: 'publicKey: expected 64 hex digits.' });
  if (name !== undefined && !isAgentName(name)) return err({ code: 'bad-name', message: NAME_RULE });
  if (revoked !== undefined && typeof revoked !== 'boolean') {
    return err({ code: 'bad-revoked', message: 'revoked: expected true or false.' });
  }
  const known = agents.find((agent) => agent.publicKey === publicKey);
  return ok(
    withAgent(agents, {
      ...(known ?? { publicKey, name: publicKey.slice(0, 8) }),
      ...(name !== undefined ? { name } : {}),
      ...(revoked !== undefined ? { revoked } : {}),
    }),
  );
}

/** What an invite is to be made of, checked; `relays` are ws or wss URLs, 1 to 16. */
export function readInviteRequest({
  name,
  relays,
}: Readonly<Record<string, unknown>>): Result<
  { readonly name: string; readonly relays: readonly string[] },
  ListError
> {
  if (!isAgentName(name)) return err({ code: 'bad-name', message: NAME_RULE });
  if (!Array.isArray(relays) || relays.length === 0 || relays.length > MAX_RELAYS || !relays.every(isRelayUrl)) {
    const message = `relays: expected 1 to ${MAX_RELAYS} URLs that start with ws:// or wss://.`;
    return err({ code: 'bad-relays', message });
  }
  return ok({ name, relays });
}

/** The list with this agent in its place, or at the end. */
export function withAgent(agents: readonly KnownAgent[], agent: KnownAgent): readonly KnownAgent[] {
  const isKnown = agents.some(({ publicKey }) => publicKey === agent.publicKey);
  return isKnown ? agents.map((known) => (known.publicKey === agent.publicKey ? agent : known)) : [...agents, agent];
}

function isRelayUrl(value: unknown): value is string {
  return typeof value === 'string' && /^wss?:\/\//.test(value) && value.length <= 1_024 && URL.canParse(value);
}
