// Builds the two bundles, the command and the desktop's page, when their sources are not those they were built from.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './bootstrap/run-command.mjs';
import { withStartLock } from './bootstrap/start-lock.mjs';
import { isMain, repositoryRoot } from './bootstrap.mjs';

const targets = [
  {
    name: 'the command',
    app: 'apps/heliograph',
    program: ['build.mjs'],
    sources: [
      'apps/heliograph/src',
      'apps/heliograph/build.mjs',
      'apps/relay/src',
      'apps/archive/src',
      'apps/harness/src',
      'apps/demo-agent/src',
      'apps/desktop/src/host',
      'apps/desktop/src/agent-list.ts',
      'apps/desktop/src/text/loopback-url.ts',
      'packages',
      'package-lock.json',
    ],
  },
  {
    name: 'the desktop',
    app: 'apps/desktop',
    program: ['../../node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
    sources: ['apps/desktop', 'packages', 'package-lock.json'],
  },
];

const say = (line) => process.stderr.write(`${line}\n`);

/** Brings both bundles up to date; silent when they are. Throws an Error whose message is the sentence to show. */
export async function build({ root = repositoryRoot } = {}) {
  const stale = () => targets.filter((target) => !isFresh(root, target));
  if (stale().length === 0) return;
  await withStartLock(join(root, '.heliograph', 'build.lock'), say, async () => {
    const results = await Promise.all(stale().map((target) => buildTarget(root, target)));
    for (const { target, code, output } of results) {
      if (code === 0) continue;
      say(output.trimEnd());
      throw new Error(`building ${target.name} (${target.app}) failed; its message is above.`);
    }
  });
}

async function buildTarget(root, target) {
  say(`heliograph: building ${target.name}`);
  const hash = hashSources(root, target.sources);
  rmSync(stampFile(root, target), { force: true });
  const { code, output } = await runCommand(process.execPath, target.program, {
    cwd: join(root, target.app),
    quiet: true,
  });
  if (code === 0) writeFileSync(stampFile(root, target), hash);
  return { target, code, output };
}

const stampFile = (root, target) => join(root, target.app, 'dist', '.sources');

function isFresh(root, target) {
  const file = stampFile(root, target);
  return existsSync(file) && readFileSync(file, 'utf8') === hashSources(root, target.sources);
}

/** One hash over the names and contents of the files below these paths; tests and built files do not count. */
export function hashSources(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of listFiles(root, path))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0');
  }
  return hash.digest('hex');
}

const ignored = /^(node_modules|dist|test|\..*)$|\.test\.tsx?$/;

function* listFiles(root, path) {
  const entries = existsSync(join(root, path)) ? listFolder(join(root, path)) : [];
  if (entries === undefined) yield path;
  else for (const name of entries) if (!ignored.test(name)) yield* listFiles(root, `${path}/${name}`);
}

function listFolder(folder) {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

if (isMain(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    say(`heliograph: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
