import { statSync } from 'node:fs';
import {
  type ArchiveConfig,
  keepsAgent,
  type RunningArchive,
  readArchiveConfig,
  startArchive,
} from '@heliograph/app-archive';
import type { KnownAgent } from '@heliograph/client';
import { archiveDecisions } from './archive-place.ts';
import type { Context } from './context.ts';
import { type KeyPair, readOrMakeKey } from './key-file.ts';

export interface ArchiveParts {
  readonly owner: KeyPair;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  /** The loopback port on which viewers read history, 0 for any free one. */
  readonly port: number;
  /** Pages that may read there. */
  readonly origins: () => readonly string[];
}

/** Starts the archive as the owner decided. Rejects with the sentence that says why it can't. */
export async function openArchive(
  { owner, relays, agents, port, origins }: ArchiveParts,
  context: Context,
): Promise<RunningArchive> {
  const { places, env, crypto, log } = context;
  const config = archiveDecisions(context);
  const decided = newestDecisions(context);
  const key = await readOrMakeKey(places.archiveKey, '--archive-key', env, crypto, () => {});
  return startArchive({
    file: config.file ?? places.archiveFile,
    ownerSecret: owner.secret,
    archiveSecret: key.secret,
    relays,
    agents,
    keeps: (agent) => keepsAgent(decided(), agent),
    settings: { atRest: config.atRest, secrets: config.secrets },
    retention: { maxAgeMs: config.maxAgeMs, maxBytes: config.maxBytes },
    socket: { port, origins },
    crypto,
    log: log.child({ part: 'archive' }),
  });
}

/** What the owner decides while the archive runs holds at once; decisions that can't be read change nothing. */
function newestDecisions(context: Context): () => ArchiveConfig {
  const { archiveConfig } = context.places;
  let config = archiveDecisions(context);
  let writtenMs = writtenAt(archiveConfig);
  return () => {
    const newestMs = writtenAt(archiveConfig);
    if (newestMs === writtenMs) return config;
    writtenMs = newestMs;
    const read = readArchiveConfig(archiveConfig);
    if (read.ok) config = read.value;
    return config;
  };
}

function writtenAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
