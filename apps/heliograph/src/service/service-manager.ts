import { existsSync, readdirSync } from 'node:fs';
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
  /** What tells how an installed one fares, in order: it is looked at no further than to the first that is not well. */
  checks(name: string): readonly ServiceCheck[];
  /** What to know about it, in words. */
  advice(name: string): string;
}

/** A question to the system about a service, and what to do where the answer is not the good one. */
export interface ServiceCheck {
  readonly command: readonly string[];
  isWell(answer: { readonly ok: boolean; readonly said: string }): boolean;
  readonly problem: string;
  readonly mend: readonly string[];
}

export type ServiceKind = 'systemd' | 'launchd';

const PREFIX = 'heliograph-agent-';

/** The manager of this system, undefined where there is none we know. */
export function serviceKind(platform: NodeJS.Platform = process.platform): ServiceKind | undefined {
  return ({ linux: 'systemd', darwin: 'launchd' } as const)[platform as 'linux' | 'darwin'];
}

/** The same for who can't go on without one. */
export function usualKind(platform: NodeJS.Platform = process.platform): ServiceKind {
  const kind = serviceKind(platform);
  if (kind !== undefined) return kind;
  throw badUsage(`agent install: services are made for Linux (systemd) and macOS (launchd), not for ${platform}.`);
}

/** The manager by kind; its files lie where `env` and the user's home say. */
export function serviceManager(kind: ServiceKind, env: Env): ServiceManager {
  return kind === 'systemd' ? systemd(env) : launchd(env);
}

/** The name in a file's name, undefined when it is none of ours. */
function serviceName(manager: ServiceManager, fileName: string): string | undefined {
  const [before = '', after = ''] = manager.fileName('\n').split('\n');
  if (!fileName.startsWith(before) || !fileName.endsWith(after)) return undefined;
  return fileName.slice(before.length, fileName.length - after.length) || undefined;
}

/** The services of ours that are in their place. */
export function installedServices(manager: ServiceManager): readonly string[] {
  if (!existsSync(manager.folder)) return [];
  return readdirSync(manager.folder)
    .sort()
    .flatMap((file) => serviceName(manager, file) ?? []);
}

export function servicePath(manager: ServiceManager, name: string): string {
  return join(manager.folder, manager.fileName(name));
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
    checks: (name) => [
      {
        command: systemctl('is-active', unit(name)),
        isWell: ({ ok }) => ok,
        problem: `it does not run; journalctl --user -u ${unit(name)} tells why`,
        mend: systemctl('restart', unit(name)),
      },
      {
        command: systemctl('is-enabled', unit(name)),
        isWell: ({ ok }) => ok,
        problem: 'it runs, but is not started at boot',
        mend: systemctl('enable', unit(name)),
      },
      {
        command: ['loginctl', 'show-user', userInfo().username, '--property=Linger'],
        isWell: ({ said }) => said.includes('Linger=yes'),
        problem: 'it runs, but only while you are logged in',
        mend: ['loginctl', 'enable-linger', userInfo().username],
      },
    ],
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
    checks: (name) => [
      {
        command: ['launchctl', 'print', `${domain}/${launchdLabel(name)}`],
        isWell: ({ ok }) => ok,
        problem: 'launchd does not know it',
        mend: ['launchctl', 'bootstrap', domain, join(folder, fileName(name))],
      },
      {
        command: ['launchctl', 'print', `${domain}/${launchdLabel(name)}`],
        isWell: ({ said }) => /^\s*state = running$/m.test(said),
        problem: `it does not run; ${logFile(name)} tells why`,
        mend: ['launchctl', 'kickstart', '-k', `${domain}/${launchdLabel(name)}`],
      },
      {
        command: ['launchctl', 'print-disabled', domain],
        isWell: ({ said }) => !['disabled', 'true'].some((no) => said.includes(`"${launchdLabel(name)}" => ${no}`)),
        problem: 'it runs, but is not started when you log in',
        mend: ['launchctl', 'enable', `${domain}/${launchdLabel(name)}`],
      },
    ],
    advice: (name) => `How it fares: launchctl print ${domain}/${launchdLabel(name)}, and ${logFile(name)}.`,
  };
}

function home(env: Env): string {
  return env.HOME || homedir();
}
