import { MINUTE, StoryAgent } from './story-agent.ts';

/** An agent that asks before it opens its session. */
export function earlyStory(nowMs: number): StoryAgent {
  const agent = new StoryAgent({
    name: 'Claude',
    host: 'build-box',
    cwd: '/srv',
    startMs: nowMs - MINUTE,
    early: true,
  });
  return agent.elicit({ ...DEPLOY_FORM, message: 'Which branch?' });
}

export const DEPLOY_FORM = {
  mode: 'form',
  message: 'Where shall I deploy the fix? It passes all tests.',
  requestedSchema: {
    type: 'object',
    required: ['branch', 'replicas', 'region'],
    properties: {
      branch: { type: 'string', title: 'Branch', description: 'What is deployed', pattern: '^[a-z/-]+$' },
      replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 9, default: 2 },
      region: {
        type: 'string',
        title: 'Region',
        oneOf: [
          { const: 'eu', title: 'Europe (Frankfurt)' },
          { const: 'us', title: 'America (Oregon)' },
        ],
      },
      labels: { type: 'array', title: 'Labels', items: { enum: ['canary', 'blue', 'green'] } },
      until: { type: 'string', title: 'Roll back on', format: 'date' },
      dryRun: { type: 'boolean', title: 'Only pretend', default: true },
    },
  },
};
