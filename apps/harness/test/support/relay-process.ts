import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Stage } from './stage.ts';

/** A relay in a process of its own, that can die like one, on one port in all its lives. */
export class RelayProcess {
  readonly #told: string;
  #child: ChildProcess | undefined;

  /** `publicUrl`: how it is reached, where that is not its own port. */
  constructor(stage: Stage, port: number, publicUrl: string) {
    this.#told = JSON.stringify({ port, publicUrl, dataDir: stage.file('relay'), owners: [stage.owner] });
    stage.atEnd(() => this.kill());
  }

  async start(): Promise<void> {
    const main = new URL('./relay-process-main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, ['--import', 'tsx', main], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, RELAY: this.#told },
    });
    this.#child = child;
    await once(createInterface(child.stdout), 'line');
  }

  /** Kills it as the system would: no goodbye. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
