import { agentNames } from './agents.ts';

const wanted = (process.env.HELIOGRAPH_TEST_AGENTS ?? '').split(' ').filter(Boolean);

/** The agents of this run: those named on the command line, else all. */
export const chosen = agentNames.filter((name) => wanted.length === 0 || wanted.includes(name));
