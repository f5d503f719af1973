import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from './session.ts';
import type { Stage } from './stage.ts';

/** The only file the demo agent ever writes. */
export const scratchName = 'demo-notes.md';

type EditOutcome = 'edited' | 'declined';

/** Shows the scratch file as a read tool call; gives its text, undefined when there is none yet. */
export async function readScratch(stage: Stage): Promise<string | undefined> {
  const path = scratchPath(stage.session);
  const toolCallId = nextCallId(stage.session, 'read');
  stage.update({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: `Read ${scratchName}`,
    kind: 'read',
    status: 'in_progress',
    locations: [{ path, line: 1 }],
    rawInput: { path },
  });
  const text = await readIfThere(path);
  await stage.pause(6);
  const shown = text ?? `(${scratchName} is not there yet)`;
  stage.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content: [textContent(shown)] });
  return text;
}

/** Adds a line to the scratch file, with a diff, after asking unless the mode or an earlier answer says not to. */
export async function editScratch(stage: Stage, before: string | undefined, line: string): Promise<EditOutcome> {
  const path = scratchPath(stage.session);
  const toolCallId = nextCallId(stage.session, 'edit');
  const after = `${before ?? '# Notes of the demo agent\n\n'}${line}\n`;
  const call = {
    toolCallId,
    title: `Edit ${scratchName}`,
    kind: 'edit',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: before ?? null, newText: after }],
    rawInput: { path, line },
  };
  stage.update({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
  if (!(await mayEdit(stage, call))) {
    stage.update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'failed',
      rawOutput: 'The edit was not allowed.',
    });
    return 'declined';
  }
  stage.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
  await writeFile(path, after);
  await stage.pause(4);
  stage.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content: call.content });
  return 'edited';
}

async function mayEdit(stage: Stage, toolCall: { toolCallId: string }): Promise<boolean> {
  const { session } = stage;
  if (session.mode === 'auto' || session.editsAllowed) return true;
  const options = [
    { optionId: 'allow', name: 'Allow this edit', kind: 'allow_once' },
    { optionId: 'always', name: `Allow every edit of ${scratchName}`, kind: 'allow_always' },
    { optionId: 'reject', name: 'Do not edit', kind: 'reject_once' },
  ];
  const answer = (await stage.ask('session/request_permission', { toolCall, options })) as {
    outcome?: { optionId?: string };
  } | null;
  const optionId = answer?.outcome?.optionId;
  if (optionId === 'always') session.editsAllowed = true;
  return optionId === 'allow' || optionId === 'always';
}

/** Really runs `node --version` and a listing of the folder, as one execute tool call. */
export async function runCommands(stage: Stage): Promise<void> {
  const toolCallId = nextCallId(stage.session, 'run');
  const listing = process.platform === 'win32' ? ['cmd.exe', '/c', 'dir', '/b'] : ['ls'];
  const title = `node --version && ${listing.join(' ')}`;
  stage.update({
    sessionUpdate: 'tool_call',
    toolCallId,
    title,
    kind: 'execute',
    status: 'pending',
    rawInput: { command: title, cwd: stage.session.cwd },
  });
  await stage.pause(4);
  stage.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
  let output = '';
  for (const command of [[process.execPath, '--version'], listing]) {
    output += await run(command, stage);
    stage.update({ sessionUpdate: 'tool_call_update', toolCallId, content: [textContent(output)] });
    await stage.pause(6);
  }
  stage.update({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: 'completed',
    content: [textContent(output)],
    rawOutput: { exitCode: 0, output },
  });
}

function run([file = '', ...args]: readonly string[], { session, signal }: Stage): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd: session.cwd, signal }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function scratchPath(session: Session): string {
  return join(session.cwd, scratchName);
}

function nextCallId(session: Session, name: string): string {
  return `${name}-${session.turns}`;
}

function textContent(text: string) {
  return { type: 'content', content: { type: 'text', text } };
}
