import { fileURLToPath } from 'node:url';
// biome-ignore lint/correctness/noUndeclaredDependencies: the test runner belongs to the root
import { defineConfig } from 'vitest/config';
import { ClosingLine } from './closing-line.ts';

// Real agents, one after the other: each starts a few hundred megabytes of programs. Started by scripts/test-agents.mjs.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    name: 'agents',
    include: ['*.agents.test.ts'],
    fileParallelism: false,
    cache: false,
    testTimeout: 150_000,
    hookTimeout: 150_000,
    reporters: ['verbose', new ClosingLine()],
  },
});
