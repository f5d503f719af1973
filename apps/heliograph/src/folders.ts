import { mkdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { badUsage, systemCode } from './failure.ts';
import type { Env } from './settings.ts';

const xdgNames = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'];

/**
 * Makes the folders that settings name for this user's files, before anything starts in them. Folders nobody named are
 * left to what writes there: a relay with --data needs none of them.
 */
export function makeNamedFolders(env: Env, userFolder: string): void {
  const own = env.HELIOGRAPH_HOME;
  if (own) {
    makeFolder(resolve(userFolder, own), 'HELIOGRAPH_HOME');
    return;
  }
  for (const name of xdgNames) {
    const folder = env[name];
    if (folder && isAbsolute(folder)) makeFolder(join(folder, 'heliograph'), name);
  }
}

/** Makes a folder (0700) and those above it; `setting` is what the Failure names when that can't be done. */
export function makeFolder(folder: string, setting: string): void {
  // One level at a time: in Node 20 a recursive mkdir below a place that takes no folders, like /proc, never ends.
  const missing: string[] = [];
  let at = folder;
  while (!isThere(at, folder, setting)) {
    missing.push(at);
    at = dirname(at);
  }
  for (const level of missing.reverse()) {
    try {
      mkdirSync(level, { mode: 0o700 });
    } catch (error) {
      // A program started at the same moment may have been first.
      if (systemCode(error) === 'EEXIST' && isThere(level, folder, setting)) continue;
      throw cannotBeMade(folder, setting, `${level} was refused (${systemCode(error)}, uid ${process.getuid?.()})`);
    }
  }
}

function isThere(path: string, folder: string, setting: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    const code = systemCode(error);
    // ENOTDIR: a file stands further up, where the next look finds it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw cannotBeMade(folder, setting, `${path} can't be looked at (${code})`);
  }
  throw cannotBeMade(folder, setting, `${path} is not a folder`);
}

function cannotBeMade(folder: string, setting: string, why: string): Error {
  return badUsage(`${setting}: the folder ${folder} can't be made: ${why}. Expected a folder you may write in.`);
}
