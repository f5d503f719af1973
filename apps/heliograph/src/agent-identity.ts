import {
  type AuthTag,
  conditionsHold,
  encodeNpub,
  expiresAtSec,
  hexEncode,
  parseAuthTag,
  parseInvite,
  verifyAuthTag,
} from '@heliograph/wire/nostr';
import type { Context } from './context.ts';
import { badUsage } from './failure.ts';
import { type KeyPair, readKeyFile, readOrMakeKey } from './key-file.ts';
import { openMode, privateCommand, readNamedFile, readSecretArgument } from './secret-input.ts';

/** Who an agent is on the wire and whom it answers to. */
export interface AgentIdentity {
  readonly key: KeyPair;
  readonly owner: string;
  readonly relays: readonly string[];
  readonly authTag?: AuthTag;
  readonly name?: string;
  /** Whoever made the key can sign as the agent: records say which. */
  readonly keyMadeBy: 'owner' | 'agent';
}

/** The options that say who an agent is. */
export interface IdentityOptions {
  readonly owner?: string;
  readonly key?: string;
  readonly authTag?: string;
  readonly relay?: readonly string[];
}

/** The identity an invite hands over. */
export async function invitedIdentity(
  invite: string,
  options: IdentityOptions,
  context: Context,
): Promise<AgentIdentity> {
  for (const [flag, value] of [
    ['--owner', options.owner],
    ['--key', options.key],
    ['--auth-tag', options.authTag],
    ['--relay', options.relay],
  ] as const) {
    if (value !== undefined)
      throw badUsage(`${flag}: an invite says this already. Expected either --invite, or --owner with --relay.`);
  }
  const { text, path } = await readSecretArgument(invite, '--invite', context.folder);
  const parsed = parseInvite(text, context.crypto);
  if (!parsed.ok) {
    const source = path ?? 'standard input';
    throw badUsage(
      `--invite: ${source} holds no invite: ${parsed.error.message}. Expected the helio1… token that \`heliograph invite\` or "Add an agent" in the desktop made.`,
    );
  }
  if (path !== undefined) {
    const mode = openMode(path);
    if (mode)
      context.log.warn(
        { mode },
        `the invite ${path} can be read by other users; make it yours alone: ${privateCommand(path)}`,
      );
  }
  const { relays, secretKey, owner, name, authTag } = parsed.value;
  const key = { secret: secretKey, publicKey: hexEncode(context.crypto.publicKey(secretKey)) };
  checkVouched(authTag, key.publicKey, owner, '--invite', context);
  return { key, owner, relays, authTag, ...(name ? { name } : {}), keyMadeBy: 'owner' };
}

/** The identity of an agent with a key of its own. */
export async function ownIdentity(options: IdentityOptions, context: Context): Promise<AgentIdentity> {
  const { owner, relay: relays, authTag: tagFile } = options;
  if (owner === undefined)
    throw badUsage(
      '--invite is missing: expected --invite @FILE (from `heliograph invite`), or --owner NPUB with --relay URL.',
    );
  if (relays === undefined)
    throw badUsage('--relay is missing: expected the address of at least one relay, like ws://192.168.1.5:7447.');
  const key = await ownKey(options.key, context);
  if (key.publicKey === owner)
    throw badUsage(
      "--key: this is the owner's own key. Expected a key of the agent's own; without --key it makes one.",
    );
  const authTag = tagFile === undefined ? undefined : readAuthTag(tagFile, key.publicKey, owner, context);
  if (authTag === undefined) {
    const npub = encodeNpub(key.publicKey);
    context.log.warn(
      { npub },
      `this agent is ${npub}. Relays and viewers admit it once its owner vouches for it: there, \`heliograph attest --agent ${npub} > agent.tag\`; here, --auth-tag @agent.tag`,
    );
  }
  return { key, owner, relays, ...(authTag ? { authTag } : {}), keyMadeBy: 'agent' };
}

async function ownKey(file: string | undefined, context: Context): Promise<KeyPair> {
  const { places, env, crypto, log } = context;
  if (file !== undefined) return readKeyFile(context.path(file), '--key', env, crypto);
  return readOrMakeKey(places.agentKey, '--key', env, crypto, () =>
    log.info({ file: places.agentKey }, `made this agent's key in ${places.agentKey}`),
  );
}

function readAuthTag(argument: string, agentKey: string, owner: string, context: Context): AuthTag {
  if (!argument.startsWith('@')) throw badUsage('--auth-tag: expected @FILE (the path of a file, after an @).');
  const path = context.path(argument.slice(1));
  const expected = 'the JSON that `heliograph attest` printed';
  const tag = parseAuthTag(parseJson(readNamedFile(path, '--auth-tag', expected)));
  if (!tag.ok) throw badUsage(`--auth-tag: ${path} is no auth tag (${tag.error.message}). Expected ${expected}.`);
  checkVouched(tag.value, agentKey, owner, '--auth-tag', context);
  return tag.value;
}

/** Refuses a tag that no relay or viewer would take: it is for another key, from another owner, or its time is over. */
function checkVouched(tag: AuthTag, agentKey: string, owner: string, flag: string, { crypto }: Context): void {
  const npub = encodeNpub(agentKey);
  const verified = verifyAuthTag(tag, agentKey, crypto);
  if (!verified.ok)
    throw badUsage(
      `${flag}: the owner's signature is not for this agent's key ${npub} (${verified.error.message}). Make a new one with \`heliograph attest --agent ${npub}\`.`,
    );
  if (verified.value.owner !== owner)
    throw badUsage(
      `${flag}: it is signed by ${encodeNpub(verified.value.owner)}, not by the owner ${encodeNpub(owner)}.`,
    );
  const { conditions } = verified.value;
  const nowSec = Math.floor(Date.now() / 1000);
  if (conditionsHold(conditions, { createdAtSec: nowSec })) return;
  const endSec = expiresAtSec(conditions);
  const ended = endSec !== undefined && endSec <= nowSec;
  const when = ended ? `ended on ${isoTime(endSec)}` : 'does not hold at this time';
  throw badUsage(
    `${flag}: the owner's word for this agent ${when}, and this machine's clock says ${isoTime(nowSec)}. Set the clock if it is off, else ask the owner for a new invite or tag.`,
  );
}

function isoTime(sec: number): string {
  return new Date(sec * 1000).toISOString().replace('.000Z', 'Z');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
