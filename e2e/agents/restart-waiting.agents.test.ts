import { agents } from './agents.ts';
import { chosen } from './chosen-agents.ts';
import { describeRestarts } from './contract/restarts.ts';

// In a file of its own: the restarts of these agents are minutes of waiting for the clock, which go by beside the others.
describeRestarts(chosen.filter((name) => agents[name].abilities.reopensNextMinute));
