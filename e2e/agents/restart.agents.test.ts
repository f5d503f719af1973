import { agents } from './agents.ts';
import { chosen } from './chosen-agents.ts';
import { describeRestarts } from './contract/restarts.ts';

describeRestarts(chosen.filter((name) => !agents[name].abilities.reopensNextMinute));
