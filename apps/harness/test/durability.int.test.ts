import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { payloadOf, type StreamOpened } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultLockFolder, lockPath } from '../src/key-lock.ts';
import { HarnessProcess } from './support/harness-process.ts';
import { isRunning, parentOf } from './support/processes.ts';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';
import type { Watcher } from './support/watcher.ts';
import { Withheld } from './support/withheld.ts';
import { linesOf } from './support/written-lines.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const CANARY = 'a-canary-that-sings';
/** What a kill may cost (HA65), and what a disk shared with other tests may add; a busy processor is measured. */
const LOSS_MS = 50;
const DISK_MS = 30;
/** A machine that is that busy is still catching up with what it withheld so long ago. */
const BUSY_MS = 3_000;

const isTick = (line: string) => line.includes('"tick ');
const tickTime = (line: string) => Number(/tick \d+ (\d+)/.exec(line)?.[1]);
const hash = (lines: readonly string[]) => createHash('sha256').update(lines.join('\n')).digest('hex');

/** The ticks the agent wrote: its own record. */
const written = (tee: string) => linesOf(tee).filter(isTick);

/** The ticks a viewer has, in order. */
function seen(viewer: Watcher): string[] {
  return viewer
    .events()
    .filter(({ kind, payload }) => kind === 'acp_read' && isTick(payload))
    .map(({ payload }) => payload);
}

function continuationIn(viewer: Watcher, stream: string) {
  const opened = viewer.find<StreamOpened>('stream_opened', ({ continues }) => continues?.stream === stream);
  return opened?.payload.continues;
}

