import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { attest, hexEncode } from '@heliograph/wire';
import type { Stage } from './stage.ts';

/** What the child is told in its environment. */
export interface ChildOptions {
  /** It kills itself with SIGKILL when its harness asks for this many uuids; 0: never. */
  readonly dieAtUuid?: number;
  /** A file of fixtures/agents. */
  readonly script?: string;
  readonly agentEnv?: Readonly<Record<string, string>>;
  readonly relay?: string;
  readonly spoolBytes?: number;
  /** A file that gets what is handed to its sockets, a line each: when (ms, by the system's clock), a tab, the text. */
  readonly sends?: string;
}

/** What the child tells once it runs. */
interface Told {
  readonly run: string;
  readonly stream: string;
  readonly channelId: string;
}

/** A harness in a process of its own, that can die like one. */
export class HarnessProcess {
  readonly run: string;
  /** The stream of its channel. */
  readonly stream: string;
  readonly channelId: string;
  readonly pid: number;
  /** The signal or code it ended with. */
  readonly exited: Promise<string>;

  /** Kills it as the system would: no goodbye. */
  readonly kill: () => void;

  static async start(stage: Stage, options: ChildOptions): Promise<HarnessProcess> {
    const { dieAtUuid = 0, script = 'echoes.mjs', agentEnv = {}, relay = stage.relayUrl, spoolBytes, sends } = options;
    const main = new URL('./harness-process-main.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, ['--import', 'tsx', main], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...agentEnv,
        STAGE: JSON.stringify({
          relay,
          script,
          spoolBytes,
          sends,
          owner: stage.owner,
          agentKey: hexEncode(stage.agentKey),
          authTag: attest(stage.ownerKey, stage.agent, '', stage.crypto),
          cwd: stage.folder,
          stateDir: stage.stateDir,
          dieAtUuid,
        }),
      },
    });
    const exited = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
    stage.atEnd(() => {
      child.kill('SIGKILL');
      return exited;
    });
    const [ready] = (await once(createInterface(child.stdout), 'line')) as [string];
    const kill = () => void child.kill('SIGKILL');
    const told = JSON.parse(ready) as Told;
    return new HarnessProcess(told, child.pid as number, exited, kill);
  }

  private constructor({ run, stream, channelId }: Told, pid: number, exited: Promise<string>, kill: () => void) {
    this.run = run;
    this.stream = stream;
    this.channelId = channelId;
    this.pid = pid;
    this.exited = exited;
    this.kill = kill;
  }
}
