// PostgreSQL and nats-server for the tests: found, or installed where that can be done without asking.
import { existsSync, readdirSync } from 'node:fs';
import { runCommand } from './run-command.mjs';

const versions = '/usr/lib/postgresql';

const isThere = {
  postgresql: () =>
    existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/initdb`)),
  'nats-server': () => existsSync('/usr/sbin/nats-server'),
};

/** Finds both or installs what is missing; throws with what to do when that can't be done. */
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
    `the tests start ${missing().join(' and ')}, which was not found and could not be installed. On Debian or Ubuntu: \`sudo apt-get install ${missing().join(' ')}\`.`,
  );
}
