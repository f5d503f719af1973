import { describe, expect, test } from 'vitest';
import { agentEnv, envName, userFolder, withoutEmptySettings } from './settings.ts';

test('CL3: a flag is set by HELIOGRAPH_ and its name; an empty setting is none, a switch can say no', () => {
  expect(envName('--owner-key')).toBe('HELIOGRAPH_OWNER_KEY');
  const env = { HELIOGRAPH_RELAY: '', HELIOGRAPH_NO_WINDOW: 'false', HELIOGRAPH_PORT: '0', PATH: '', HOME: '/h' };
  expect(withoutEmptySettings(env)).toEqual({ HELIOGRAPH_PORT: '0', PATH: '', HOME: '/h' });
  expect(withoutEmptySettings({ HELIOGRAPH_NO_WINDOW: '1' })).toEqual({ HELIOGRAPH_NO_WINDOW: '1' });
});

describe('CL4: paths start in the folder the user stands in', () => {
  test('CL4: under npm that is INIT_CWD, as long as npm started this very process', () => {
    const env = { npm_package_json: '/repo/package.json', INIT_CWD: '/user' };
    expect(userFolder(env, '/repo')).toBe('/user');
    expect(userFolder(env, '/repo/elsewhere')).toBe('/repo/elsewhere');
    expect(userFolder({ INIT_CWD: '/user' }, '/here')).toBe('/here');
  });
});

test("CL14: an agent's environment has nothing of Heliograph's settings and npm's", () => {
  const env = {
    PATH: '/bin',
    HELIOGRAPH_OWNER_KEY: '/k',
    npm_config_prefix: '/n',
    INIT_CWD: '/u',
    API_KEY: 'x',
    NONE: undefined,
  };
  expect(agentEnv(env)).toEqual({ PATH: '/bin', API_KEY: 'x' });
});
