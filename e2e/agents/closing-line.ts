// biome-ignore lint/correctness/noUndeclaredDependencies: the test runner belongs to the root
import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with `N passed, N failed, N skipped`, and fails it when a test was skipped or none ran. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      // A failed beforeAll leaves its tests unrun: that is a failure, not a choice.
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        count[test.result().state]++;
        if (test.diagnostic()?.flaky)
          console.log(`passed only at the second try: ${test.fullName}\n  ${test.result().errors?.[0]?.stack}`);
      }
    }
    const skipped = count.skipped + count.pending;
    if (skipped > 0 || count.passed === 0) process.exitCode = 1;
    console.log(`${count.passed} passed, ${count.failed} failed, ${skipped} skipped`);
  }
}
