#!/usr/bin/env node
// node tee.mjs DIR -- COMMAND [ARG]…: runs the command and copies its stdin and stdout byte for byte, keeping what went by
// in DIR/write.bytes (to the command) and DIR/read.bytes (from it). Bytes are on disk before they are passed on. While the
// file DIR/hold is there, what holds its text waits on the way to the command.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [folder, separator, command, ...args] = process.argv.slice(2);
if (!folder || separator !== '--' || !command) {
  process.stderr.write('usage: node tee.mjs DIR -- COMMAND [ARG]…\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function copy(from, to, name, isHeld) {
  const file = openSync(join(folder, name), 'a');
  function pass(chunk) {
    from.pause();
    if (isHeld(chunk)) setTimeout(pass, 20, chunk);
    else if (to.write(chunk)) from.resume();
    else to.once('drain', () => from.resume());
  }
  from.on('data', (chunk) => {
    writeSync(file, chunk);
    pass(chunk);
  });
}
function isHeld(chunk) {
  try {
    return chunk.includes(readFileSync(join(folder, 'hold')));
  } catch {
    return false;
  }
}
copy(process.stdin, child.stdin, 'write.bytes', isHeld);
copy(child.stdout, process.stdout, 'read.bytes', () => false);
process.stdin.on('end', () => child.stdin.end());
// Whoever hangs up first ends the copying; the exit code tells the rest.
child.stdin.on('error', () => process.stdin.pause());
process.stdout.on('error', () => child.kill());

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`tee: ${error.message}\n`);
  process.exit(127);
});
child.on('close', (code, signal) => {
  if (signal === null) process.exitCode = code;
  else {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.stdin.destroy();
});
