import { fchmodSync, fstatSync } from 'node:fs';
import { isLoopbackUrl } from '@heliograph/app-desktop/host';
import { MAX_INVITE_RELAYS, makeInvite } from '@heliograph/wire/nostr';
import { type Context, openOwnerKey } from '../context.ts';
import { badUsage } from '../failure.ts';
import { inAYearSec } from '../in-a-year.ts';

export interface InviteOptions {
  readonly ownerKey?: string;
  readonly relay: readonly string[];
  readonly name?: string;
  readonly until?: number;
}

/** `heliograph invite`: prints one token that lets an agent reach this owner. */
export async function invite(options: InviteOptions, context: Context): Promise<number> {
  const { relay: relays, name, until = inAYearSec() } = options;
  if (relays.length > MAX_INVITE_RELAYS)
    throw badUsage(`--relay: an invite names at most ${MAX_INVITE_RELAYS} relays, got ${relays.length}.`);
  for (const url of relays.filter(isLoopbackUrl)) {
    context.log.warn(`--relay: ${url} is this machine's own address: only agents on this machine can reach it`);
  }
  const owner = await openOwnerKey(options.ownerKey, context);
  const { token } = makeInvite({ ownerSecret: owner.secret, relays, name, untilSec: until }, context.crypto);
  keepPrivate(process.stdout.fd);
  process.stdout.write(`${token}\n`);
  return 0;
}

/** When standard output is redirected to a file, the token in it is for its owner's eyes only. */
function keepPrivate(fd: number): void {
  if (process.platform !== 'win32' && fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
}
