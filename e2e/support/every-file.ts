import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every regular file below a folder, with its bytes. */
export function everyFile(folder: string): readonly (readonly [path: string, bytes: Buffer])[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path)] as const);
}
