// Starts a relay in a process of its own, as it is shipped: a bundle beside the packages it loads.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';

/** What a relay's process used so far. */
export interface Usage {
  readonly rssBytes: number;
  readonly cpuSec: number;
}

/** A relay that is served. */
export interface Served {
  readonly url: string;
  usage(): Promise<Usage>;
  end(): void;
}

/** Starts what `serve.bench.ts` calls by this name, pinned to the second core. */
export async function serve(which: string, dataDir: string, env: Record<string, string> = {}): Promise<Served> {
  const child = fork(await bundleServer(), [which, dataDir], { env: { ...process.env, ...env } });
  pinToCore(child.pid ?? 0, 1);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    async usage() {
      child.send('usage');
      const [used] = (await once(child, 'message')) as [Usage];
      return used;
    },
    end: () => void child.kill('SIGKILL'),
  };
}

async function bundleServer(): Promise<string> {
  const outfile = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'serve-bench.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'serve.bench.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'koffi', 'tiny-secp256k1', 'ws', 'pg', '@nats-io/*', '@nostr-relay/*'],
    logLevel: 'warning',
  });
  return outfile;
}

/** Of util-linux, on every Linux. */
const PIN_PROGRAM = 'taskset';

/** Keeps a process on one core, where that can be done. */
export function pinToCore(pid: number, core: number): void {
  try {
    execFileSync(PIN_PROGRAM, ['-a', '-c', '-p', `${core}`, `${pid}`], { stdio: 'ignore' });
  } catch (cause) {
    process.stderr.write(`not pinned to a core: ${cause instanceof Error ? cause.message : cause}\n`);
  }
}
