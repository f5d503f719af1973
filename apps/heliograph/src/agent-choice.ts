import { basename } from 'node:path';
import type { Context } from './context.ts';
import { badUsage } from './failure.ts';
import { findCommand } from './find-command.ts';
import { agentTable, commandLine, findKnownAgent, type KnownAgent } from './known-agents.ts';

/** The command that starts an agent, and a name for it. */
export interface AgentChoice {
  readonly name: string;
  readonly command: readonly string[];
}

/** The name that stands for the built-in demo agent. */
const demoName = 'demo';

/**
 * What `--agent NAME` or `-- CMD…` chose, else undefined. Bad usage when both were given, the name is unknown, or the
 * program is not there.
 */
export function chosenAgent(name: string | undefined, context: Context): AgentChoice | undefined {
  const { command } = context;
  if (name !== undefined && command !== undefined)
    throw badUsage('--agent and -- CMD were both given. Expected one of them.');
  if (name === demoName) return demoAgent(context);
  if (name !== undefined) return knownAgent(name, context);
  if (command === undefined) return undefined;
  const [program] = command;
  if (program === undefined)
    throw badUsage('--: nothing follows it. Expected a command that starts an ACP agent, like `-- gemini --acp`.');
  if (findCommand(program, context.env, context.folder) === undefined) {
    throw badUsage(
      `--: the command ${program} was not found. Install it, or start one of these with --agent NAME:\n${agentTable(context.env)}`,
    );
  }
  return { name: basename(program), command };
}

/** The scripted agent that comes with Heliograph. */
export function demoAgent({ installation }: Context): AgentChoice {
  return { name: demoName, command: [process.execPath, installation.demoAgentFile] };
}

/** Whether this is the built-in agent, whatever its name: a program on PATH may be called `demo` too. */
export function isDemoAgent({ command }: AgentChoice, { installation }: Context): boolean {
  return command[1] === installation.demoAgentFile;
}

/** An agent of the table, whose program must be on PATH. */
export function knownAgent(name: string, context: Context): AgentChoice {
  const agent = findKnownAgent(name);
  if (!agent)
    throw badUsage(
      `--agent: ${name} is not a known name. Expected one of these, or the command itself after --:\n${agentTable(context.env)}`,
    );
  if (findCommand(agent.command[0], context.env, context.folder) === undefined) throw notInstalled(agent, context);
  return agent;
}

function notInstalled(agent: KnownAgent, { env }: Context) {
  const [program] = agent.command;
  return badUsage(
    `--agent: ${agent.name} is started with \`${commandLine(agent.command)}\`, but ${program} was not found on PATH. Install it (${agent.install}), or start another with --agent NAME or -- CMD:\n${agentTable(env)}`,
  );
}
