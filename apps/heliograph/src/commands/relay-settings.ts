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
const MEMBERS = ['owners', 'public', 'retention', 'limits', 'publicUrl', 'name', 'trustedProxies'] as const;

type ConfigFile = Readonly<Partial<Record<(typeof MEMBERS)[number], unknown>>>;

/** What only a start can set, with its flag. */
const FIXED = new Map([
  ['host', '--host'],
  ['port', '--port'],
  ['data', '--data'],
  ['verifyWorkers', '--verify-workers'],
]);

/** The settings that may change while the relay runs: those of the flags, with what the file (JSON) says instead. Throws a Failure that names the member. */
export function withConfigFile(flags: RelaySettings, file: string | undefined): RelaySettings {
  if (file === undefined) return flags;
  const config = readConfig(file);
  return {
    owners: ownersOf(config.owners, file) ?? flags.owners,
    open: readAll(textsOf(config.public, 'public', file), parseOpen, file) ?? flags.open,
    retention: readAll(textsOf(config.retention, 'retention', file), parseRetention, file) ?? flags.retention,
    trustedProxies: textsOf(config.trustedProxies, 'trustedProxies', file) ?? flags.trustedProxies,
    publicUrl: textOf(config.publicUrl, 'publicUrl', file) ?? flags.publicUrl,
    name: textOf(config.name, 'name', file) ?? flags.name,
    limits: limitsOf(config.limits, file) ?? flags.limits,
  };
}

function readConfig(file: string): ConfigFile {
  let config: unknown;
  try {
    config = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw badUsage(`--config: ${file} can't be read as JSON (${cause instanceof Error ? cause.message : cause}).`);
  }
  if (!isObject(config)) throw badUsage(`--config: ${file} is wrong. Expected an object in braces.`);
  for (const name of Object.keys(config)) {
    const flag = FIXED.get(name);
    if (flag !== undefined) {
      throw badUsage(
        `--config: ${file} says "${name}", which can't change while the relay runs. Give it as ${flag} and start again.`,
      );
    }
    if (!(MEMBERS as readonly string[]).includes(name)) {
      throw badUsage(`--config: ${file} says "${name}". Expected ${MEMBERS.join(', ')}.`);
    }
  }
  return config;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown, name: string, file: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
  throw badUsage(`--config: "${name}" in ${file} is wrong. Expected a list of texts.`);
}

/** A list without owners would lock everybody out, where who leaves it out keeps those the relay has. */
function ownersOf(value: unknown, file: string): readonly string[] | undefined {
  const owners = textsOf(value, 'owners', file);
  if (owners?.length !== 0) return owners;
  throw badUsage(
    `--config: "owners" in ${file} is empty, so nobody could use the relay. Name at least one npub, or leave it out.`,
  );
}

function textOf(value: unknown, name: string, file: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw badUsage(`--config: "${name}" in ${file} is wrong. Expected a text.`);
}

/** Names and numbers are checked where they are put in force. */
function limitsOf(value: unknown, file: string): RelaySettings['limits'] {
  if (value === undefined || isObject(value)) return value;
  throw badUsage(`--config: "limits" in ${file} is wrong. Expected an object like {"eventsPerSec": 500}.`);
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
