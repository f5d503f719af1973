// A Chromium for the tests: found, or installed where that can be done without asking.
import { existsSync } from 'node:fs';
import { findBrowser } from '../../apps/heliograph/src/find-browser.mjs';
import { npmCommand, runCommand } from './run-command.mjs';

/** Finds a browser or installs one; throws with what to do when neither works. */
export async function provideChromium(root, say) {
  const { env } = process;
  if (findBrowser(env)) return;
  if (env.CHROMIUM_PATH) {
    throw new Error(`CHROMIUM_PATH names ${env.CHROMIUM_PATH}, which is not a program that can be run.`);
  }
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say('heliograph: installing Chromium for the tests with apt-get');
    const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, quiet: true };
    const packages = ['chromium', 'fonts-dejavu-core'];
    await runCommand('apt-get', ['update', '-qq'], options);
    await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
    if (findBrowser(env)) return;
  }
  say('heliograph: fetching Chromium for the tests with Playwright');
  const npm = npmCommand();
  await runCommand(npm.command, [...npm.args, 'exec', '--', 'playwright-core', 'install', 'chromium'], { cwd: root });
  if (findBrowser(env)) return;
  throw new Error(
    'no Chromium was found for the browser tests and none could be installed. Install one (Debian or Ubuntu: `sudo apt-get install chromium`) or set CHROMIUM_PATH to the path of Chromium, Chrome or Edge.',
  );
}
