import { isAbsolute, join } from 'node:path';
import { hideSecretArgs } from '@heliograph/app-harness';
import type { AgentOptions } from '../commands/agent.ts';
import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import type { Env } from '../settings.ts';

/** An agent as a service of the user's: what the system is to run, and with what around it. */
export interface AgentService {
  readonly name: string;
  /** Program and arguments, files by absolute paths. */
  readonly command: readonly string[];
  /** Nothing secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables for the agent, secrets among them: the user's own file, read at start where it is there. */
  readonly envFile: string;
}

/** Settings that say where files are and what is logged; `PATH` is where the agent and its tools are found. */
const KEPT = [
  'PATH',
  'HELIOGRAPH_HOME',
  'HELIOGRAPH_PASSPHRASE_FILE',
  'HELIOGRAPH_LOG',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'LANG',
];

/** The name of a service: a word that is safe in a file's name. */
export function parseServiceName(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(text)) return text;
  throw badUsage(
    `${JSON.stringify(text)} can't name a service. Expected 1 to 63 letters, digits, dots, dashes and underscores.`,
  );
}

/** The service that runs `heliograph agent` with these options, wherever and by whomever it is started. */
export function agentService(name: string, options: AgentOptions, cwd: string, context: Context): AgentService {
  const { installation, env, command = [] } = context;
  if (options.invite === '-') {
    throw badUsage(
      '--invite: a service has no standard input. Expected @FILE, a file that stays where it is (chmod 600).',
    );
  }
  if (hideSecretArgs(command).some((word, at) => word !== command[at])) {
    throw badUsage(
      `--: the agent's command holds what looks like a secret, and it would stand in the service's file. Put it into a variable in ${envFile(name, context)}.`,
    );
  }
  const words = [
    ...flagWords({ ...options, cwd }, context),
    ...(command.length > 0 ? ['--', ...absolute(command, context)] : []),
  ];
  return {
    name,
    command: [process.execPath, installation.entryFile, 'agent', ...words],
    env: keptEnv(env, context),
    envFile: envFile(name, context),
  };
}

function envFile(name: string, { places }: Context): string {
  return join(places.agentEnvs, `${name}.env`);
}

function keptEnv(env: Env, context: Context): Readonly<Record<string, string>> {
  const kept = KEPT.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  const home = env.HELIOGRAPH_HOME;
  return { ...Object.fromEntries(kept), ...(home ? { HELIOGRAPH_HOME: context.path(home) } : {}) };
}

/** A program named by a path is found from any folder then. */
function absolute([program = '', ...args]: readonly string[], context: Context): readonly string[] {
  const isPath = program.includes('/') && !isAbsolute(program);
  return [isPath ? context.path(program) : program, ...args];
}

/** The flags that say the same again. One word for each, so that no value can pass for a flag. */
function flagWords(options: AgentOptions, context: Context): readonly string[] {
  const file = (path: string) => context.path(path);
  const atFile = (argument: string) => (argument.startsWith('@') ? `@${file(argument.slice(1))}` : argument);
  const time = (ms: number) => (ms === 0 ? 'off' : `${ms / 1_000}s`);
  const words: { readonly [Name in keyof Required<AgentOptions>]: (value: never) => readonly string[] } = {
    invite: (value: string) => [`--invite=${atFile(value)}`],
    owner: (value: string) => [`--owner=${value}`],
    key: (value: string) => [`--key=${file(value)}`],
    authTag: (value: string) => [`--auth-tag=${atFile(value)}`],
    relay: (value: readonly string[]) => value.map((url) => `--relay=${url}`),
    cwd: (value: string) => [`--cwd=${value}`],
    name: (value: string) => [`--name=${value}`],
    state: (value: string) => [`--state=${file(value)}`],
    permissions: (value: string) => [`--permissions=${value}`],
    idleTimeout: (value: number) => [`--idle-timeout=${time(value)}`],
    turnTimeout: (value: number) => [`--turn-timeout=${time(value)}`],
    permissionTimeout: (value: number) => [`--permission-timeout=${time(value)}`],
    rules: (value: string) => [`--rules=${file(value)}`],
    acp: (value: string) => [`--acp=${value}`],
    pushSubject: (value: string) => [`--push-subject=${value}`],
    agent: (value: string) => [`--agent=${value}`],
  };
  return Object.entries(words).flatMap(([name, word]) => {
    const value = options[name as keyof AgentOptions];
    return value === undefined ? [] : word(value as never);
  });
}
