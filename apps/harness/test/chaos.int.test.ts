import { readFileSync } from 'node:fs';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HarnessProcess } from './support/harness-process.ts';
import { Stage } from './support/stage.ts';
import { Watcher } from './support/watcher.ts';
import { WireProxy } from './support/wire-proxy.ts';

/** CHAOS_SEED repeats a run, CHAOS_MS makes it longer. */
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const CHAOS_MS = Number(process.env.CHAOS_MS ?? 10_000);
const KILL_EVERY = 6;
/** What a kill may cost, and what a busy machine's scheduler may add before the lines are even read. */
const LOSS_MS = 50 + 200;

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Life {
  readonly harness: HarnessProcess;
  readonly tee: string;
  killedMs: number | undefined;
}

const isTick = (line: string) => line.includes('"tick ');
const ticksOf = ({ tee }: Life) => readFileSync(tee, 'utf8').split('\n').slice(0, -1).filter(isTick);
const tickTime = (line: string | undefined) => Number(/tick \d+ (\d+)/.exec(line ?? '')?.[1]);

test(
  `HA67: whatever relay, network and viewer do nothing is lost; a harness killed with -9 loses at most the last lines (seed ${SEED})`,
  async () => {
    const random = randomOf(SEED);
    const port = Number(new URL(stage.relayUrl).port);
    const proxy = await WireProxy.open(port);
    stage.atEnd(() => proxy.close());
    await stage.closeRelay();
    await stage.openRelay(port, proxy.url);
    const watch = () => {
      const watcher = new Watcher(proxy.url, stage.ownerKey, stage.agent, stage.crypto);
      stage.atEnd(() => watcher.close());
      return watcher;
    };
    const viewer = watch();
    const lives: Life[] = [];
    const begin = async () => {
      const tee = stage.file(`tee-${lives.length}`);
      const agentEnv = { AGENT_TEE: tee, AGENT_WORD: `life ${lives.length}` };
      const harness = await HarnessProcess.start(stage, { script: 'ticks.mjs', agentEnv, relay: proxy.url });
      lives.push({ harness, tee, killedMs: undefined });
      await viewer.until('the new run', () => viewer.snapshot?.run === harness.run);
      viewer.prompt(harness.channelId, '1000000');
      await viewer.until('its first tick', () => seen(viewer, lives.length - 1).length > 0);
    };
    const faults = [
      async () => proxy.cut(),
      async () => {
        proxy.isDown = true;
        proxy.cut();
        await pass(random() * 1_500);
        proxy.isDown = false;
      },
      async () => {
        await stage.closeRelay();
        await pass(random() * 1_000);
        await stage.openRelay(port, proxy.url);
      },
      async () => watch().close(),
      async () => viewer.resync(),
    ];
    await begin();
    const endMs = Date.now() + CHAOS_MS;
    for (let step = 1; Date.now() < endMs; step++) {
      await pass(random() * 800);
      if (step % KILL_EVERY !== 0) {
        await faults[Math.floor(random() * faults.length)]?.();
        continue;
      }
      const life = lives.at(-1) as Life;
      life.killedMs = Date.now();
      life.harness.kill();
      await life.harness.exited;
      await begin();
    }
    const last = ticksOf(lives.at(-1) as Life).length;
    await viewer.until('what was said until now', () => seen(viewer, lives.length - 1).length >= last);
    for (const [index, life] of lives.entries()) {
      const wrote = ticksOf(life);
      const count =
        life.killedMs === undefined
          ? last
          : wrote.findIndex((line) => tickTime(line) > (life.killedMs as number) - LOSS_MS);
      // A hole is asked for and filled: what counts is that none is left.
      const isWhole = (got: readonly string[]) =>
        got.length >= count && got.slice(0, wrote.length).every((line, at) => line === wrote[at]);
      await viewer.until(`life ${index}`, () => isWhole(seen(viewer, index)));
    }
    expect(lives.length).toBeGreaterThan(1);
    expect(viewer.find('observer_telemetry_gap')).toBeUndefined();
    expect(viewer.warnings).toEqual([]);
  },
  CHAOS_MS + 120_000,
);

/** The ticks of one life that a viewer has, in order. */
function seen(viewer: Watcher, life: number): string[] {
  return viewer
    .events()
    .filter(({ kind, payload }) => kind === 'acp_read' && isTick(payload) && payload.includes(`life ${life}"`))
    .map(({ payload }) => payload);
}
