import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parsePermissionRules } from '@heliograph/app-harness';
import type { PermissionRule } from '@heliograph/wire';
import { chosenAgent, knownAgent } from '../agent-choice.ts';
import { agentFolder } from '../agent-folder.ts';
import { type IdentityOptions, invitedIdentity, ownIdentity } from '../agent-identity.ts';
import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import { makeFolder } from '../folders.ts';
import { defaultAgent } from '../known-agents.ts';
import { live } from '../life.ts';
import { type AgentRun, type Permissions, runAgent } from '../run-agent.ts';

export interface AgentOptions extends IdentityOptions {
  readonly invite?: string;
  readonly cwd?: string;
  readonly name?: string;
  readonly state?: string;
  readonly permissions: Permissions;
  readonly idleTimeout: number;
  readonly turnTimeout?: number;
  readonly permissionTimeout?: number;
  readonly rules?: string;
  readonly acp?: '1' | '2';
  readonly pushSubject?: string;
  readonly agent?: string;
}

/** What the options and the words after `--` come to, everything in them checked. */
export async function planAgent(options: AgentOptions, context: Context): Promise<AgentRun> {
  const { invite, permissions, idleTimeout: idleTimeoutMs, turnTimeout: turnTimeoutMs = 0 } = options;
  const { permissionTimeout: permissionTimeoutMs = 0 } = options;
  const identity =
    invite === undefined ? await ownIdentity(options, context) : await invitedIdentity(invite, options, context);
  const choice = chosenAgent(options.agent, context) ?? knownAgent(defaultAgent, context);
  const cwd = agentFolder(options.cwd, choice, context);
  const usualState = join(context.places.state, 'agents', identity.key.publicKey);
  const stateDir = options.state === undefined ? usualState : context.path(options.state);
  makeFolder(stateDir, '--state');
  const name = options.name ?? identity.name ?? `${choice.name} on ${hostname()}`;
  const limits = { idleTimeoutMs, turnTimeoutMs, permissionTimeoutMs };
  const permissionRules = options.rules === undefined ? [] : readRules(context.path(options.rules));
  return {
    choice,
    cwd,
    identity,
    stateDir,
    name,
    permissions,
    permissionRules,
    limits,
    acp: options.acp === '2' ? 2 : 1,
    ...(options.pushSubject !== undefined ? { pushSubject: options.pushSubject } : {}),
  };
}

/** `heliograph agent`: runs an ACP agent and mirrors it to its owner. */
export async function agent(options: AgentOptions, context: Context): Promise<number> {
  const run = await planAgent(options, context);
  return live(context.log, (life) => runAgent(run, life, context));
}

function readRules(path: string): readonly PermissionRule[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw badUsage(`--rules: ${path} can't be read. Expected a JSON file with a list of rules.`);
  }
  const rules = parsePermissionRules(text);
  if (!rules.ok) throw badUsage(`--rules: ${path}: ${rules.error.message}.`);
  return rules.value;
}
