import { readFileSync } from 'node:fs';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HarnessProcess } from './support/harness-process.ts';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';
import { Watcher } from './support/watcher.ts';
import { WireProxy } from './support/wire-proxy.ts';
import { Withheld } from './support/withheld.ts';

/** CHAOS_SEED repeats a run, CHAOS_MS makes it longer. */
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const CHAOS_MS = Number(process.env.CHAOS_MS ?? 10_000);
const KILL_EVERY = 6;
/** What a kill may cost (HA65), and what a disk shared with other tests may add; a busy processor is measured. */
const LOSS_MS = 50;
const DISK_MS = 30;
/** A machine that is that busy is still catching up with what it withheld so long ago. */
const BUSY_MS = 3_000;

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
  readonly withheld: Withheld;
  /** What was said before this is not lost: when it was killed, less what a kill may cost. */
  safeMs: number | undefined;
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
    const seen = ticksIn(viewer);
    const lives: Life[] = [];
    const begin = async () => {
      const tee = stage.file(`tee-${lives.length}`);
      const agentEnv = { AGENT_TEE: tee, AGENT_WORD: `life ${lives.length}`, AGENT_EVERY_MS: '10' };
      const harness = await HarnessProcess.start(stage, { script: 'ticks.mjs', agentEnv, relay: proxy.url });
      lives.push({ harness, tee, withheld: new Withheld(harness.pid), safeMs: undefined });
      await viewer.until('the new run', () => viewer.snapshot?.run === harness.run);
      viewer.prompt(harness.channelId, '1000000');
      await viewer.until('its first tick', () => seen(lives.length - 1).length > 0);
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
      life.safeMs = Date.now() - LOSS_MS - DISK_MS - life.withheld.since(Date.now() - BUSY_MS);
      life.harness.kill();
      life.withheld.stop();
      await life.harness.exited;
      await begin();
    }
    const last = ticksOf(lives.at(-1) as Life).length;
    await viewer.until('what was said until now', () => seen(lives.length - 1).length >= last);
    for (const [index, life] of lives.entries()) {
      const wrote = ticksOf(life);
      const { safeMs } = life;
      const count = safeMs === undefined ? last : wrote.filter((line) => tickTime(line) < safeMs).length;
      // A hole is asked for and filled: what counts is that none is left. The last agent goes on speaking.
      const whole = () => (safeMs === undefined ? seen(index).slice(0, count) : seen(index));
      const firstHole = () => whole().findIndex((line, at) => line !== wrote[at]);
      await until(
        `life ${index}`,
        () => whole().length >= count && firstHole() < 0,
        () => `${whole().length} of ${wrote.length} ticks, ${count} at least; the first hole at ${firstHole()}`,
      );
    }
    lives.at(-1)?.withheld.stop();
    expect(lives.length).toBeGreaterThan(1);
    expect(viewer.find('observer_telemetry_gap')).toBeUndefined();
    expect(viewer.warnings).toEqual([]);
  },
  CHAOS_MS + 120_000,
);

/** Collects what a viewer has of each life's ticks, in order. */
function ticksIn(viewer: Watcher): (life: number) => readonly string[] {
  const lives = new Map<number, { ticks: { readonly seq: number; readonly line: string }[]; isSorted: boolean }>();
  viewer.onEvent = ({ kind, seq, payload }) => {
    if (kind !== 'acp_read' || !isTick(payload)) return;
    const life = Number(/life (\d+)"/.exec(payload)?.[1]);
    const known = lives.get(life) ?? { ticks: [], isSorted: true };
    known.isSorted &&= (known.ticks.at(-1)?.seq ?? 0) < seq;
    known.ticks.push({ seq, line: payload });
    lives.set(life, known);
  };
  return (life) => {
    const known = lives.get(life) ?? { ticks: [], isSorted: true };
    if (!known.isSorted) known.ticks.sort((a, b) => a.seq - b.seq);
    known.isSorted = true;
    return known.ticks.map(({ line }) => line);
  };
}
