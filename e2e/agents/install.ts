import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type AgentName, type AgentProfile, agents } from './agents.ts';

/** Folder that keeps the installed agents, outside any checkout: `$XDG_CACHE_HOME/heliograph/agents`. */
export const installRoot = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'heliograph', 'agents');

/** Install folder of one agent. */
export const installedAt = (name: AgentName): string => join(installRoot, name);

/** Installs what is missing; `say` gets one line an agent. Throws when npm fails or the package holds no program. */
export function installAgent(name: AgentName, say: (line: string) => void): void {
  const profile: AgentProfile = agents[name];
  const folder = installedAt(name);
  const wanted = `${profile.package}@${profile.version}`;
  const program = join(folder, profile.program);
  if (installedVersion(folder, profile.package) === profile.version && existsSync(program)) {
    say(`${name}: ${wanted} is installed`);
    return;
  }
  say(`${name}: installing ${wanted} into ${folder} …`);
  const startedMs = Date.now();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  // Scripts stay off: the platform's program is an optional dependency of its own and is started directly.
  const npm = spawnSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error', wanted],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (npm.status !== 0)
    throw new Error(`npm install ${wanted} failed in ${folder}:\n${npm.error?.message ?? npm.stderr}`);
  if (!existsSync(program))
    throw new Error(`${wanted} brought no ${profile.program}: the suite runs on Linux x64 only`);
  say(`${name}: installed in ${((Date.now() - startedMs) / 1000).toFixed(0)} s`);
}

function installedVersion(folder: string, name: string): string | undefined {
  const file = join(folder, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
