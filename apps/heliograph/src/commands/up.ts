import { hostname } from 'node:os';
import { join } from 'node:path';
import { startRelay } from '@heliograph/app-relay';
import { attest, untilCondition } from '@heliograph/wire/nostr';
import { type AgentChoice, chosenAgent, demoAgent } from '../agent-choice.ts';
import { agentFolder } from '../agent-folder.ts';
import type { AgentIdentity } from '../agent-identity.ts';
import { type Context, openOwnerKey } from '../context.ts';
import { Failure } from '../failure.ts';
import { inAYearSec } from '../in-a-year.ts';
import { type KeyPair, readOrMakeKey } from '../key-file.ts';
import { commandLine, installedAgents } from '../known-agents.ts';
import { type Life, live } from '../life.ts';
import { defaultPort, freePortNear, loopback } from '../listening.ts';
import { openDesktop } from '../open-desktop.ts';
import { takeProcessLock } from '../process-lock.mjs';
import { announce } from '../ready.ts';
import { runAgent } from '../run-agent.ts';

export interface UpOptions {
  readonly cwd?: string;
  readonly window: boolean;
  readonly agent?: string;
  readonly pushSubject?: string;
}

/** `heliograph up`: relay, agent and desktop on this machine, for one owner. */
export async function up(options: UpOptions, context: Context): Promise<number> {
  const { places, log } = context;
  const chosen = chosenAgent(options.agent, context);
  const choice = chosen ?? demoAgent(context);
  const cwd = agentFolder(options.cwd, choice, context);
  const lockFile = join(places.state, 'up.lock');
  const lock = takeProcessLock(lockFile);
  if ('heldBy' in lock) {
    throw new Failure(
      1,
      `\`heliograph up\` is running already (process ${lock.heldBy}): use its window, or the address it printed. For a second one set HELIOGRAPH_HOME to another folder. If that process is something else, remove ${lockFile}.`,
    );
  }
  try {
    const owner = await openOwnerKey(undefined, context);
    if (!chosen) nameInstalledAgents(context);
    const { window, pushSubject } = options;
    const push = pushSubject !== undefined ? { pushSubject } : {};
    return await live(log, (life) => startAll({ choice, cwd, owner, window, ...push }, life, context));
  } finally {
    lock.release();
  }
}

interface UpParts {
  readonly choice: AgentChoice;
  readonly cwd: string;
  readonly owner: KeyPair;
  readonly window: boolean;
  readonly pushSubject?: string;
}

async function startAll({ choice, cwd, owner, window, ...push }: UpParts, life: Life, context: Context): Promise<void> {
  const url = await startOwnRelay(owner, life, context);
  const name = `${choice.name} on ${hostname()}`;
  const stateDir = join(context.places.state, 'up', choice.name);
  const identity = await upIdentity(stateDir, owner, url, context);
  const agents = [{ publicKey: identity.key.publicKey, name }];
  const address = { host: loopback, port: await freePortNear(defaultPort.desktop, context.log), orFreePort: true };
  await openDesktop({ address, owner, relays: [url], agents, window }, life, context);
  await runAgent({ choice, cwd, identity, stateDir, name, permissions: 'ask', ...push }, life, context);
}

/** Another `up` may start at this very moment: between a look and the listening a port can go, so both parts take a free one then. */
async function startOwnRelay(owner: KeyPair, life: Life, { places, crypto, log }: Context): Promise<string> {
  const port = await freePortNear(defaultPort.relay, log);
  const settings = {
    host: loopback,
    port,
    orFreePort: true,
    dataDir: places.relayData,
    owners: [owner.publicKey],
    crypto,
    log: log.child({ part: 'relay' }),
  };
  const { url } = await life.start('relay', () => startRelay(settings));
  announce({ ready: 'relay', url });
  return url;
}

/** Each agent keeps its key between runs, so that the desktop knows it again; the owner vouches for it anew each time. */
async function upIdentity(
  stateDir: string,
  owner: KeyPair,
  relay: string,
  { env, crypto }: Context,
): Promise<AgentIdentity> {
  const key = await readOrMakeKey(join(stateDir, 'agent.key'), '--agent', env, crypto, () => {});
  const authTag = attest(owner.secret, key.publicKey, untilCondition(inAYearSec()), crypto);
  return { key, owner: owner.publicKey, relays: [relay], authTag, keyMadeBy: 'owner' };
}

function nameInstalledAgents({ env, log, installation }: Context): void {
  const commands = installedAgents(env).map(({ command }) => `${installation.startCommand} -- ${commandLine(command)}`);
  const found =
    commands.length > 0
      ? `Agents found here; start one instead with:\n  ${commands.join('\n  ')}`
      : 'No agent was found on PATH; see --help.';
  log.info(`this runs the built-in demo agent. ${found}`);
}
