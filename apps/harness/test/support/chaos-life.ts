import { HarnessProcess } from './harness-process.ts';
import type { MirroredLines } from './mirrored-lines.ts';
import type { Stage } from './stage.ts';
import { Withheld } from './withheld.ts';
import { linesOf } from './written-lines.ts';

/** What a kill may cost (HA65), and what a disk shared with other tests may add; a busy processor is measured. */
const LOSS_MS = 50;
const DISK_MS = 30;
export const KILL_COSTS_MS = LOSS_MS + DISK_MS;
/** A machine that is that busy is still catching up with what it withheld so long ago. */
const BUSY_MS = 3_000;

const tickTime = (line: string) => Number(/"tick \d+ (\d+)/.exec(line)?.[1] ?? 0);

/** One life of a harness around an agent that says something every 10 ms and keeps its own record of it. */
export class ChaosLife {
  readonly index: number;
  readonly harness: HarnessProcess;
  readonly #tee: string;
  readonly #withheld: Withheld;
  #killedMs = Number.POSITIVE_INFINITY;
  /** What was said before this is not lost: when it was killed, less what a kill may cost. */
  #safeMs: number | undefined;

  static async begin(stage: Stage, relay: string, index: number): Promise<ChaosLife> {
    const tee = stage.file(`tee-${index}`);
    const agentEnv = { AGENT_TEE: tee, AGENT_WORD: `life ${index}`, AGENT_EVERY_MS: '10' };
    const harness = await HarnessProcess.start(stage, { script: 'ticks.mjs', agentEnv, relay });
    const withheld = new Withheld(harness.pid);
    stage.atEnd(() => withheld.stop());
    return new ChaosLife(index, harness, tee, withheld);
  }

  private constructor(index: number, harness: HarnessProcess, tee: string, withheld: Withheld) {
    this.index = index;
    this.harness = harness;
    this.#tee = tee;
    this.#withheld = withheld;
  }

  async kill(): Promise<void> {
    this.#killedMs = Date.now();
    this.#safeMs = Date.now() - KILL_COSTS_MS - this.#withheld.since(Date.now() - BUSY_MS);
    this.harness.kill();
    this.#withheld.stop();
    await this.harness.exited;
  }

  /** How long before its harness was killed the oldest of its words was said that a viewer with all the rest lacks; 0: none. */
  lostMs(seen: MirroredLines): number {
    const words = linesOf(this.#tee).filter((line) => tickTime(line) > 0 && tickTime(line) < this.#killedMs);
    const got = seen.of([this.harness.stream]).filter((line) => tickTime(line) > 0);
    const lost = words[got.length];
    return lost === undefined ? 0 : this.#killedMs - tickTime(lost);
  }

  /** Whether the agent has answered its prompt: it says nothing more. */
  isQuiet(): boolean {
    return linesOf(this.#tee).at(-1)?.includes('"stopReason"') === true;
  }

  /** What of this life a viewer lacks or has otherwise than the agent said it, in words; undefined: nothing. */
  differs(seen: MirroredLines): string | undefined {
    const wrote = linesOf(this.#tee);
    const got = seen.of([this.harness.run, this.harness.stream]);
    const safeMs = this.#safeMs;
    const least = safeMs === undefined ? wrote.length : wrote.filter((line) => tickTime(line) < safeMs).length;
    const at = got.findIndex((line, index) => line !== wrote[index]);
    if (at < 0 && got.length >= least) return undefined;
    const lines = at < 0 ? '' : `; line ${at} is ${got[at]}, the agent wrote ${wrote[at]}`;
    return `${got.length} of ${wrote.length} lines, ${least} at least${lines}`;
  }
}
