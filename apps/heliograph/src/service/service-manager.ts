import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { badUsage, shellWord } from '../failure.ts';
import type { Env } from '../settings.ts';
import type { AgentService } from './agent-service.ts';
import { launchdLabel, launchdPlist } from './launchd-plist.ts';
import { systemdUnit } from './systemd-unit.ts';

/** What keeps a user's programs running: where its files go, what they hold, and the commands that act on them. */
export interface ServiceManager {
  readonly kind: ServiceKind;
  /** Its program, which must be on PATH. */
  readonly program: string;
  readonly folder: string;
  fileName(name: string): string;
  text(service: AgentService): string;
  /** Commands, in order, that start a service whose file is in its place, now and at every boot. */
  starting(name: string): readonly (readonly string[])[];
  /** Commands that stop it for good; its file is still there. */
  stopping(name: string): readonly (readonly string[])[];
  /** Commands for after the file is gone. */
  stopped(): readonly (readonly string[])[];
  /** What to know about it, in words. */
  advice(name: string): string;
}

export type ServiceKind = 'systemd' | 'launchd';

const PREFIX = 'heliograph-agent-';

/** The manager of this system. */
export function usualKind(platform: NodeJS.Platform = process.platform): ServiceKind {
  if (platform === 'linux') return 'systemd';
  if (platform === 'darwin') return 'launchd';
  throw badUsage(`agent install: services are made for Linux (systemd) and macOS (launchd), not for ${platform}.`);
}

/** The manager by kind; its files lie where `env` and the user's home say. */
export function serviceManager(kind: ServiceKind, env: Env): ServiceManager {
  return kind === 'systemd' ? systemd(env) : launchd(env);
}

/** The name in a file's name, undefined when it is none of ours. */
export function serviceName(manager: ServiceManager, fileName: string): string | undefined {
  const [before = '', after = ''] = manager.fileName('\n').split('\n');
  if (!fileName.startsWith(before) || !fileName.endsWith(after)) return undefined;
  return fileName.slice(before.length, fileName.length - after.length) || undefined;
}

function systemd(env: Env): ServiceManager {
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home(env), '.config');
  const unit = (name: string) => `${PREFIX}${name}.service`;
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words];
  return {
    kind: 'systemd',
    program: 'systemctl',
    folder: join(config, 'systemd', 'user'),
    fileName: unit,
    text: systemdUnit,
    starting: (name) => [systemctl('daemon-reload'), systemctl('enable', unit(name)), systemctl('restart', unit(name))],
    stopping: (name) => [systemctl('disable', '--now', unit(name))],
    stopped: () => [systemctl('daemon-reload')],
    advice: (name) =>
      `How it fares: systemctl --user status ${unit(name)}, and journalctl --user -u ${unit(name)}.\n` +
      `It runs while you are logged in; to have it run from boot on: loginctl enable-linger ${shellWord(userInfo().username)}`,
  };
}

function launchd(env: Env): ServiceManager {
  const library = join(home(env), 'Library');
  const folder = join(library, 'LaunchAgents');
  const domain = `gui/${userInfo().uid}`;
  const fileName = (name: string) => `${launchdLabel(name)}.plist`;
  const logFile = (name: string) => join(library, 'Logs', `${PREFIX}${name}.log`);
  return {
    kind: 'launchd',
    program: 'launchctl',
    folder,
    fileName,
    text: (service) => launchdPlist(service, logFile(service.name)),
    starting: (name) => [
      ['launchctl', 'bootstrap', domain, join(folder, fileName(name))],
      ['launchctl', 'kickstart', '-k', `${domain}/${launchdLabel(name)}`],
    ],
    stopping: (name) => [['launchctl', 'bootout', `${domain}/${launchdLabel(name)}`]],
    stopped: () => [],
    advice: (name) => `How it fares: launchctl print ${domain}/${launchdLabel(name)}, and ${logFile(name)}.`,
  };
}

function home(env: Env): string {
  return env.HOME || homedir();
}
