import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import { readServerUrl } from '../server-url.ts';

/** What names a relay's storage on the command line: a folder, or a database instead of it. */
export interface StorageFlags {
  readonly data?: string;
  readonly postgres?: string;
}

/** The relay's data folder: the one named, else the one `heliograph relay` uses by itself. */
export function relayFolder({ data }: StorageFlags, { places, path }: Context): string {
  return data === undefined ? places.relayData : path(data);
}

/** The URL of the database that is used instead of the folder; undefined when none is named. */
export function relayDatabase({ postgres }: StorageFlags, { path }: Context): string | undefined {
  return postgres === undefined ? undefined : readServerUrl(postgres, '--postgres', path);
}

/** The URL of the NATS server over which relays on one database act as one; undefined when none is named. */
export function relayCluster(flags: StorageFlags & { readonly nats?: string }, { path }: Context): string | undefined {
  if (flags.nats === undefined) return undefined;
  if (flags.postgres !== undefined) return readServerUrl(flags.nats, '--nats', path);
  throw badUsage('--nats: relays that act as one share one database. Expected --postgres too.');
}

/** Refuses what only a folder can be done to; `instead` says what does it to a database. */
export function folderOnly(flags: StorageFlags, context: Context, instead: string): string {
  if (flags.postgres === undefined) return relayFolder(flags, context);
  throw badUsage(
    `--postgres: this is for the relay's own file. A database is looked after with PostgreSQL's tools: ${instead}.`,
  );
}
