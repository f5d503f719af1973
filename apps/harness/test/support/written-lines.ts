import { existsSync, readFileSync } from 'node:fs';

/** The whole lines of a file that another process writes: none while it is not there, never a half one. */
export function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}
