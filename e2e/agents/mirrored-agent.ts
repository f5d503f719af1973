import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Product, type Program, tee } from '../support/product.ts';
import type { AgentStage } from './stage.ts';

/** A real agent behind the tee, a harness and a relay of its own, started by the public command line. */
export interface MirroredAgent {
  readonly relayUrl: string;
  /** The owner's key and the agent's invite as the command line wrote them. */
  readonly ownerKey: string;
  readonly invite: string;
  /** The agent's public key and its channel, from the ready line. */
  readonly agent: string;
  readonly channelId: string;
  readonly program: Program;
  /** What the tee saw so far in one direction. */
  teeBytes(direction: 'read' | 'write'): Buffer;
}

/** Starts relay and harness below the product's folder and resolves once both are ready. */
export async function mirrorAgent(stage: AgentStage, product: Product): Promise<MirroredAgent> {
  const [owner, relay, machine] = ['owner', 'relay', 'machine'].map((name) => ({ home: product.home(name) }));
  if (!owner || !relay || !machine) throw new RangeError('three homes');
  const keyFile = product.home('owner.key');
  const npub = await product.run(['keys', 'new', '--out', keyFile], owner);
  const relayProgram = product.start(['relay', '--port', '0', '--owner', npub], relay);
  const { url: relayUrl = '' } = await relayProgram.ready('relay');
  const invite = await product.run(['invite', '--owner-key', keyFile, '--relay', relayUrl], owner);
  // The agent's settings are in its command: nothing of the suite's own environment gets to it.
  const settings = Object.entries(stage.env).map(([name, value]) => `${name}=${value}`);
  const command = tee(product.home('tee'), ['env', '-i', ...settings, ...stage.command]);
  const program = product.start(['agent', '--invite', '-', '--cwd', stage.cwd, '--', ...command], {
    ...machine,
    stdin: invite,
  });
  const { agent = '', channelId = '' } = await program.ready('agent');
  return {
    relayUrl,
    ownerKey: readFileSync(keyFile, 'utf8'),
    invite,
    agent,
    channelId,
    program,
    teeBytes: (direction) => readFileSync(join(product.home('tee'), `${direction}.bytes`)),
  };
}
