// Makes a checkout ready to run: Node version, npm packages, the SQLite addon and, for tests, a browser (--chromium) and the
// servers they start (--servers).
// Dependency-free, safe to start twice at once, silent and quick when there is nothing to do. Everything it says goes to stderr.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addonIsInPlace, provideAddon } from './bootstrap/addon.mjs';
import { provideChromium } from './bootstrap/chromium.mjs';
import { installPackages } from './bootstrap/install-packages.mjs';
import { currentStamp, isStamped, matchesLock, writeStamp } from './bootstrap/install-stamp.mjs';
import { nodeVersionProblem } from './bootstrap/node-version.mjs';
import { provideServers } from './bootstrap/servers.mjs';
import { withStartLock } from './bootstrap/start-lock.mjs';

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const say = (line) => process.stderr.write(`${line}\n`);

/** Brings the checkout up to date. Throws an Error whose message is the sentence to show. */
export async function bootstrap({ chromium = false, servers = false, root = repositoryRoot } = {}) {
  const problem = nodeVersionProblem(process.versions.node, process.execPath);
  if (problem) throw new Error(problem);
  const ready = () => isStamped(root, currentStamp(root)) && addonIsInPlace(root);
  if (!ready()) {
    await withStartLock(join(root, '.heliograph', 'bootstrap.lock'), say, async () => {
      if (ready()) return;
      if (!matchesLock(root)) await installPackages(root, say);
      await provideAddon(root, say);
      writeStamp(root, currentStamp(root));
    });
  }
  if (chromium) await provideChromium(root, say);
  if (servers) await provideServers(say);
}

/** Whether the module at this URL is the program Node was started with. */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);
}

if (isMain(import.meta.url)) {
  try {
    await bootstrap({ chromium: process.argv.includes('--chromium'), servers: process.argv.includes('--servers') });
  } catch (error) {
    say(`heliograph: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
