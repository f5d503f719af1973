import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentName, type AgentProfile, agents, type Launch } from './agents.ts';
import { installedAt } from './install.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { GREETING, type Stage } from './script.ts';

/** Everything one agent needs for one run: a home and a project of its own, and a model that plays the scripts. */
export interface AgentStage extends Stage, Launch {
  readonly model: ModelServer;
}

/** Prepares `root`, which is emptied first, and starts the model server; closing `model` ends all there is to end. */
export async function stageAgent(name: AgentName, root: string): Promise<AgentStage> {
  const profile: AgentProfile = agents[name];
  rmSync(root, { recursive: true, force: true });
  const folder = (part: string) => {
    const path = join(root, part);
    mkdirSync(path, { recursive: true });
    return path;
  };
  // Apart from the home: codex makes no sandbox where its own home lies below the folder for temporary files.
  const [home, cwd, tmp] = [folder('home'), folder('project'), folder('tmp')];
  writeFileSync(join(cwd, GREETING.file), GREETING.before);
  const { tools } = profile;
  const model = await startModelServer({ cwd, tools });
  const { command, env } = profile.launch({ installed: installedAt(name), home, modelUrl: model.url });
  const common = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8', TERM: 'dumb' };
  return { cwd, tools, model, command, env: { ...common, ...env } };
}
