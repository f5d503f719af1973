import { type ArchiveConfig, type ArchiveFileError, readArchiveConfig } from '@heliograph/app-archive';
import type { Result } from '@heliograph/wire';
import type { Context } from './context.ts';
import { badUsage, Failure } from './failure.ts';

/** What the owner decided about keeping. Throws a Failure where that can't be read. */
export function archiveDecisions({ places }: Context): ArchiveConfig {
  const config = readArchiveConfig(places.archiveConfig);
  if (!config.ok) throw badUsage(config.error.message);
  return config.value;
}

/** The archive's file: the one named, else the one decided on, else the usual one. */
export function archiveFile(file: string | undefined, context: Context): string {
  if (file !== undefined) return context.path(file);
  return archiveDecisions(context).file ?? context.places.archiveFile;
}

/** The value, or the Failure that says what is wrong with the archive's file. */
export function orFail<T>(outcome: Result<T, ArchiveFileError>): T {
  if (!outcome.ok) throw new Failure(1, outcome.error.message, { cause: outcome.error.cause });
  return outcome.value;
}

/** Prints lines for people. */
export function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
