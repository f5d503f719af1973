import { npmCommand, runCommand } from './run-command.mjs';

/** Installs what the lock says, running no package's script. */
export async function installPackages(root, say) {
  say('heliograph: installing packages (once after a checkout or an update)');
  const npm = npmCommand();
  const flags = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--loglevel=error'];
  const { code, output } = await runCommand(npm.command, [...npm.args, ...flags], { cwd: root });
  if (code === 0) return;
  if (code === null && output.includes('ENOENT'))
    throw new Error('npm was not found on PATH. It comes with Node.js: https://nodejs.org');
  throw new Error(`\`npm ci\` in ${root} failed (its message is above). Mend that, then start again.`);
}
