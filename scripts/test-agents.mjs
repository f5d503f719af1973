// Runs real agents through the whole product, without a network: node scripts/test-agents.mjs [AGENT]…
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWithoutNetwork } from '../e2e/agents/namespace.mjs';
import { repositoryRoot } from './bootstrap.mjs';

const inRoot = (path) => join(repositoryRoot, path);
const wanted = process.argv.slice(2);

/** Runs one step that needs the network or the build, and ends with its exit code when it fails. */
function first(...args) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: repositoryRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}

first('--import', 'tsx', inRoot('e2e/agents/install-agents.ts'), ...wanted);
first(inRoot('heliograph.mjs'), '--version');

// A folder of its own for everything temporary: what agents leave behind goes with it.
const TMPDIR = mkdtempSync(join(tmpdir(), 'heliograph-agents-'));
try {
  const vitest = inRoot('node_modules/vitest/vitest.mjs');
  process.exitCode = await runWithoutNetwork(
    [process.execPath, vitest, 'run', '--config', inRoot('e2e/agents/vitest.config.ts')],
    { env: { ...process.env, TMPDIR, HELIOGRAPH_TEST_AGENTS: wanted.join(' ') } },
  );
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(TMPDIR, { recursive: true, force: true });
}
