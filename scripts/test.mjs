// The whole proof: checks, bundles, then every test, unit and integration. The closing line counts tests; a skipped one
// is a failure, since it proves nothing.
import { startVitest } from 'vitest/node';
import { findBrowser } from '../apps/heliograph/src/find-browser.mjs';
import { repositoryRoot } from './bootstrap.mjs';
import { build } from './build.mjs';
import { check } from './check.mjs';

process.chdir(repositoryRoot);
const unchecked = await check();
await build();
process.env.CHROMIUM_PATH ??= findBrowser(process.env);

const vitest = await startVitest('test', process.argv.slice(2), { run: true, watch: false, reporters: ['default'] });
const modules = vitest.state.getTestModules();
const tests = modules.flatMap((module) => [...module.children.allTests()]);
const states = tests.map((test) => test.result().state);
const count = (state) => states.filter((other) => other === state).length;
// A file that could not be loaded, or an error outside any test, is a failure too.
const broken = modules.filter((module) => module.errors().length > 0).length + vitest.state.getUnhandledErrors().length;
const [passed, failed, skipped] = [count('passed'), count('failed') + count('pending') + broken, count('skipped')];
await vitest.close();

// A second try keeps one race from stopping everybody; it is told, for the race is still there to be found.
for (const test of tests.filter((other) => other.diagnostic()?.flaky))
  console.log(`passed only at the second try: ${test.fullName}\n  ${test.result().errors?.[0]?.stack}`);
if (unchecked.length > 0) console.log(`checks failed: ${unchecked.join(', ')}`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(unchecked.length > 0 || failed > 0 || skipped > 0 || passed === 0 ? 1 : 0);
