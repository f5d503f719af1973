import { RpcFailure, rpcCode } from './peer.ts';
import { contextSize } from './session.ts';
import type { Stage } from './stage.ts';
import { editScratch, readScratch, runCommands, scratchName } from './tools.ts';

/** A scripted turn. Rejects with an RpcFailure to answer an error, or with the abort reason when cancelled. */
export type Scene = (stage: Stage, prompt: string) => Promise<void>;

/** The scenes a word in the prompt chooses; any other prompt plays the tour. */
export const namedScenes = [
  { name: 'slow', description: 'Stream text until you cancel', play: slow },
  { name: 'error', description: 'Answer the prompt with an error', play: fail },
] as const;

export function chooseScene(prompt: string): Scene {
  const words: readonly string[] = prompt.toLowerCase().match(/[a-z]+/g) ?? [];
  return namedScenes.find((scene) => words.includes(scene.name))?.play ?? tour;
}

const steps = ['Read the scratch file', 'Add a line to it, if you allow that', 'Run two harmless commands'];

/** Shows, in one turn, what an agent can do: think, plan, read, edit with permission, run a command, answer. */
async function tour(stage: Stage, prompt: string): Promise<void> {
  await stage.stream(
    'agent_thought_chunk',
    'I am a script, so there is nothing to think about. I will show each kind of thing an agent does, one after the other.',
  );
  showPlan(stage, 0);
  await stage.stream('agent_message_chunk', introduction(prompt));

  const before = await readScratch(stage);
  showPlan(stage, 1);
  const outcome = await editScratch(stage, before, `- turn ${stage.session.turns}: ${oneLine(prompt)}`);
  showPlan(stage, 2);
  await runCommands(stage);
  showPlan(stage, 3);

  await stage.stream('agent_message_chunk', conclusion(outcome));
}

async function slow(stage: Stage): Promise<void> {
  await stage.stream('agent_message_chunk', 'This demo answer goes on until you cancel it. Counting:');
  for (let count = 1; count <= 10_000; count++) {
    await stage.stream('agent_message_chunk', ` ${count}`);
    await stage.pause(1);
  }
}

async function fail(stage: Stage): Promise<void> {
  await stage.stream('agent_message_chunk', 'You asked the demo agent for an error. Here it comes.');
  throw new RpcFailure(rpcCode.internal, 'The demo agent was asked to fail, and did');
}

function showPlan(stage: Stage, done: number): void {
  const status = (index: number) => (index < done ? 'completed' : index === done ? 'in_progress' : 'pending');
  const entries = steps.map((content, index) => ({ content, priority: 'medium', status: status(index) }));
  stage.update({ sessionUpdate: 'plan', entries });
  stage.update({ sessionUpdate: 'usage_update', used: stage.session.usedTokens, size: contextSize });
}

function introduction(prompt: string): string {
  return `I am the **Heliograph demo agent**: a script, not a model. You wrote “${oneLine(prompt)}”, and whatever you write, I do the same three things in a scratch folder of my own.\n\n`;
}

function conclusion(outcome: 'edited' | 'declined'): string {
  const edit =
    outcome === 'edited'
      ? `\`${scratchName}\` has one more line`
      : `You did not allow the edit, so \`${scratchName}\` is as it was`;
  return `That was all. ${edit}, and the commands above really ran.\n\nTo watch a real agent instead, start it like this:\n\n\`\`\`sh\n./heliograph.mjs up -- gemini --acp\n\`\`\`\n\nOr write \`slow\` for an answer to cancel, \`error\` for one that fails.\n`;
}

/** The prompt as one short line, safe inside a list item. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
