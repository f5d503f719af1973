import { isAbsolute, join, resolve } from 'node:path';
import type { Env } from './settings.ts';

/** Where this user's files live. */
export interface Places {
  /** The owner's key, made on first use by up, desktop and invite. */
  readonly ownerKey: string;
  /** The key that `heliograph agent` makes for itself when it is given none. */
  readonly agentKey: string;
  /** Files of variables for agents that run as services, the user's own. */
  readonly agentEnvs: string;
  /** The relay's data folder. */
  readonly relayData: string;
  /** The desktop's list of agents and relays. */
  readonly desktopFile: string;
  /** What is kept, and of whom: the owner's decisions. */
  readonly archiveConfig: string;
  /** The key an archive signs its checkpoints with, made on first use. */
  readonly archiveKey: string;
  /** The archive, unless the decisions name another file. */
  readonly archiveFile: string;
  /** Spools, locks, the window's browser profile, the demo agent's scratch folder. */
  readonly state: string;
  /** Which keys are in use on this machine, whichever $HELIOGRAPH_HOME they are used from. */
  readonly locks: string;
}

/** Everything under $HELIOGRAPH_HOME when that is set, else the XDG base directories. Relative to the user's folder. */
export function findPlaces(env: Env, homeFolder: string, userFolder: string): Places {
  const base = (name: string, fallback: string) => {
    const folder = env[name];
    // The XDG specification: a relative path is invalid and ignored.
    return join(folder && isAbsolute(folder) ? folder : join(homeFolder, fallback), 'heliograph');
  };
  const state = base('XDG_STATE_HOME', '.local/state');
  const locks = join(state, 'locks');
  const own = env.HELIOGRAPH_HOME;
  if (own) {
    const root = resolve(userFolder, own);
    return {
      ownerKey: join(root, 'owner.key'),
      agentKey: join(root, 'agent.key'),
      agentEnvs: join(root, 'agents'),
      relayData: join(root, 'relay'),
      desktopFile: join(root, 'desktop.json'),
      archiveConfig: join(root, 'archive.json'),
      archiveKey: join(root, 'archive.key'),
      archiveFile: join(root, 'archive.db'),
      state: join(root, 'state'),
      locks,
    };
  }
  const config = base('XDG_CONFIG_HOME', '.config');
  const data = base('XDG_DATA_HOME', '.local/share');
  return {
    ownerKey: join(config, 'owner.key'),
    agentKey: join(config, 'agent.key'),
    agentEnvs: join(config, 'agents'),
    relayData: join(data, 'relay'),
    desktopFile: join(data, 'desktop.json'),
    archiveConfig: join(config, 'archive.json'),
    archiveKey: join(config, 'archive.key'),
    archiveFile: join(data, 'archive.db'),
    state,
    locks,
  };
}
