// How every run of tests ends: `N passed, N failed, N skipped`, and above it what only looks like success.

/**
 * A vitest reporter with the run's last line. A run proves nothing, so it fails, when a test failed, was skipped or left unrun, when
 * there was none, and when something failed before the tests: the names in `unchecked`.
 */
export class ClosingLine {
  #unchecked;

  /** @param {readonly string[]} unchecked */
  constructor(unchecked = []) {
    this.#unchecked = unchecked;
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} errors outside any test
   */
  onTestRunEnd(modules, errors) {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      // A failed beforeAll leaves its tests unrun: that is a failure, not a choice.
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        count[test.result().state]++;
        // A second try keeps one race from stopping everybody; it is told, for the race is still there to be found.
        if (test.diagnostic()?.flaky)
          console.log(`passed only at the second try: ${test.fullName}\n  ${test.result().errors?.[0]?.stack}`);
      }
    }
    const { passed, failed } = count;
    const skipped = count.skipped + count.pending;
    if (this.#unchecked.length > 0) console.log(`checks failed: ${this.#unchecked.join(', ')}`);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    if (this.#unchecked.length > 0 || passed === 0 || failed > 0 || skipped > 0) process.exitCode = 1;
  }
}