describe('a harness that starts anew', () => {
  test('HA64: what the agent said while the relay was away arrives after a restart of the harness, byte for byte; none of it is readable on disk', async () => {
    const tee = stage.file('tee');
    const agentEnv = { AGENT_TEE: tee, AGENT_WORD: CANARY };
    const url = stage.relayUrl;
    const first = await stage.harness({ script: 'ticks.mjs', agentEnv });
    const viewer = await stage.watch();
    viewer.prompt(first.channelId, '300');
    await viewer.until('the first tick', () => seen(viewer).length > 0);
    await stage.closeRelay();
    await until('the agent to finish', () => written(tee).length === 300);
    await until('the turn to end', () => linesOf(tee).at(-1)?.includes('end_turn'));
    await first.close();
    const stored = readdirSync(join(stage.stateDir, 'spool')).map((name) =>
      readFileSync(join(stage.stateDir, 'spool', name), 'latin1'),
    );
    expect(stored.join('')).toContain(first.stream);
    for (const encoding of ['utf8', 'base64', 'hex'] as const) {
      const canary = Buffer.from(CANARY).toString(encoding).replaceAll('=', '').slice(0, -1);
      expect(stored.join('').toLowerCase()).not.toContain(canary.toLowerCase());
    }
    const second = await stage.harness({ script: 'ticks.mjs', agentEnv, relays: [url] });
    expect(second.channelId).toBe(first.channelId);
    expect(second.stream).not.toBe(first.stream);
    await stage.openRelay(Number(new URL(url).port));
    await viewer.until('the end of the first stream', () => {
      const events = viewer.rawEvents(first.stream);
      return events.at(-1)?.kind === 'stream_closed' && events.length === events.at(-1)?.seq;
    });
    expect(hash(seen(viewer))).toBe(hash(written(tee)));
    const last = viewer.rawEvents(first.stream).at(-1);
    const continues = await viewer.until('the new stream', () => continuationIn(viewer, first.stream));
    expect(continues).toMatchObject({ seq: last?.seq, clean: true });
    expect(viewer.warnings).toEqual([]);
  });

  test('HA65: killed with -9 it loses at most the last 50 ms, and the new stream says that something may be missing', async () => {
    const tee = stage.file('tee');
    const agentEnv = { AGENT_TEE: tee, AGENT_EVERY_MS: '8' };
    const first = await HarnessProcess.start(stage, { script: 'ticks.mjs', agentEnv });
    const viewer = await stage.watch();
    viewer.prompt(first.channelId, '100000');
    await viewer.until('some ticks', () => seen(viewer).length > 20);
    const stream = viewer.find('turn_started')?.event.stream as string;
    const url = stage.relayUrl;
    await stage.closeRelay();
    const withheld = new Withheld(first.pid);
    const before = written(tee).length;
    await until('some more ticks', () => written(tee).length > before + 100);
    const safeMs = Date.now() - LOSS_MS - DISK_MS - withheld.since(Date.now() - BUSY_MS);
    first.kill();
    withheld.stop();
    await first.exited;
    const second = await stage.harness({ script: 'ticks.mjs', relays: [url] });
    expect(second.channelId).toBe(first.channelId);
    await stage.openRelay(Number(new URL(url).port));
    const continues = await viewer.until('the new stream', () => continuationIn(viewer, stream));
    expect(continues).toMatchObject({ clean: false });
    await viewer.until('all that was kept', () => viewer.rawEvents(stream).length === continues.seq);
    const all = written(tee);
    const got = seen(viewer);
    expect(hash(got)).toBe(hash(all.slice(0, got.length)));
    expect(got.length).toBeGreaterThanOrEqual(all.filter((line) => tickTime(line) < safeMs).length);
    expect(viewer.warnings).toEqual([]);
  });

  test.each([
    ['', {}],
    [', what left its group too', { AGENT_CHILD_LEAVES: '1' }],
  ])('AG24: what a killed harness left running of its agent is ended by the next one%s', async (_, leaves) => {
    const child = stage.file('child');
    const agentEnv = { AGENT_DEAF: '1', AGENT_CHILD: child, ...(leaves as Record<string, string>) };
    const first = await HarnessProcess.start(stage, { script: 'waits-for-cancel.mjs', agentEnv });
    const viewer = await stage.watch();
    viewer.prompt(first.channelId, 'go');
    await viewer.until('a sign of life', () => viewer.events().find(({ payload }) => payload.includes('working')));
    const grandchild = Number(readFileSync(child, 'utf8'));
    const agent = parentOf(grandchild) as number;
    first.kill();
    await first.exited;
    expect([agent, grandchild].map(isRunning)).toEqual([true, true]);
    const second = await stage.harness();
    await until('both to be gone', () => ![agent, grandchild].some(isRunning));
    await viewer.until('the new run', () => viewer.snapshot?.run === second.run);
    viewer.prompt(second.channelId, 'again');
    await viewer.until('the next turn', () => viewer.find('turn_completed'));
  });

  test('AG30: a harness whose lock was removed keeps its agent, and another with its key is refused', async () => {
    const child = stage.file('child');
    const first = await HarnessProcess.start(stage, {
      script: 'waits-for-cancel.mjs',
      agentEnv: { AGENT_CHILD: child },
    });
    const viewer = await stage.watch();
    viewer.prompt(first.channelId, 'go');
    await viewer.until('a sign of life', () => viewer.events().find(({ payload }) => payload.includes('working')));
    rmSync(lockPath(stage.agent, defaultLockFolder()));
    await expect(stage.harness()).rejects.toThrow(`process ${first.pid}`);
    const grandchild = Number(readFileSync(child, 'utf8'));
    expect(isRunning(grandchild)).toBe(true);
    first.kill();
    await first.exited;
    await stage.harness();
    await until('what the first left to be gone', () => !isRunning(grandchild));
  });

  test('HA66: a viewer that comes later can have the streams of earlier runs, by replay and by what it has', async () => {
    const first = await stage.harness();
    const early = await stage.watch();
    early.prompt(first.channelId, 'remember this');
    await early.until('the turn', () => early.find('turn_completed'));
    await first.close();
    const second = await stage.harness();
    const late = await stage.watch();
    const opened = await late.until('the new stream', () =>
      late.rawEvents(second.stream).find(({ kind }) => kind === 'stream_opened'),
    );
    const { continues } = payloadOf<StreamOpened>(opened) ?? {};
    expect(continues).toMatchObject({ stream: first.stream, clean: true });
    expect(late.rawEvents(first.stream)).toEqual([]);
    const result = await late.ask({ type: 'replay', stream: first.stream, fromSeq: 1 });
    expect(result.result).toMatchObject({ status: 'applied' });
    await late.until('every event', () => late.rawEvents(first.stream).length === continues?.seq);
    await early.until('the end of the stream', () => early.rawEvents(first.stream).length === continues?.seq);
    expect(late.rawEvents(first.stream)).toEqual(early.rawEvents(first.stream));
  });
});
