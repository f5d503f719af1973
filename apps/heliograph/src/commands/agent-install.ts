import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { badUsage, Failure, shellLine } from '../failure.ts';
import { findCommand } from '../find-command.ts';
import { makeFolder } from '../folders.ts';
import { agentService, parseServiceName } from '../service/agent-service.ts';
import {
  installedServices,
  type ServiceKind,
  type ServiceManager,
  serviceManager,
  servicePath,
  usualKind,
} from '../service/service-manager.ts';
import { UNIT_MARK } from '../service/systemd-unit.ts';
import { type AgentOptions, planAgent } from './agent.ts';

export interface InstallOptions extends AgentOptions {
  /** What the service is called; the agent's own name, when absent. */
  readonly service?: string;
  readonly dryRun?: boolean;
  readonly for?: ServiceKind;
}

/** `heliograph agent install`: has the system run this agent from now on and from every boot on. */
export async function installAgent(options: InstallOptions, context: Context): Promise<number> {
  const { service: called, dryRun = false, for: asked, ...agentOptions } = options;
  const kind = asked ?? usualKind();
  if (asked !== undefined && asked !== usualKind() && !dryRun) {
    throw badUsage(`--for: this system has no ${asked}. Expected --dry-run with it, to see the file.`);
  }
  const { choice, cwd } = await planAgent(agentOptions, context);
  const name = parseServiceName(called ?? choice.name);
  const manager = serviceManager(kind, context.env);
  const service = agentService(name, agentOptions, cwd, context);
  const path = servicePath(manager, name);
  if (dryRun) {
    process.stdout.write(manager.text(service));
    process.stderr.write(`This would be ${path}, and then: ${manager.starting(name).map(shellLine).join(' && ')}\n`);
    return 0;
  }
  place(path, manager.text(service));
  process.stdout.write(
    `wrote ${path}\nIts agent gets the variables in ${service.envFile} (NAME=value a line, chmod 600), where there is such a file.\n`,
  );
  // launchd knows a service by what it was loaded as: the old one goes first.
  if (kind === 'launchd') for (const command of manager.stopping(name)) attempt(command, context);
  act(manager.starting(name), manager, context);
  process.stdout.write(`${manager.advice(name)}\n`);
  return 0;
}

/** `heliograph agent uninstall`: stops an agent's service and takes its file away; keys, invites and state stay. */
export async function uninstallAgent({ service }: { readonly service?: string }, context: Context): Promise<number> {
  const manager = serviceManager(usualKind(), context.env);
  const there = installedServices(manager);
  const [only, another] = there;
  const name = service ?? (another === undefined ? only : undefined);
  const list = there.length === 0 ? 'There is none.' : `There are: ${there.join(', ')}.`;
  if (name === undefined) throw badUsage(`agent uninstall: expected the name of a service. ${list}`);
  const path = servicePath(manager, parseServiceName(name));
  if (!existsSync(path)) throw badUsage(`agent uninstall: no service is called ${name}. ${list}`);
  refuseForeign(path);
  // One that does not run, or that the system does not know, is to go all the same.
  for (const command of manager.stopping(name)) attempt(command, context);
  rmSync(path);
  for (const command of manager.stopped()) attempt(command, context);
  process.stdout.write(`removed ${path}\n`);
  return 0;
}

/** Puts the whole file in place at once, readable by its user only; never over one that somebody else wrote. */
function place(path: string, text: string): void {
  makeFolder(join(path, '..'), 'agent install');
  if (existsSync(path)) refuseForeign(path);
  const half = `${path}.${process.pid}.new`;
  rmSync(half, { force: true });
  writeFileSync(half, text, { mode: 0o600, flag: 'wx' });
  renameSync(half, path);
}

function refuseForeign(path: string): void {
  if (readFileSync(path, 'utf8').includes(UNIT_MARK)) return;
  throw badUsage(
    `${path} was not written by Heliograph and is left alone. Choose another name, or remove it yourself.`,
  );
}

/** Runs the commands; where the manager is not there, says them. */
function act(commands: readonly (readonly string[])[], manager: ServiceManager, context: Context): void {
  if (findCommand(manager.program, context.env, context.folder) === undefined) {
    const lines = commands.map((command) => `  ${shellLine(command)}`).join('\n');
    process.stdout.write(
      `${manager.program} is not here. Where it is, this starts the agent, now and at every boot:\n${lines}\n`,
    );
    return;
  }
  for (const [at, command] of commands.entries()) {
    const problem = attempt(command, context);
    if (problem === undefined) continue;
    const rest = commands
      .slice(at)
      .map((left) => `  ${shellLine(left)}`)
      .join('\n');
    throw new Failure(1, `${shellLine(command)} failed: ${problem}. The file is written; what is left to do:\n${rest}`);
  }
}

/** Runs one command to its end; gives what it complained of. */
function attempt([program = '', ...args]: readonly string[], context: Context): string | undefined {
  const file = findCommand(program, context.env, context.folder);
  if (file === undefined) return `${program} is not on PATH`;
  const { status, stderr, error } = spawnSync(file, args, {
    encoding: 'utf8',
    timeout: 90_000,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return undefined;
  return stderr?.trim().split('\n').at(-1) || error?.message || `it ended with ${status}`;
}
