import { createHash } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinParts, type ObserverEvent, parsePart } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HarnessProcess } from './support/harness-process.ts';
import { holdFile } from './support/held-file.ts';
import { SpoolReader } from './support/spool-reader.ts';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const PIECES = 100;
const PIECE_BYTES = 1_000_000;
/** What may wait: 64 MiB as it was read, 4 MiB to be sealed, 16 MiB sealed, what the first file took, and a pipe. */
const MOST = 95;

const hash = (texts: readonly string[]) => createHash('sha256').update(texts.join('\n')).digest('hex');

test('HA110 HA113: a disk that hangs holds up the spool and in the end the agent, at the bounds; when it is back nothing is missing', async () => {
  const progress = stage.file('progress');
  const agentEnv = { AGENT_PIECE_BYTES: String(PIECE_BYTES), AGENT_PROGRESS: progress };
  const harness = await HarnessProcess.start(stage, { script: 'floods.mjs', agentEnv });
  const viewer = await stage.watch();
  const next = join(stage.stateDir, 'spool', '000000000001.spool');
  writeFileSync(next, '', { mode: 0o600 });
  const release = await holdFile(next, stage);
  viewer.prompt(harness.channelId, String(PIECES));
  await viewer.until('the turn', () => viewer.find('turn_started'));
  // From now on all there is stands on disk only.
  await stage.closeRelay();
  const written = () => (existsSync(progress) ? statSync(progress).size : 0);
  // The pipe comes first: most of it is read although the disk takes nothing.
  await until('what fits the bounds', () => written() * PIECE_BYTES > 64 * 1_024 * 1_024);
  let [count, sinceMs] = [written(), Date.now()];
  await until('the agent to stand still', () => {
    if (written() !== count) [count, sinceMs] = [written(), Date.now()];
    return Date.now() - sinceMs > 1_500;
  });
  expect(written()).toBeLessThan(MOST);
  expect(statSync(next).size).toBe(0);
  await release();
  await until('the agent to go on', () => written() > count);
  const spool = new SpoolReader(stage);
  const events: ObserverEvent[] = [];
  const isOver = () => events.some(({ kind }) => kind === 'turn_completed');
  while (!isOver()) {
    // A hundred megabytes take their time: what is waited for is that it goes on.
    const { length } = events;
    await until('more of it', () => events.push(...spool.take().flat()) > length || isOver());
  }
  const { stream } = events.find(({ kind }) => kind === 'turn_completed') as ObserverEvent;
  const inTurn = events.filter((event) => event.stream === stream);
  expect(inTurn.map(({ seq }) => seq)).toEqual(inTurn.map((_, at) => at + 1));
  const said: string[] = [];
  for (let at = 0; at < inTurn.length; at++) {
    const { count = 1 } = parsePart(inTurn[at] as ObserverEvent) ?? {};
    const whole = count === 1 ? undefined : joinParts(inTurn.slice(at, at + count));
    if (whole?.ok) said.push(...(/"piece (\d+) (x+)"/.exec(whole.value.payload)?.slice(1) ?? []));
    at += count - 1;
  }
  const pieces = Array.from({ length: PIECES }, (_, at) => [`${at}`, 'x'.repeat(PIECE_BYTES - `piece ${at} `.length)]);
  expect(hash(said)).toBe(hash(pieces.flat()));
});
