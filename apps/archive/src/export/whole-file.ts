import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@heliograph/wire';

/** Why nothing was written. `exists`: something is there already. `not-writable`: the system refuses. */
export interface WriteError {
  readonly code: 'exists' | 'not-writable';
  readonly message: string;
  readonly cause?: unknown;
}

/** Characters gathered before they go to the file. */
const BUFFERED = 262_144;

/** Writes a new private file (0600) whole or not at all, piece by piece. What is there already stays as it is. */
export function writeWholeFile(path: string, pieces: Iterable<string>): Result<void, WriteError> {
  if (existsSync(path)) return exists(path);
  const temp = tempName(path);
  try {
    writePieces(temp, pieces);
    // A link, not a rename: it fails where somebody made the file meanwhile.
    linkSync(temp, path);
    return ok(undefined);
  } catch (cause) {
    return codeOf(cause) === 'EEXIST' ? exists(path) : failed(path, cause);
  } finally {
    rmSync(temp, { force: true });
  }
}

/** Writes a new private folder (0700) of files whole or not at all. */
export function writeWholeFolder(
  path: string,
  files: Iterable<{ readonly name: string; readonly pieces: Iterable<string> }>,
): Result<void, WriteError> {
  if (existsSync(path)) return exists(path);
  const temp = tempName(path);
  try {
    mkdirSync(temp, { mode: 0o700 });
    for (const { name, pieces } of files) writePieces(join(temp, name), pieces);
    if (existsSync(path)) return exists(path);
    renameSync(temp, path);
    return ok(undefined);
  } catch (cause) {
    return failed(path, cause);
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

function writePieces(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    let held = '';
    for (const piece of pieces) {
      held += piece;
      if (held.length < BUFFERED) continue;
      writeAll(file, held);
      held = '';
    }
    writeAll(file, held);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function tempName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.part`;
}

function exists(path: string): Result<never, WriteError> {
  return err({ code: 'exists', message: `${path} is there already and was left as it is: name another one` });
}

function failed(path: string, cause: unknown): Result<never, WriteError> {
  const code = codeOf(cause);
  // What is no fault of the system is one of ours, and says where.
  if (code === undefined) throw cause;
  return err({
    code: 'not-writable',
    message: `${path} can't be written (${code}): name a file in a folder of yours`,
    cause,
  });
}

function codeOf(cause: unknown): string | undefined {
  const isSystem = cause instanceof Error && 'syscall' in cause && 'code' in cause;
  return isSystem && typeof cause.code === 'string' ? cause.code : undefined;
}
