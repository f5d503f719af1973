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
