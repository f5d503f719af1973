#!/usr/bin/env node
// Makes fixtures/sessions/*.ndjson anew: node e2e/agents/record.mjs [AGENT | AGENT-RECIPE]…
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runWithoutNetwork } from './namespace.mjs';

/** Every session happens below this folder, which only the recorder sees: the same path on every machine. */
const PRIVATE_FOLDER = '/srv';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const node = [process.execPath, '--import', 'tsx'];
const wanted = process.argv.slice(2);
const agents = new Set(wanted.map((name) => name.split('-', 1)[0]));
const install = spawnSync(node[0], [...node.slice(1), here('install-agents.ts'), ...agents], { stdio: 'inherit' });
if (install.status !== 0) process.exit(install.status ?? 1);
const command = [...node, here('record-sessions.ts'), PRIVATE_FOLDER, here('../../fixtures/sessions'), ...wanted];
process.exitCode = await runWithoutNetwork(command, { privateFolder: PRIVATE_FOLDER });
