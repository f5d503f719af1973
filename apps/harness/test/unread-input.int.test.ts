import { afterEach, expect, test } from 'vitest';
import { AgentProcess, type ProcessExit } from '../src/agent/agent-process.ts';
import { systemClock } from '../src/clock.ts';
import { until } from './support/until.ts';

let running: AgentProcess | undefined;
afterEach(async () => {
  await running?.kill(100);
});

test('HA225: a process that never reads costs 16 MiB at most: what is over that fails, nothing throws, and it can be ended', async () => {
  const exits: ProcessExit[] = [];
  const agent = await AgentProcess.start({
    command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
    cwd: '/',
    env: process.env,
    clock: systemClock,
    lock: 'a-test',
    onStdout() {},
    onStderr() {},
    onExit: async (exit) => {
      exits.push(exit);
    },
  });
  running = agent;
  const MIB = new Uint8Array(1_024 * 1_024).fill(0x20);
  const refused: string[] = [];
  let written = 0;
  for (let at = 0; at < 40; at++)
    agent.write(MIB, (error) => {
      if (error === undefined) written++;
      else refused.push(error.message);
    });
  expect(refused).toHaveLength(40 - 16);
  for (const message of refused)
    expect(message).toBe(`the agent has left ${16 * 1_024 * 1_024} bytes of its input unread`);
  expect(written).toBe(0);
  await agent.kill(100);
  await until('its exit', () => exits.length === 1);
  // What waited is told as failed, too: nobody waits for ever.
  await until('the rest', () => refused.length + written === 40);
  expect(written).toBe(0);
});
