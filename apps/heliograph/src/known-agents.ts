import { shellWord } from './failure.ts';
import { findCommand } from './find-command.ts';
import type { Env } from './settings.ts';

/** An agent that speaks ACP on stdio and the command that starts it. */
export interface KnownAgent {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly install: string;
}

/** The agents of `--agent NAME`, one line each. */
const knownAgents: readonly KnownAgent[] = [
  { name: 'goose', command: ['goose', 'acp'], install: 'https://block.github.io/goose' },
  { name: 'claude', command: ['claude-agent-acp'], install: 'npm install -g @agentclientprotocol/claude-agent-acp' },
  { name: 'codex', command: ['codex-acp'], install: 'npm install -g @agentclientprotocol/codex-acp' },
  { name: 'gemini', command: ['gemini', '--acp'], install: 'npm install -g @google/gemini-cli' },
  { name: 'opencode', command: ['opencode', 'acp'], install: 'npm install -g opencode-ai' },
  { name: 'qwen', command: ['qwen', '--acp'], install: 'npm install -g @qwen-code/qwen-code' },
  { name: 'kilo', command: ['kilo', 'acp'], install: 'npm install -g @kilocode/cli' },
  { name: 'cline', command: ['cline', '--acp'], install: 'npm install -g cline' },
  { name: 'pi', command: ['pi-acp'], install: 'npm install -g pi-acp @earendil-works/pi-coding-agent' },
];

/** The agent started when none is named. */
export const defaultAgent = 'goose';

export function findKnownAgent(name: string): KnownAgent | undefined {
  return knownAgents.find((agent) => agent.name === name);
}

/** The known agents whose program is on PATH. */
export function installedAgents(env: Env): readonly KnownAgent[] {
  return knownAgents.filter(({ command }) => findCommand(command[0], env, '/') !== undefined);
}

/** The table for people: name, command, whether it is here or how to install it. */
export function agentTable(env: Env): string {
  const here = new Set(installedAgents(env));
  const rows = knownAgents.map((agent) => [
    agent.name,
    commandLine(agent.command),
    here.has(agent) ? 'found on PATH' : agent.install,
  ]);
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map(([name = '', command = '', note]) => `  ${name.padEnd(width(0))}  ${command.padEnd(width(1))}  ${note}`)
    .join('\n');
}

/** A command as it would be typed. */
export function commandLine(command: readonly string[]): string {
  return command.map(shellWord).join(' ');
}
