import { expect, test } from 'vitest';
import { findPlaces } from './places.ts';

test('CL2, HA108: all files but the locks of keys are below HELIOGRAPH_HOME when it is set', () => {
  expect(findPlaces({ HELIOGRAPH_HOME: 'home' }, '/h', '/user')).toEqual({
    ownerKey: '/user/home/owner.key',
    agentKey: '/user/home/agent.key',
    agentEnvs: '/user/home/agents',
    relayData: '/user/home/relay',
    desktopFile: '/user/home/desktop.json',
    archiveConfig: '/user/home/archive.json',
    archiveKey: '/user/home/archive.key',
    archiveFile: '/user/home/archive.db',
    state: '/user/home/state',
    locks: '/h/.local/state/heliograph/locks',
  });
});

test('CL2: else they are at the XDG places, whose variables count only when absolute', () => {
  expect(findPlaces({ XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '/s' }, '/h', '/user')).toEqual({
    ownerKey: '/h/.config/heliograph/owner.key',
    agentKey: '/h/.config/heliograph/agent.key',
    agentEnvs: '/h/.config/heliograph/agents',
    relayData: '/h/.local/share/heliograph/relay',
    desktopFile: '/h/.local/share/heliograph/desktop.json',
    archiveConfig: '/h/.config/heliograph/archive.json',
    archiveKey: '/h/.config/heliograph/archive.key',
    archiveFile: '/h/.local/share/heliograph/archive.db',
    state: '/s/heliograph',
    locks: '/s/heliograph/locks',
  });
});
