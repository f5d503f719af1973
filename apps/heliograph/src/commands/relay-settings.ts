import { readFileSync } from 'node:fs';
import {
  NOTHING_OPEN,
  type OpenKinds,
  parseKindSet,
  type RelaySettings,
  type RetentionRule,
} from '@heliograph/app-relay';
import { InvalidArgumentError } from 'commander';
import { badUsage } from '../failure.ts';

/** Reads `read:1,30023` or `write:1059` and adds it to what is open; throws InvalidArgumentError. */
export function parseOpen(text: string, sofar: OpenKinds = NOTHING_OPEN): OpenKinds {
  let open = sofar;
  // Settings from the environment hold several, separated by spaces: commas separate kinds.
  for (const part of text.trim().split(/\s+/)) {
    const [, what, list = ''] = /^(read|write):(.+)$/.exec(part) ?? [];
    const kinds = parseKindSet(list);
    if ((what !== 'read' && what !== 'write') || kinds === undefined) {
      throw new InvalidArgumentError(
        'Expected read: or write: and kinds, like read:1,30000-39999 or write:1059 or read:*.',
      );
    }
    open = { ...open, [what]: [...open[what], ...kinds] };
  }
  return open;
}

const SECONDS = { h: 3_600, d: 86_400, y: 365 * 86_400 } as const;

/** Reads `1,7:30d` (h, d or y) and adds it to the rules; throws InvalidArgumentError. */
export function parseRetention(text: string, sofar: readonly RetentionRule[] = []): readonly RetentionRule[] {
  const rules = [...sofar];
  for (const part of text.trim().split(/\s+/)) {
    const [, list = '', count, unit] = /^(.+):(\d{1,6})([hdy])$/.exec(part) ?? [];
    const kinds = parseKindSet(list);
    if (kinds === undefined || count === undefined) {
      throw new InvalidArgumentError('Expected kinds and how long they are kept, like 1,7:30d or *:1y or 20-29:12h.');
    }
    rules.push({ kinds, maxAgeSec: Number(count) * SECONDS[unit as keyof typeof SECONDS] });
  }
  return rules;
}

/** What a configuration file may say; each member replaces what the flags say. */
interface ConfigFile {
  readonly owners?: unknown;
  readonly public?: unknown;
  readonly retention?: unknown;
}

/** The settings that may change while the relay runs: those of the flags, with what the file (JSON) says instead. Throws a Failure that names the member. */
export function withConfigFile(flags: RelaySettings, file: string | undefined): RelaySettings {
  if (file === undefined) return flags;
  let config: ConfigFile;
  try {
    config = JSON.parse(readFileSync(file, 'utf8')) as ConfigFile;
  } catch (cause) {
    throw badUsage(`--config: ${file} can't be read as JSON (${cause instanceof Error ? cause.message : cause}).`);
  }
  const unknown = Object.keys(config).find((name) => !['owners', 'public', 'retention'].includes(name));
  if (unknown !== undefined)
    throw badUsage(`--config: ${file} says "${unknown}". Expected owners, public and retention.`);
  return {
    owners: textsOf(config.owners, 'owners', file) ?? flags.owners,
    open: readAll(textsOf(config.public, 'public', file), parseOpen, file) ?? flags.open,
    retention: readAll(textsOf(config.retention, 'retention', file), parseRetention, file) ?? flags.retention,
  };
}

function textsOf(value: unknown, name: string, file: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
  throw badUsage(`--config: "${name}" in ${file} is wrong. Expected a list of texts.`);
}

function readAll<T>(
  texts: readonly string[] | undefined,
  parse: (text: string, sofar?: T) => T,
  file: string,
): T | undefined {
  try {
    return texts?.reduce<T | undefined>((sofar, text) => parse(text, sofar), undefined);
  } catch (cause) {
    throw badUsage(`--config: ${file}: ${cause instanceof Error ? cause.message : cause}`);
  }
}
