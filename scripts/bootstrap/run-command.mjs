// Child processes of the bootstrap: their output goes to our stderr, and a signal that ends us ends them.
import { spawn } from 'node:child_process';

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command to its end. Resolves with `{ code, signal, output }`; `code` is null when it could not be started or
 * died by a signal. `quiet` keeps its output from the terminal.
 */
export function runCommand(command, args, { cwd, env = process.env, quiet = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    const collect = (chunk) => {
      chunks.push(chunk);
      if (!quiet) process.stderr.write(chunk);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const end = (signal) => {
      child.kill(signal);
      child.once('close', () => process.exit(signal === 'SIGINT' ? 130 : 143));
    };
    for (const signal of endSignals) process.on(signal, end);
    const finish = (code, signal, more = '') => {
      for (const name of endSignals) process.off(name, end);
      resolve({ code, signal, output: Buffer.concat(chunks).toString() + more });
    };
    child.once('error', (error) => finish(null, null, error.message));
    child.once('close', finish);
  });
}

/** How to start npm from here: the one that runs us, else the one on PATH. */
export function npmCommand() {
  const path = process.env.npm_execpath;
  if (path && /npm-cli\.[cm]?js$/.test(path)) return { command: process.execPath, args: [path] };
  return process.platform === 'win32' ? { command: 'cmd.exe', args: ['/c', 'npm'] } : { command: 'npm', args: [] };
}
