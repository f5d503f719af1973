// The one native addon that must fit this Node's ABI, better-sqlite3: taken from a per-user cache, else built and put there.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { npmCommand, runCommand } from './run-command.mjs';

const packageFolder = (root) => join(root, 'node_modules', 'better-sqlite3');
const addonFile = (root) => join(packageFolder(root), 'build', 'Release', 'better_sqlite3.node');

/** How often a build says that it goes on. */
const TELL_MS = 30_000;

export function addonIsInPlace(root) {
  return existsSync(addonFile(root));
}

/** Where the built addon is kept: one file for each version, ABI, platform, processor and C library. */
export function addonCacheFile({ version, abi, platform, arch, libc, env = process.env, home = homedir() }) {
  const cache = env.XDG_CACHE_HOME || join(home, '.cache');
  const name = ['better-sqlite3', version, `abi${abi}`, platform, arch, libc].filter(Boolean).join('-');
  return join(cache, 'heliograph', 'addons', `${name}.node`);
}

/** Puts an addon in place that loads in this Node. */
export async function provideAddon(root, say) {
  if (addonIsInPlace(root) && (await loads(root))) return;
  const { version } = JSON.parse(readFileSync(join(packageFolder(root), 'package.json'), 'utf8'));
  const { versions, platform, arch } = process;
  const cached = addonCacheFile({ version, abi: versions.modules, platform, arch, libc: libcName() });
  if (existsSync(cached)) {
    placeFile(cached, addonFile(root));
    if (await loads(root)) return;
  }
  rmSync(join(packageFolder(root), 'build'), { recursive: true, force: true });
  say(`heliograph: building the SQLite addon for Node.js ${versions.node} (one to five minutes, once)`);
  const npm = npmCommand();
  const flags = ['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error'];
  const env = { ...ownHeaders(process.execPath), ...process.env };
  const startMs = performance.now();
  const tell = () => say(`heliograph: still building, for ${Math.round((performance.now() - startMs) / 1_000)} s`);
  const timer = setInterval(tell, TELL_MS);
  const { code, output } = await runCommand(npm.command, [...npm.args, ...flags], { cwd: root, env, quiet: true });
  clearInterval(timer);
  if (code !== 0 || !(await loads(root))) {
    say(output.trimEnd());
    throw new Error(
      'the SQLite addon (better-sqlite3) could not be built. It needs Python 3, make and a C++ compiler: on Debian or Ubuntu `sudo apt-get install python3 make g++`, on macOS `xcode-select --install`. It also needs Node.js headers: where they may not be downloaded set a proxy (HTTPS_PROXY), or npm_config_nodedir to a folder that holds include/node.',
    );
  }
  placeFile(addonFile(root), cached);
}

/** Points the build at the headers that came with this Node, when they did: then it needs no network. */
export function ownHeaders(execPath) {
  const prefix = dirname(dirname(execPath));
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {};
}

/** Loads the addon in a process of its own, where a wrong one can crash without harm. */
async function loads(root) {
  const program = `new (require(${JSON.stringify(packageFolder(root))}))(':memory:').prepare('select 1').get()`;
  const { code } = await runCommand(process.execPath, ['-e', program], { cwd: root, quiet: true });
  return code === 0;
}

function placeFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const half = `${to}.${process.pid}`;
  copyFileSync(from, half);
  renameSync(half, to);
}

function libcName() {
  if (process.platform !== 'linux') return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}
