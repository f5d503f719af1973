import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AcpPeer, type Message, type RecordedLine, startPeer } from './acp-peer.ts';
import type { AgentName } from './agents.ts';
import { promptFor, type ScriptName } from './script.ts';
import { type AgentStage, stageAgent } from './stage.ts';

interface Session {
  readonly peer: AcpPeer;
  readonly sessionId: string;
  prompt(name: ScriptName): Promise<Message>;
}

interface Recipe {
  readonly permission: 'allow_once' | 'reject_once';
  play(session: Session, stage: AgentStage): Promise<unknown>;
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
  const recipe: Recipe = recipes[recipeName];
  const stage = await stageAgent(name, join(root, 'dev'));
  const { cwd, model } = stage;
  const peer = startPeer(stage.command, { cwd, env: { ...stage.env } }, (request) => {
    if (request.method !== 'session/request_permission')
      return { error: { code: -32601, message: 'Method not found' } };
    const option = request.params.options.find((o: Message) => o.kind === recipe.permission);
    return { result: { outcome: { outcome: 'selected', optionId: option.optionId } } };
  });
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
    await recipe.play({ peer, sessionId, prompt }, stage);
    // Agents may go on for a moment after their answer (a command that still runs, a late list of commands).
    await pause(700);
    return [...peer.lines];
  } finally {
    peer.close();
    await model.close();
  }
}
