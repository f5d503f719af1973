import { existsSync } from 'node:fs';
import {
  type ArchiveConfig,
  joinArchiveFile,
  packer,
  usedBytes,
  withKept,
  writeArchiveConfig,
} from '@heliograph/app-archive';
import { createReader } from '@heliograph/record';
import { encodeNpub } from '@heliograph/wire/nostr';
import { archiveDecisions, archiveFile, orFail, say } from '../archive-place.ts';
import type { Context } from '../context.ts';
import { badUsage } from '../failure.ts';
import { printable } from '../printable.ts';

export interface ArchiveOnOptions {
  readonly agent?: readonly string[];
  readonly file?: string;
  readonly atRest?: ArchiveConfig['atRest'];
  readonly secrets?: ArchiveConfig['secrets'];
  /** In ms; 0: off. */
  readonly maxAge?: number;
  /** In bytes; 0: off. */
  readonly maxSize?: number;
}

/** `heliograph archive on`: from now on things are kept. */
export async function archiveOn(options: ArchiveOnOptions, context: Context): Promise<number> {
  const before = archiveDecisions(context);
  const { agent, file, maxAge = before.maxAgeMs, maxSize = before.maxBytes } = options;
  const kept =
    before.on && before.agents === undefined
      ? undefined
      : [...(before.on ? (before.agents ?? []) : []), ...(agent ?? [])];
  const config: ArchiveConfig = {
    on: true,
    agents: agent === undefined || kept === undefined ? undefined : [...new Set(kept)],
    except: agent === undefined ? undefined : before.except?.filter((key) => !agent.includes(key)),
    file: file === undefined ? before.file : context.path(file),
    atRest: options.atRest ?? before.atRest,
    secrets: options.secrets ?? before.secrets,
    maxAgeMs: maxAge || undefined,
    maxBytes: maxSize || undefined,
  };
  refuseOtherSettings(config, context);
  writeArchiveConfig(context.places.archiveConfig, config);
  say(...describe(config, context));
  say('The desktop keeps it while it runs, from its next start on; `heliograph archive run` keeps it without one.');
  return 0;
}

/** `heliograph archive off`: nothing more is kept. */
export async function archiveOff({ agent }: { readonly agent?: readonly string[] }, context: Context): Promise<number> {
  const before = archiveDecisions(context);
  const config: ArchiveConfig = agent === undefined ? { ...before, on: false } : withKept(before, agent, false);
  writeArchiveConfig(context.places.archiveConfig, config);
  say(...describe(config, context));
  return 0;
}

const OWN_NAME =
  'SELECT agent_name FROM sessions WHERE agent = ? AND agent_name IS NOT NULL ORDER BY session DESC LIMIT 1';

/** `heliograph archive status`: what is kept where. */
export async function archiveStatus(_: object, context: Context): Promise<number> {
  const config = archiveDecisions(context);
  say(...describe(config, context));
  const file = archiveFile(undefined, context);
  if (!existsSync(file)) {
    say('There is no archive yet.');
    return 0;
  }
  const db = orFail(joinArchiveFile(file));
  try {
    const reader = createReader(db, packer, context.crypto);
    const about = reader.about();
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
    say(
      `${megabytes(usedBytes(db))} in use: ${about.records} records, ${count('sessions')} sessions, ${count('gaps')} gaps, ${count('redactions')} secrets replaced.`,
    );
    if (about.atRest === 'sealed') say('Only ciphertext is kept: nothing can be searched without the key.');
    const ownName = db.prepare(OWN_NAME).pluck();
    for (const { publicKey, name, keyMadeBy } of reader.agents()) {
      // The owner's name for it, else its own.
      const called = name ?? (ownName.get(publicKey) as string | undefined);
      const maker = keyMadeBy === undefined ? '' : `, its key made by the ${keyMadeBy}`;
      say(`Agent ${called === undefined ? '' : `${printable(called)} `}${encodeNpub(publicKey)}${maker}`);
    }
  } finally {
    db.close();
  }
  return 0;
}

function describe(config: ArchiveConfig, context: Context): readonly string[] {
  if (!config.on) return ['The archive is off: nothing is kept.'];
  const { agents, except = [], atRest, secrets, maxAgeMs, maxBytes } = config;
  const whom = agents === undefined ? 'all agents' : `${agents.length} agent${agents.length === 1 ? '' : 's'}`;
  const without = except.length === 0 ? '' : `, but not of ${except.length}`;
  const days = maxAgeMs === undefined ? undefined : `${Math.round(maxAgeMs / 86_400_000)} days`;
  const bounds = [days, maxBytes === undefined ? undefined : megabytes(maxBytes)].filter(Boolean);
  return [
    `The archive is on: what is sent by and to ${whom}${without} is kept in ${config.file ?? context.places.archiveFile}.`,
    atRest === 'sealed'
      ? 'Only ciphertext is kept.'
      : `Text is kept in the clear, known secrets replaced; an event with a secret is ${secrets === 'seal' ? 'kept as ciphertext' : 'dropped but for its id and signature'}.`,
    bounds.length === 0 ? 'It is kept without end.' : `It is kept up to ${bounds.join(' or ')}.`,
  ];
}

/** How text is kept is decided when the file is made: two ways in one file would leave nobody knowing. */
function refuseOtherSettings(config: ArchiveConfig, context: Context): void {
  const file = config.file ?? context.places.archiveFile;
  if (!existsSync(file)) return;
  const db = joinArchiveFile(file);
  if (!db.ok) return;
  const about = createReader(db.value, packer, context.crypto).about();
  db.value.close();
  if (about.atRest !== config.atRest || about.secrets !== config.secrets) {
    throw badUsage(
      `--at-rest and --secrets: ${file} was made with ${about.atRest} and ${about.secrets}. Expected these, or another file with --file.`,
    );
  }
}

function megabytes(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
