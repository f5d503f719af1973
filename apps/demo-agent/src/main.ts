import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { runDemoAgent } from './run-demo-agent.ts';

const { values } = parseArgs({ options: { 'beat-ms': { type: 'string', default: '35' } } });

await runDemoAgent({
  input: process.stdin,
  output: process.stdout,
  version: packageJson.version,
  beatMs: Number(values['beat-ms']),
});
process.exit(0);
