import { agentNames } from './agents.ts';
import { installAgent } from './install.ts';

// node --import tsx install-agents.ts [AGENT]…: installs what is missing of the named agents, or of all.
const wanted = process.argv.slice(2);
const chosen = agentNames.filter((name) => wanted.length === 0 || wanted.includes(name));
if (chosen.length < wanted.length) {
  console.error(`unknown agent in "${wanted.join(' ')}": expected some of ${agentNames.join(', ')}`);
  process.exit(2);
}
try {
  for (const name of chosen) installAgent(name, console.error);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
