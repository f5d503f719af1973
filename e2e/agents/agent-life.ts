import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mergeRawLines, type RawLine } from '@heliograph/transcript';
import { Product } from '../support/product.ts';
import { type AgentName, type AgentProfile, agents } from './agents.ts';
import { type MirroredAgent, type MirrorOptions, mirrorAgent } from './mirrored-agent.ts';
import { OwnerSession } from './owner-session.ts';
import { type ScriptName, scriptText } from './script.ts';
import { type AgentStage, stageAgent } from './stage.ts';
import { type Watcher, watch } from './watcher.ts';

/** One real agent, everything around it, and an owner who watches: what a group of tests shares. */
export class AgentLife {
  readonly profile: AgentProfile;
  readonly stage: AgentStage;
  readonly mirrored: MirroredAgent;
  readonly watcher: Watcher;
  readonly owner: OwnerSession;
  readonly #product: Product;

  private constructor(
    profile: AgentProfile,
    product: Product,
    stage: AgentStage,
    mirrored: MirroredAgent,
    watcher: Watcher,
  ) {
    this.profile = profile;
    this.stage = stage;
    this.mirrored = mirrored;
    this.watcher = watcher;
    this.owner = new OwnerSession(watcher, mirrored.channelId);
    this.#product = product;
  }

  static async begin(name: AgentName, options: MirrorOptions = {}): Promise<AgentLife> {
    const product = new Product();
    const stage = await stageAgent(name, product.home('stage'));
    try {
      const mirrored = await mirrorAgent(stage, product, options);
      return new AgentLife(agents[name], product, stage, mirrored, await watch(mirrored));
    } catch (error) {
      await product.close();
      await stage.model.close();
      throw error;
    }
  }

  async end(): Promise<void> {
    this.watcher.close();
    await this.#product.close();
    await this.stage.model.close();
  }

  /** All that the model says in a script. */
  said(script: ScriptName): string {
    return scriptText(script, 'say', this.stage);
  }

  /** What the raw rail of a watcher shows and downloads. */
  rawLines({ fold } = this.watcher): RawLine[] {
    return [...mergeRawLines(fold.log, fold.log.streams())];
  }

  /** How many prompts the agent had to answer at once, at most. */
  mostPrompts(): number {
    const open = new Set<unknown>();
    let most = 0;
    for (const { direction, text } of this.rawLines()) {
      const { id, method } = JSON.parse(text);
      if (direction === 'write' && method === 'session/prompt') open.add(id);
      else if (direction === 'read' && method === undefined) open.delete(id);
      most = Math.max(most, open.size);
    }
    return most;
  }

  /** The newest request that plays a script. */
  lastRequest(script?: ScriptName) {
    return this.stage.model.requests.findLast((r) => (script === undefined ? r.script : r.script === script));
  }

  /** Resolves once all lines of a watcher equal, by hash and both ways, what the tee saw. */
  async mirrorsTee(watcher = this.watcher): Promise<void> {
    for (const direction of ['read', 'write'] as const) {
      await watcher.until(`all lines of ${direction}`, () => {
        const tee = this.mirrored.teeBytes(direction);
        const lines = this.rawLines(watcher).filter((line) => line.direction === direction);
        const viewer = Buffer.from(lines.map(({ text }) => `${text}\n`).join(''));
        return viewer.length === tee.length && sha256(viewer) === sha256(tee) ? true : undefined;
      });
    }
  }

  /**
   * The lines of both directions that the tee saw and the viewer never got, where a killed harness lost them: one stretch of
   * each, before what came after it. Resolves once the rest of them is equal.
   */
  async lostLines(): Promise<{ readonly read: readonly string[]; readonly write: readonly string[] }> {
    const lost = (direction: 'read' | 'write') =>
      this.watcher.until(`all lines of ${direction} but one stretch`, () => {
        const tee = this.mirrored.teeBytes(direction).toString().split('\n').slice(0, -1);
        const seen = this.rawLines().filter((line) => line.direction === direction);
        const from = seen.findIndex(({ text }, at) => text !== tee[at]);
        const first = from < 0 ? seen.length : from;
        const after = tee.length - (seen.length - first);
        return seen.slice(first).every(({ text }, at) => text === tee[after + at])
          ? tee.slice(first, after)
          : undefined;
      });
    return { read: await lost('read'), write: await lost('write') };
  }

  /** Ids of the processes that run with the agent's home: the agent and whatever it started. */
  processes(): number[] {
    const home = `HOME=${this.stage.env.HOME}\0`;
    const hasHome = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(home);
      } catch {
        return false; // It ended while it was looked at.
      }
    };
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && hasHome(entry))
      .map(Number);
  }

  /** Sends a signal to the agent and everything it started. */
  signal(signal: NodeJS.Signals): void {
    for (const pid of this.processes()) process.kill(pid, signal);
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
