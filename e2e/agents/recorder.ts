import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AcpPeer, type Message, type RecordedLine, startPeer } from './acp-peer.ts';
import { type AgentName, type AgentProfile, agents } from './agents.ts';
import { installedAt } from './install.ts';
import { startModelServer } from './model-server.ts';
import { GREETING, promptFor, type ScriptName } from './script.ts';

interface Session {
  readonly peer: AcpPeer;
  readonly sessionId: string;
  prompt(name: ScriptName): Promise<Message>;
}

interface Recipe {
  readonly permission: 'allow_once' | 'reject_once';
  play(session: Session, profile: AgentProfile): Promise<unknown>;
}

const prompts = (...names: ScriptName[]): Recipe => ({
  permission: 'allow_once',
  async play(session) {
    for (const name of names) await session.prompt(name);
  },
});

/** What is recorded of every agent. */
export const recipes = {
  text: prompts('text'),
  think: prompts('think'),
  plan: {
    permission: 'allow_once',
    async play(session, { tools }) {
      if (tools.plan) await session.prompt('plan');
    },
  },
  edit: prompts('edit'),
  rejected: { ...prompts('edit'), permission: 'reject_once' },
  shell: prompts('shell'),
  cancel: {
    permission: 'allow_once',
    async play({ peer, sessionId, prompt }) {
      const answered = prompt('endless');
      for (let chunks = 0; chunks < 10; chunks++) {
        await peer.next((m) => m.params?.update?.sessionUpdate === 'agent_message_chunk');
      }
      peer.notify('session/cancel', { sessionId });
      await answered;
    },
  },
  'two-prompts': prompts('text', 'think'),
} satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof recipes;

/** Plays one recipe with a real agent below the folder `root` and returns every line of the session in order. */
export async function recordSession(
  name: AgentName,
  recipeName: RecipeName,
  root: string,
): Promise<readonly RecordedLine[]> {
  const profile: AgentProfile = agents[name];
  const recipe: Recipe = recipes[recipeName];
  const home = join(root, 'dev');
  const cwd = join(home, 'project');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'tmp'), { recursive: true });
  mkdirSync(cwd);
  writeFileSync(join(cwd, GREETING.file), GREETING.before);
  const model = await startModelServer({ cwd, tools: profile.tools });
  const { command, env } = profile.launch({ installed: installedAt(name), home, modelUrl: model.url });
  const peer = startPeer(
    command,
    {
      cwd,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: home,
        TMPDIR: `${home}/tmp`,
        LANG: 'C.UTF-8',
        TERM: 'dumb',
        ...env,
      },
    },
    (request) => {
      if (request.method !== 'session/request_permission')
        return { error: { code: -32601, message: 'Method not found' } };
      const option = request.params.options.find((o: Message) => o.kind === recipe.permission);
      return { result: { outcome: { outcome: 'selected', optionId: option.optionId } } };
    },
  );
  try {
    await peer.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'recorder', version: '1' },
    });
    const { result } = await peer.request('session/new', { cwd, mcpServers: [] });
    const { sessionId } = result;
    const prompt = (script: ScriptName) =>
      peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: promptFor(script) }] });
    await recipe.play({ peer, sessionId, prompt }, profile);
    // Agents may go on for a moment after their answer (a command that still runs, a late list of commands).
    await pause(700);
    return [...peer.lines];
  } finally {
    peer.close();
    await model.close();
  }
}
