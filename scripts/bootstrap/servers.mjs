// PostgreSQL, nats-server, nginx and the sqlite3 program for the tests: found, or installed where that can be done without asking.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';

const versions = '/usr/lib/postgresql';

const isThere = {
  postgresql: () =>
    existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/initdb`)),
  'nats-server': () => isOnPath('nats-server'),
  'nginx-light': () => isOnPath('nginx'),
  sqlite3: () => isOnPath('sqlite3'),
};

function isOnPath(program) {
  // Debian keeps servers where only root's PATH leads.
  return [...(process.env.PATH ?? '').split(':'), '/usr/sbin'].some((folder) => existsSync(join(folder, program)));
}

/** Finds them or installs what is missing; throws with what to do when that can't be done. */
export async function provideServers(say) {
  const missing = () => Object.keys(isThere).filter((name) => !isThere[name]());
  if (missing().length === 0) return;
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say(`heliograph: installing ${missing().join(' and ')} for the tests with apt-get`);
    const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, quiet: true };
    await runCommand('apt-get', ['update', '-qq'], options);
    await runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing()], options);
  }
  if (missing().length === 0) return;
  throw new Error(
    `the tests use ${missing().join(' and ')}, which was not found and could not be installed. On Debian or Ubuntu: \`sudo apt-get install ${missing().join(' ')}\`.`,
  );
}
