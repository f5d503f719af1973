import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder (0700) and those above it that are missing. Throws what the system throws. */
export function makePrivateFolder(folder: string): void {
  // One level at a time: in Node 20 a recursive mkdir below a place that takes no folders, like /proc, never ends.
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.push(at);
  for (const level of missing.reverse()) {
    // A program started at the same moment may have been first.
    if (!existsSync(level)) mkdirSync(level, { mode: 0o700 });
  }
}
