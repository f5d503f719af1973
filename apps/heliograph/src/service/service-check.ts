import { spawnSync } from 'node:child_process';
import { shellLine } from '../failure.ts';
import { findCommand } from '../find-command.ts';
import type { Env } from '../settings.ts';
import { installedServices, type ServiceManager, servicePath } from './service-manager.ts';

/** One thing that was looked at: ok, or what is wrong and the mend. */
export interface ServiceFinding {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
}

/** What a command of the system's says; `undefined` where its program is not on PATH. */
export type Ask = (command: readonly string[]) => { readonly ok: boolean; readonly said: string } | undefined;

const TIMEOUT_MS = 20_000;

/** Looks at every agent that is installed as a service here: whether it runs, and whether it does after a boot. */
export function checkServices(manager: ServiceManager, ask: Ask): readonly ServiceFinding[] {
  const names = installedServices(manager);
  if (names.length === 0) {
    const text =
      'none is installed for this user; `heliograph agent install` has the system run one from every boot on';
    return [{ check: 'agent service', ok: true, text }];
  }
  return names.map((name) => {
    const check = `agent service ${name}`;
    const problem = problemOf(manager, name, ask);
    if (problem !== undefined) return { check, ok: false, text: `${servicePath(manager, name)}: ${problem}` };
    return { check, ok: true, text: 'it runs, and does after every boot' };
  });
}

function problemOf(manager: ServiceManager, name: string, ask: Ask): string | undefined {
  for (const { command, isWell, problem, mend } of manager.checks(name)) {
    const answer = ask(command);
    const todo = `Mend it with: ${shellLine(mend)}`;
    if (answer === undefined)
      return `${command[0]} is not here, so nothing starts this agent. Where it is: ${shellLine(mend)}`;
    if (!isWell(answer)) return `${problem} (${shellLine(command)} says: ${firstLine(answer.said)}). ${todo}`;
  }
  return undefined;
}

/** Asks the programs on this PATH. */
export function askSystem(env: Env, folder: string): Ask {
  return ([program = '', ...args]) => {
    const file = findCommand(program, env, folder);
    if (file === undefined) return undefined;
    const { status, stdout, stderr, error } = spawnSync(file, args, {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { ok: status === 0, said: stdout?.trim() || stderr?.trim() || error?.message || '' };
  };
}

function firstLine(text: string): string {
  return text.split('\n')[0] || 'nothing';
}
