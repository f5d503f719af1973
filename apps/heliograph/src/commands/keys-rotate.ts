import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDesktopState } from '@heliograph/app-desktop/host';
import { encodeNpub, makeInvite } from '@heliograph/wire/nostr';
import type { Context } from '../context.ts';
import { badUsage, shellWord } from '../failure.ts';
import { makeFolder } from '../folders.ts';
import { inAYearSec } from '../in-a-year.ts';
import { makeKey, writeKeyFile } from '../key-file.ts';

export interface RotateOptions {
  /** The owner's key that is lost, stolen or simply old: its public part is enough. */
  readonly old: string;
  readonly out: string;
  readonly relay?: readonly string[];
  /** Names of further agents: those that were invited from elsewhere. */
  readonly agent?: readonly string[];
  readonly until?: number;
}

/**
 * `heliograph keys rotate`: a new owner key, and an invite of it for each agent that this machine's desktop knows of the old one, or that is
 * named. Nothing is changed elsewhere: what is left to do, and where, is printed.
 */
export async function keysRotate(
  { old, out, relay, agent = [], until = inAYearSec() }: RotateOptions,
  context: Context,
): Promise<number> {
  const { crypto, places } = context;
  const folder = context.path(out);
  if (existsSync(folder)) throw badUsage(`--out: ${folder} exists already. Expected a folder to be made.`);
  const known = await readDesktopState(places.desktopFile, old);
  const relays = relay ?? known.relays;
  if (relays.length === 0) {
    throw badUsage(
      '--relay is missing: this machine’s desktop knows no relay of that owner. Expected one like ws://HOST:7447.',
    );
  }
  const owner = makeKey(crypto);
  const names = [...known.agents.filter(({ revoked }) => revoked !== true).map(({ name }) => name), ...agent].map(
    plain,
  );
  // All of it is made before any of it is written: half a rotation would only be in the way.
  const made = names.map((name, at) => ({
    name,
    file: join(folder, `${at + 1}-${fileName(name)}.invite`),
    token: inviteOf({ ownerSecret: owner.secret, relays, name, untilSec: until }, context),
  }));
  makeFolder(folder, '--out');
  const keyFile = join(folder, 'owner.key');
  writeKeyFile(keyFile, owner, '--out');
  for (const { file, token } of made) writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  const invites = made.map(({ name, file }) => ({ name, file }));
  process.stdout.write(guide({ old: encodeNpub(old), fresh: encodeNpub(owner.publicKey), keyFile, invites, relays }));
  return 0;
}

function inviteOf(parts: Parameters<typeof makeInvite>[0], { crypto }: Context): string {
  try {
    return makeInvite(parts, crypto).token;
  } catch (error) {
    // What an invite can't hold came from the command line or the desktop's list.
    if (error instanceof RangeError) throw badUsage(`no invite can be made: ${error.message}`);
    throw error;
  }
}

interface Rotation {
  readonly old: string;
  readonly fresh: string;
  readonly keyFile: string;
  readonly invites: readonly { readonly name: string; readonly file: string }[];
  readonly relays: readonly string[];
}

function guide({ old, fresh, keyFile, invites, relays }: Rotation): string {
  const [url = ''] = relays;
  const each = invites.map(({ name, file }) => `     ${name}: ${file}`);
  return `${[
    `The new owner key is ${fresh}, in ${keyFile}: keep a copy, nobody can restore it.`,
    '',
    'What is left to do:',
    '  1. Where each relay is: start it with the new key in the place of the old one. From then on the old key, and',
    '     agents it vouched for, are not let in.',
    `       heliograph relay --owner ${fresh}`,
    invites.length === 0
      ? '  2. For each agent make an invite with the new key; this machine’s desktop knows none of the old one.'
      : '  2. Take each invite to its agent’s machine, stop the agent there and start it with the new one:',
    ...each,
    `       heliograph agent --invite @${invites.length === 0 ? 'agent.invite' : 'FILE'} -- CMD`,
    '     It begins with new sessions; its earlier ones can be opened from the session’s menu.',
    '  3. Watch with the new key, and in browsers that kept the old one remove it and bring the new one:',
    `       heliograph desktop --owner-key ${shellWord(keyFile)} --relay ${shellWord(url)}`,
    '     An archive belongs to the key it was made for: give the new one a file of its own (heliograph archive on --file FILE).',
    `  4. If ${old} was stolen: what was sent to or by it and recorded on the way can be read with it.`,
  ].join('\n')}\n`;
}

/** One line of at most 64 characters, whatever a name holds: as invites have them. */
function plain(name: string): string {
  return [...name.replace(/\p{C}/gu, ' ').trim()].slice(0, 64).join('') || 'agent';
}

function fileName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 32) || 'agent'
  );
}
