// A Chromium for the tests: found, or installed where that can be done without asking.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { npmCommand, runCommand } from './run-command.mjs';

const namesOnPath = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge',
];
const usualPlaces = {
  linux: ['/usr/bin/chromium', '/snap/bin/chromium', '/opt/google/chrome/chrome'],
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

/** The path of a Chromium-like browser: CHROMIUM_PATH, PATH, the usual places, Playwright's own folder; else undefined. */
export function findChromium(env = process.env) {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const onPath = namesOnPath.flatMap((name) =>
    (env.PATH ?? '').split(delimiter).map((folder) => join(folder, name + suffix)),
  );
  return [...onPath, ...(usualPlaces[process.platform] ?? []), ...playwrightBrowsers(env)].find(isExecutable);
}

/** Finds a browser or installs one; throws with what to do when neither works. */
export async function provideChromium(root, say) {
  if (process.env.CHROMIUM_PATH && !findChromium())
    throw new Error(`CHROMIUM_PATH names ${process.env.CHROMIUM_PATH}, which is not a program that can be run.`);
  if (findChromium()) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say('heliograph: installing Chromium for the tests with apt-get');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runCommand('apt-get', ['update', '-qq'], { env, quiet: true });
    await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], {
      env,
      quiet: true,
    });
    if (findChromium()) return;
  }
  say('heliograph: fetching Chromium for the tests with Playwright');
  const npm = npmCommand();
  await runCommand(npm.command, [...npm.args, 'exec', '--', 'playwright-core', 'install', 'chromium'], { cwd: root });
  if (findChromium()) return;
  throw new Error(
    'no Chromium was found for the browser tests and none could be installed. Install one (Debian or Ubuntu: `sudo apt-get install chromium`) or set CHROMIUM_PATH to the path of Chromium, Chrome or Edge.',
  );
}

function playwrightBrowsers(env) {
  const home = homedir();
  const folder = {
    linux: join(env.XDG_CACHE_HOME || join(home, '.cache'), 'ms-playwright'),
    darwin: join(home, 'Library', 'Caches', 'ms-playwright'),
    win32: join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'ms-playwright'),
  }[process.platform];
  const root = env.PLAYWRIGHT_BROWSERS_PATH || folder;
  if (!root || !existsSync(root)) return [];
  const inside = [
    'chrome-linux/chrome',
    'chrome-linux64/chrome',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-win/chrome.exe',
    'chrome-win64/chrome.exe',
  ];
  const versions = readdirSync(root)
    .filter((name) => name.startsWith('chromium-'))
    .sort()
    .reverse();
  return versions.flatMap((version) => inside.map((path) => join(root, version, path)));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
