export { type DemoAgentOptions, runDemoAgent } from './run-demo-agent.ts';
