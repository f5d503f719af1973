import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentChoice, isDemoAgent } from './agent-choice.ts';
import type { Context } from './context.ts';
import { badUsage } from './failure.ts';
import { makeFolder } from './folders.ts';

/** The folder an agent works in: the one named, else the user's; the demo, which writes files, gets one of its own. */
export function agentFolder(cwd: string | undefined, choice: AgentChoice, context: Context): string {
  if (cwd === undefined && isDemoAgent(choice, context)) {
    const scratch = join(context.places.state, 'demo-scratch');
    makeFolder(scratch, '--cwd');
    return scratch;
  }
  const folder = context.path(cwd ?? '.');
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw badUsage(`--cwd: ${folder} is not a folder. Expected the folder the agent is to work in.`);
  return folder;
}
