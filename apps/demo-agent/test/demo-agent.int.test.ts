import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Driven, driveDemoAgent, type Message, streamedText, updatesOf } from './drive.ts';

let agent: Driven;
let cwd: string;
let sessionId: string;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'heliograph-demo-'));
  agent = driveDemoAgent();
  await agent.call('initialize', { protocolVersion: 1, clientCapabilities: {} });
  ({ sessionId } = (await agent.call('session/new', { cwd, mcpServers: [] })).result);
});

afterEach(async () => {
  expect(await agent.end()).toBe(0);
  rmSync(cwd, { recursive: true });
});

const prompt = (text: string) => agent.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
const cancel = () => agent.send({ method: 'session/cancel', params: { sessionId } });
const asksPermission = (message: Message) => message.method === 'session/request_permission';
const notes = () => join(cwd, 'demo-notes.md');

/** Answers the permission request with this option once it comes. */
async function decide(optionId: string) {
  const request = await agent.find(asksPermission);
  agent.send({ id: request.id, result: { outcome: { outcome: 'selected', optionId } } });
  return request;
}

test('DA1: it calls itself a demo in its agentInfo and in every answer', async () => {
  const { result } = await agent.call('initialize', { protocolVersion: 1 });
  expect(result.agentInfo).toMatchObject({ name: 'heliograph-demo', title: 'Heliograph demo agent' });
  const [answer] = await Promise.all([prompt('hello'), decide('allow')]);
  expect(answer.result).toEqual({ stopReason: 'end_turn' });
  expect(streamedText(agent, 'agent_message_chunk')).toContain(
    'I am the **Heliograph demo agent**: a script, not a model.',
  );
});

test('DA2: one prompt shows thoughts, a plan that completes, a read, an edit, a command, usage and a title', async () => {
  await Promise.all([prompt('hello there'), decide('allow')]);
  expect(streamedText(agent, 'agent_thought_chunk')).toMatch(/nothing to think about/);
  expect(streamedText(agent, 'agent_message_chunk')).toContain('```sh\n./heliograph.mjs up -- gemini --acp\n```');
  expect(updatesOf(agent, 'tool_call').map(({ kind }) => kind)).toEqual(['read', 'edit', 'execute']);
  expect(updatesOf(agent, 'plan')).toHaveLength(4);
  expect(
    updatesOf(agent, 'plan')
      .at(-1)
      .entries.map(({ status }: Message) => status),
  ).toEqual(['completed', 'completed', 'completed']);
  expect(updatesOf(agent, 'usage_update').at(-1)).toMatchObject({ size: 32_000 });
  expect(updatesOf(agent, 'session_info_update')).toEqual([
    { sessionUpdate: 'session_info_update', title: 'Demo: hello there' },
  ]);
  expect(updatesOf(agent, 'available_commands_update')[0].availableCommands.map(({ name }: Message) => name)).toEqual([
    'slow',
    'error',
  ]);
});

test('DA3: the scratch file is edited after the edit was allowed, as the diff says, and not before', async () => {
  const answer = prompt('write me down');
  const request = await agent.find(asksPermission);
  expect(request.params.options.map(({ kind }: Message) => kind)).toEqual([
    'allow_once',
    'allow_always',
    'reject_once',
  ]);
  expect(existsSync(notes())).toBe(false);
  await Promise.all([answer, decide('allow')]);
  const [diff] = updatesOf(agent, 'tool_call').find(({ kind }) => kind === 'edit').content;
  expect(diff).toMatchObject({ type: 'diff', path: notes(), oldText: null });
  expect(readFileSync(notes(), 'utf8')).toBe(diff.newText);
  expect(diff.newText).toContain('- turn 1: write me down');
});

test('DA4: a rejected edit leaves the file alone, fails the tool call and the turn goes on', async () => {
  const [answer] = await Promise.all([prompt('hello'), decide('reject')]);
  expect(answer.result.stopReason).toBe('end_turn');
  expect(existsSync(notes())).toBe(false);
  expect(
    updatesOf(agent, 'tool_call_update').find(
      ({ toolCallId, status }) => toolCallId === 'edit-1' && status === 'failed',
    ),
  ).toBeDefined();
  expect(streamedText(agent, 'agent_message_chunk')).toContain('You did not allow the edit');
});

test('DA5: allow_always is asked once in a session, mode auto never asks', async () => {
  await Promise.all([prompt('one'), decide('always')]);
  await prompt('two');
  expect(agent.messages.filter(asksPermission)).toHaveLength(1);
  const other = (await agent.call('session/new', { cwd, mcpServers: [] })).result;
  expect((await agent.call('session/set_mode', { sessionId: other.sessionId, modeId: 'auto' })).result).toEqual({});
  await agent.call('session/prompt', { sessionId: other.sessionId, prompt: [{ type: 'text', text: 'three' }] });
  expect(agent.messages.filter(asksPermission)).toHaveLength(1);
  expect(readFileSync(notes(), 'utf8').match(/^- turn/gm)).toHaveLength(3);
});

test('DA6: the commands really run', async () => {
  await Promise.all([prompt('hello'), decide('allow')]);
  const done = updatesOf(agent, 'tool_call_update').find(
    ({ toolCallId, status }) => toolCallId === 'run-1' && status === 'completed',
  );
  expect(done.rawOutput.output).toBe(`${process.version}\ndemo-notes.md\n`);
});

test('DA7: cancel ends a streaming turn with stopReason cancelled', async () => {
  const answer = prompt('be slow');
  await agent.find((message) => message.params?.update?.content?.text?.includes('3'));
  cancel();
  expect((await answer).result).toEqual({ stopReason: 'cancelled' });
});

test('DA7: cancel ends a turn that waits for a permission', async () => {
  const answer = prompt('hello');
  const request = await agent.find(asksPermission);
  cancel();
  agent.send({ id: request.id, result: { outcome: { outcome: 'cancelled' } } });
  expect((await answer).result).toEqual({ stopReason: 'cancelled' });
  expect(existsSync(notes())).toBe(false);
});

test('DA8: the word error in a prompt is answered with an error', async () => {
  expect((await prompt('an error, please')).error).toEqual({
    code: -32603,
    message: 'The demo agent was asked to fail, and did',
  });
});

test('DA9: what it does not know is answered with the fitting error and it goes on', async () => {
  expect((await agent.call('session/load', { sessionId })).error.code).toBe(-32601);
  expect((await agent.call('session/prompt', { sessionId: 'none', prompt: [] })).error.code).toBe(-32002);
  expect((await agent.call('session/new', { cwd: 'here' })).error.code).toBe(-32602);
  expect((await agent.call('session/set_mode', { sessionId, modeId: 'none' })).error.code).toBe(-32602);
  agent.send('not json');
  expect((await agent.find((message) => message.id === null)).error.code).toBe(-32700);
  const answer = prompt('slow');
  expect((await prompt('again')).error.code).toBe(-32600);
  cancel();
  expect((await answer).result.stopReason).toBe('cancelled');
});
