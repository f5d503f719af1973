import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Abilities } from './abilities.ts';
import { type AcpPeer, type Message, type RecordedLine, startPeer } from './acp-peer.ts';
import { type AgentName, type AgentProfile, agents } from './agents.ts';
import { promptFor, type ScriptName } from './script.ts';
import { type AgentStage, stageAgent } from './stage.ts';

interface Session {
  readonly peer: AcpPeer;
  readonly sessionId: string;
  /** The agent's answer to session/new. */
  readonly opened: Message;
  readonly abilities: Abilities;
  prompt(name: ScriptName): Promise<Message>;
}

interface Recipe {
  readonly permission: 'allow_once' | 'reject_once';
  /** What is played in the session before the agent is started anew, and only then recorded. */
  readonly earlier?: readonly ScriptName[];
  play(session: Session, stage: AgentStage): Promise<unknown>;
}

const MINUTE_MS = 60_000;
/** Agents may go on for a moment after an answer: a command that still runs, a late list of commands, the rest of a history. */
const AFTERMATH_MS = 700;

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
  settings: {
    permission: 'allow_once',
    async play({ peer, sessionId, opened, abilities, prompt }) {
      const set = (category: 'model' | 'mode' | 'thought_level', older: string, value: string) => {
        const option = opened.configOptions?.find((o: Message) => o.category === category);
        if (option) return peer.request('session/set_config_option', { sessionId, configId: option.id, value });
        return peer.request(older, { sessionId, [older === 'session/set_model' ? 'modelId' : 'modeId']: value });
      };
      await prompt('text');
      await set('model', 'session/set_model', abilities.model.to);
      if (typeof abilities.effort !== 'string') await set('thought_level', '', abilities.effort.to);
      if (typeof abilities.mode !== 'string') await set('mode', 'session/set_mode', abilities.mode.to);
      await prompt('text');
    },
  },
  loaded: { ...prompts('text'), earlier: ['think', 'edit'] },
} satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof recipes;

/** Plays one recipe with a real agent below the folder `root` and returns every line of the session in order. */
export async function recordSession(
  name: AgentName,
  recipeName: RecipeName,
  root: string,
): Promise<readonly RecordedLine[]> {
  const recipe: Recipe = recipes[recipeName];
  const { abilities }: AgentProfile = agents[name];
  const stage = await stageAgent(name, join(root, 'dev'));
  const { cwd, model } = stage;
  const start = async () => {
    const peer = startPeer(stage.command, { cwd, env: { ...stage.env } }, (request) => {
      if (request.method !== 'session/request_permission')
        return { error: { code: -32601, message: 'Method not found' } };
      const option = request.params.options.find((o: Message) => o.kind === recipe.permission);
      return { result: { outcome: { outcome: 'selected', optionId: option.optionId } } };
    });
    await peer.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'recorder', version: '1' },
    });
    return peer;
  };
  let peer = await start();
  try {
    const { result: opened } = await peer.request('session/new', { cwd, mcpServers: [] });
    const { sessionId } = opened;
    const prompt = (script: ScriptName) =>
      peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: promptFor(script) }] });
    if (recipe.earlier) {
      for (const script of recipe.earlier) await prompt(script);
      peer.close();
      // One agent destroys a session that is loaded within the clock minute in which it was made.
      await pause(MINUTE_MS - (Date.now() % MINUTE_MS) + 500);
      peer = await start();
      await peer.request('session/load', { sessionId, cwd, mcpServers: [] });
      await pause(AFTERMATH_MS);
    }
    await recipe.play({ peer, sessionId, opened, abilities, prompt }, stage);
    await pause(AFTERMATH_MS);
    return [...peer.lines];
  } finally {
    peer.close();
    await model.close();
  }
}
