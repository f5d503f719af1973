// The whole proof: checks, bundles, then every test, unit and integration.
import { startVitest } from 'vitest/node';
import { findBrowser } from '../apps/heliograph/src/find-browser.mjs';
import { repositoryRoot } from './bootstrap.mjs';
import { build } from './build.mjs';
import { check } from './check.mjs';
import { ClosingLine } from './closing-line.mjs';

process.chdir(repositoryRoot);
const unchecked = await check();
await build();
process.env.CHROMIUM_PATH ??= findBrowser(process.env);

const reporters = ['default', new ClosingLine(unchecked)];
const vitest = await startVitest('test', process.argv.slice(2), { run: true, watch: false, reporters });
await vitest.close();
process.exit();
