import { isHex64 } from '@heliograph/wire';

/** Names the format, so that no other JSONL is taken for one. */
export const EXPORT_FORMAT = 'heliograph-archive-export';
export const EXPORT_VERSION = 1;

/** What of an archive was asked for. Keys in hex, times as given, inclusive, by when the archive received a record. */
export interface ExportScope {
  readonly agent?: string | undefined;
  readonly session?: number | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The first line of an export: what it is, and how anyone sees that it holds. */
export interface Manifest {
  readonly chain: string;
  /** The owner's public key, hex. */
  readonly owner: string;
  readonly atRest: 'open' | 'sealed';
  readonly secrets: 'seal' | 'drop';
  /** `sealed`: the signed events are there, as ciphertext. `redacted`: only the readable text is, its secrets replaced. */
  readonly events: 'sealed' | 'redacted';
  /** `undefined`: all of the archive. */
  readonly scope: ExportScope | undefined;
  /** Where the records begin in the chain, and the hash before; `undefined` when there are none. */
  readonly first: { readonly n: number; readonly prev: string } | undefined;
}

/** A manifest as it stands in an export, with its guide for people. */
export function manifestJson(manifest: Manifest): Record<string, unknown> {
  const { chain, owner, atRest, secrets, events, scope, first } = manifest;
  return {
    type: 'manifest',
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    chain,
    owner,
    atRest,
    secrets,
    events,
    scope: scope === undefined ? null : definedOf(scope),
    first: first ?? null,
    howToVerify: howToVerify(manifest),
  };
}

/** Reads a first line's object; a sentence says what is wrong with it. */
export function readManifest(value: Readonly<Record<string, unknown>>): Manifest | string {
  const { format, version, chain, owner, atRest, secrets, events, scope, first } = value;
  if (format !== EXPORT_FORMAT) return 'it is no export of an archive: its first line is not the manifest of one';
  if (version !== EXPORT_VERSION) return `its version is ${String(version)}, and this program knows ${EXPORT_VERSION}`;
  if (!isHex64(chain) || !isHex64(owner)) return 'chain and owner must be 64 hex digits';
  if (atRest !== 'open' && atRest !== 'sealed') return 'atRest must be open or sealed';
  if (secrets !== 'seal' && secrets !== 'drop') return 'secrets must be seal or drop';
  if (events !== 'sealed' && events !== 'redacted') return 'events must be sealed or redacted';
  if (scope !== null && !isObject(scope)) return 'scope must be an object or null';
  const start = first === null ? undefined : isObject(first) ? first : {};
  if (start !== undefined && (!isCount(start.n) || !isHex64(start.prev)))
    return 'first must have n and prev, or be null';
  return {
    chain,
    owner,
    atRest,
    secrets,
    events,
    scope: scope === null ? undefined : scope,
    first: start === undefined ? undefined : { n: start.n as number, prev: start.prev as string },
  };
}

function howToVerify({ events, scope }: Manifest): readonly string[] {
  return [
    'With Heliograph: heliograph archive verify THIS-FILE --owner NPUB, where NPUB is the owner as you know them from elsewhere.',
    "Without: every line but this one has a type. agent and stream lines name what records are of; names are nobody's proof.",
    'record: hash = SHA-256 of the UTF-8 of the JSON array, without white space, ["heliograph-record-1", chain, n, prev, id, role, agent, stream, firstSeq, lastSeq, createdAt, receivedMs, envelope, textSha], where prev is the hash of the record or link before; textSha is the SHA-256 of text.',
    'link: the same of a record that was not asked for, so that the chain holds.',
    "statement: json is a Nostr event (NIP-01) signed by the archive's own key, for which the owner vouches in its auth tag (NIP-OA). Its tags n and head name a record and its hash; prev the statement before.",
    events === 'sealed'
      ? 'The signed event is {id, pubkey (of the agent; of the owner where role is control), created_at: createdAt, kind, tags (a JSON text), content, sig}. opening is its NIP-44 message keys (chacha key 32 bytes, nonce 12, hmac key 32): they decrypt content to text.'
      : "Redacted: the signed events' contents were left out, so the signature (sig over id) can be seen to hold but not that text is what was signed: for that stands the archive's signed checkpoint alone.",
    scope === undefined
      ? 'All records the archive held are here.'
      : 'Only records in scope are here. That between the first and the last nothing in scope was left out is seen from the links: they name agent, stream and place of the others. What lies before and after is not told.',
    'end: digest is made over all lines before it: d = 32 zero bytes, then for each line d = SHA-256(d, the UTF-8 of the line without its line end).',
  ];
}

function definedOf(scope: ExportScope): Record<string, unknown> {
  const { agent, session, since, until } = scope;
  return Object.fromEntries(
    Object.entries({ agent, session, since, until }).filter(([, value]) => value !== undefined),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
