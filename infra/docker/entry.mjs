// The command line inside an image: the bundle and the page are there already, and the parts with agents are not.
import { main } from './main.mjs';

process.exitCode = await main(process.argv.slice(2), {
  version: '0.1.0',
  entryFile: process.argv[1],
  uiDir: '/app/ui',
  demoAgentFile: '/app/demo-agent.mjs',
  verifyWorkerFile: '/app/verify-worker.mjs',
  askWorkerFile: '/app/ask-worker.mjs',
  startCommand: 'heliograph up',
});
