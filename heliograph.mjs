#!/usr/bin/env node
// The one command, `heliograph`, in a checkout: prepares and builds what is not up to date, then runs the bundle in
// this same process. Dependency-free, so that it works straight after `git clone`.
import { readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bootstrap, repositoryRoot as root } from './scripts/bootstrap.mjs';
import { build } from './scripts/build.mjs';

try {
  await bootstrap();
  await build();
} catch (error) {
  process.stderr.write(`heliograph: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

const dist = join(root, 'apps', 'heliograph', 'dist');
const { main } = await import(pathToFileURL(join(dist, 'main.mjs')).href);
process.exitCode = await main(process.argv.slice(2), {
  version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  entryFile: fileURLToPath(import.meta.url),
  uiDir: join(root, 'apps', 'desktop', 'dist'),
  demoAgentFile: join(dist, 'demo-agent.mjs'),
  verifyWorkerFile: join(dist, 'verify-worker.mjs'),
  askWorkerFile: join(dist, 'ask-worker.mjs'),
  startCommand: startCommand(),
});

/** How this start was asked for, with room for `-- CMD` after it. */
function startCommand() {
  if (process.env.npm_lifecycle_event === 'start') return 'npm start --';
  const [, program] = process.argv;
  if (basename(program) === 'heliograph') return 'heliograph up';
  const path = relative(process.cwd(), program);
  return `${path.startsWith('..') ? program : `.${sep}${path}`} up`;
}
