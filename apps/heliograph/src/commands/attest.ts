import { attest, encodeNpub, untilCondition } from '@heliograph/wire/nostr';
import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import { inAYearSec } from '../in-a-year.ts';
import { readKeyFile } from '../key-file.ts';

export interface AttestOptions {
  readonly ownerKey?: string;
  readonly agent: string;
  readonly until?: number;
}

/** `heliograph attest`: prints the owner's word for an agent that made its own key (NIP-OA). */
export async function attestAgent(
  { ownerKey, agent, until = inAYearSec() }: AttestOptions,
  context: Context,
): Promise<number> {
  const file = ownerKey === undefined ? context.places.ownerKey : context.path(ownerKey);
  const owner = await readKeyFile(file, '--owner-key', context.env, context.crypto);
  if (owner.publicKey === agent) {
    throw badUsage(
      `--agent: ${encodeNpub(agent)} is the owner's own key. Expected the key that \`heliograph agent\` printed.`,
    );
  }
  const tag = attest(owner.secret, agent, untilCondition(until), context.crypto);
  process.stdout.write(`${JSON.stringify(tag)}\n`);
  return 0;
}
