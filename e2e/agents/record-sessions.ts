import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProfile, agentNames, agents } from './agents.ts';
import { type RecipeName, recipes, recordSession } from './recorder.ts';

// record-sessions.ts ROOT INTO [AGENT | AGENT-RECIPE]…: records what is named, or every recipe of every agent. Run it by record.mjs.
const [root = '', into = '', ...wanted] = process.argv.slice(2);
mkdirSync(into, { recursive: true });
for (const name of agentNames) {
  const profile: AgentProfile = agents[name];
  for (const recipe of Object.keys(recipes) as RecipeName[]) {
    if (wanted.length > 0 && !wanted.includes(name) && !wanted.includes(`${name}-${recipe}`)) continue;
    if (recipe === 'plan' && !profile.tools.plan) continue;
    const lines = await recordSession(name, recipe, root);
    const file = join(into, `${name}-${recipe}.ndjson`);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    console.log(`${file}: ${lines.length} lines`);
  }
}
process.exit(0);
