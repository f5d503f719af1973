// Everything that can be said about the code without running it: format, lint, layers, documents, types, unused parts.
// With --unit, the unit tests too. Quiet where all is well; the output of what failed, else.

import { runCommand } from './bootstrap/run-command.mjs';
import { isMain, repositoryRoot } from './bootstrap.mjs';

const bin = (name) => `node_modules/${name}`;
const steps = [
  {
    name: 'types',
    args: [bin('turbo/bin/turbo'), 'run', 'check:types', '--output-logs=errors-only', '--continue', '--concurrency=2'],
  },
  { name: 'format and lint', args: [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'layers', args: ['scripts/check-layers.mjs'] },
  { name: 'documents', args: ['scripts/check-docs.mjs'] },
  { name: 'unused', args: [bin('knip/bin/knip.js'), '--no-progress'] },
];
const unitStep = { name: 'unit tests', args: [bin('vitest/vitest.mjs'), 'run', '--project', 'unit', '--reporter=dot'] };

/** Runs the steps, two at a time; gives the names of those that failed. */
export async function check({ unit = false } = {}) {
  const queue = unit ? [...steps, unitStep] : [...steps];
  const failed = [];
  const work = async () => {
    for (let step = queue.shift(); step; step = queue.shift()) if (!(await passes(step))) failed.push(step.name);
  };
  await Promise.all([work(), work()]);
  return failed;
}

async function passes({ name, args }) {
  const startMs = performance.now();
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', FORCE_COLOR: '0' };
  const { code, output } = await runCommand(process.execPath, args, { cwd: repositoryRoot, env, quiet: true });
  if (code !== 0) process.stdout.write(`${output.trimEnd()}\n`);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  return code === 0;
}

if (isMain(import.meta.url)) {
  const failed = await check({ unit: process.argv.includes('--unit') });
  if (failed.length > 0) process.stdout.write(`failed: ${failed.join(', ')}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
