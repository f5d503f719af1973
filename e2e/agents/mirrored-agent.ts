import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  /** The harness's present life. */
  readonly program: Program;
  /** Starts the harness anew, in the same folders and with the same command line, once it has ended; resolves when it is ready. */
  startAgain(): Promise<void>;
  /** What the tee saw so far in one direction. */
  teeBytes(direction: 'read' | 'write'): Buffer;
  /** Lines to the agent that hold `text` wait from now on, undefined: none does. */
  hold(text: string | undefined): void;
}

export interface MirrorOptions {
  /** Further arguments of `heliograph agent`. */
  readonly args?: readonly string[];
  /** Which lines to the agent wait from the start, as `hold` says. */
  readonly hold?: string;
}

/** Starts relay and harness below the product's folder and resolves once both are ready. */
export async function mirrorAgent(
  stage: AgentStage,
  product: Product,
  options: MirrorOptions = {},
): Promise<MirroredAgent> {
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
  const holdFile = join(product.home('tee'), 'hold');
  mkdirSync(product.home('tee'));
  const hold = (text: string | undefined) =>
    text === undefined ? rmSync(holdFile, { force: true }) : writeFileSync(holdFile, text);
  hold(options.hold);
  const start = async () => {
    const args = ['agent', '--invite', '-', '--cwd', stage.cwd, ...(options.args ?? []), '--', ...command];
    const program = product.start(args, { ...machine, stdin: invite });
    return { program, ready: await program.ready('agent') };
  };
  let life = await start();
  const { agent = '', channelId = '' } = life.ready;
  return {
    relayUrl,
    ownerKey: readFileSync(keyFile, 'utf8'),
    invite,
    agent,
    channelId,
    get program() {
      return life.program;
    },
    async startAgain() {
      life = await start();
      if (life.ready.channelId !== channelId) throw new Error('the harness came back with another channel');
    },
    teeBytes: (direction) => readFileSync(join(product.home('tee'), `${direction}.bytes`)),
    hold,
  };
}
