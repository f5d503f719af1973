import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Env } from './settings.ts';

/** The file a command name stands for, as a shell would find it from `folder`; undefined when there is none. */
export function findCommand(name: string, env: Env, folder: string): string | undefined {
  if (/[/\\]/.test(name)) return programsNamed(resolve(folder, name)).find(isProgram);
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  return folders.flatMap((path) => programsNamed(join(resolve(folder, path), name))).find(isProgram);
}

function programsNamed(path: string): string[] {
  return process.platform === 'win32' ? [path, `${path}.exe`, `${path}.cmd`, `${path}.bat`] : [path];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
