import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ArchiveSettings } from '@heliograph/record';
import { err, isHex64, ok, type Result } from '@heliograph/wire';
import { makePrivateFolder } from './private-folder.ts';
import type { Retention } from './retention.ts';

/** What an owner decided about keeping; nothing is kept unless `on`. */
export interface ArchiveConfig extends Retention {
  readonly on: boolean;
  /** Only these agents (hex); undefined: all. */
  readonly agents?: readonly string[] | undefined;
  /** None of these. */
  readonly except?: readonly string[] | undefined;
  /** The archive's file, where it is not at its usual place. */
  readonly file?: string | undefined;
  readonly atRest: ArchiveSettings['atRest'];
  readonly secrets: ArchiveSettings['secrets'];
}

/** Off, and what `on` begins with. */
export const ARCHIVE_OFF: ArchiveConfig = { on: false, atRest: 'open', secrets: 'seal' };

/** The decisions in a file; off when there is none. `bad-config`: the file is not one, and says which member. */
export function readArchiveConfig(
  path: string,
): Result<ArchiveConfig, { readonly code: 'bad-config'; readonly message: string }> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ok(ARCHIVE_OFF);
    return bad(path, `it can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad(path, 'it is no JSON');
  }
  const config = (value ?? {}) as { [member in keyof ArchiveConfig]?: unknown };
  const { on, agents, except, file, atRest, secrets, maxAgeMs, maxBytes } = config;
  if (typeof on !== 'boolean') return bad(path, 'on must be true or false');
  if (!isKeys(agents) || !isKeys(except)) return bad(path, 'agents and except must be lists of 64 hex digits');
  if (file !== undefined && typeof file !== 'string') return bad(path, 'file must be a path');
  if (atRest !== 'open' && atRest !== 'sealed') return bad(path, 'atRest must be open or sealed');
  if (secrets !== 'seal' && secrets !== 'drop') return bad(path, 'secrets must be seal or drop');
  if (!isAmount(maxAgeMs) || !isAmount(maxBytes)) return bad(path, 'maxAgeMs and maxBytes must be positive numbers');
  return ok({ on, agents, except, file, atRest, secrets, maxAgeMs, maxBytes });
}

/** Writes the decisions whole (0600), or not at all. Throws what the system throws. */
export function writeArchiveConfig(path: string, config: ArchiveConfig): void {
  makePrivateFolder(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Whether what this agent sends is kept. */
export function keepsAgent({ on, agents, except }: ArchiveConfig, agent: string): boolean {
  return on && (agents === undefined || agents.includes(agent)) && !(except?.includes(agent) ?? false);
}

/** The decisions with another one about these agents (hex). */
export function withKept(config: ArchiveConfig, agents: readonly string[], isKept: boolean): ArchiveConfig {
  const { agents: only, except = [] } = config;
  const others = (keys: readonly string[]) => keys.filter((key) => !agents.includes(key));
  return {
    ...config,
    agents: only === undefined ? undefined : [...others(only), ...(isKept ? agents : [])],
    except: [...others(except), ...(isKept ? [] : agents)],
  };
}

function isKeys(value: unknown): value is readonly string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every(isHex64));
}

function isAmount(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === 'number' && Number.isFinite(value) && value > 0);
}

function bad(path: string, what: string): Result<never, { readonly code: 'bad-config'; readonly message: string }> {
  return err({
    code: 'bad-config',
    message: `${path}: ${what}. Mend it, or remove it and run \`heliograph archive on\``,
  });
}
