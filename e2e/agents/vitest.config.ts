import { fileURLToPath } from 'node:url';
// biome-ignore lint/correctness/noUndeclaredDependencies: the test runner belongs to the root
import { defineConfig } from 'vitest/config';
// biome-ignore lint/correctness/noUndeclaredDependencies: the test runner belongs to the root
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ClosingLine } from '../../scripts/closing-line.mjs';

/** From the back of the alphabet: the restarts, which take longest, go first. */
class RestartsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? 1 : -1));
  }
}

// Real agents, at most three at a time, of which one waits for the clock: each starts a few hundred megabytes of programs.
// Started by scripts/test-agents.mjs.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    name: 'agents',
    include: ['*.agents.test.ts'],
    maxWorkers: 3,
    // A file may be about agents that were not chosen; a run with no test at all fails by its closing line.
    passWithNoTests: true,
    retry: 1,
    sequence: { sequencer: RestartsFirst },
    cache: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Of what no viewer tells, like the model's end.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['verbose', new ClosingLine()],
  },
});
