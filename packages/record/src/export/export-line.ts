import { type Crypto, isHex64, isHex128 } from '@heliograph/wire';
import type { Finding, RecordHead, Role, StoredRecord } from '../record.ts';
import { type Manifest, manifestJson, readManifest } from './manifest.ts';

/** An agent as the archive knows it. */
export interface AgentLine {
  readonly type: 'agent';
  readonly agent: string;
  readonly name: string | null;
  readonly keyMadeBy: 'owner' | 'agent' | null;
}

/** What the archive knows of a stream beyond its records. */
export interface StreamLine {
  readonly type: 'stream';
  readonly agent: string;
  readonly stream: string;
  readonly channelId: string | null;
  readonly headSeq: number;
  readonly headHash: string | null;
  readonly closed: boolean;
  /** First and last seq that are lost, and why. */
  readonly lost: readonly (readonly [number, number, string])[];
}

/** The last line: how many are before it, and a digest over them. */
export interface EndLine {
  readonly type: 'end';
  readonly lines: number;
  readonly digest: string;
}

/** One line of an export. They come in this order; links and records by their number, mixed. */
export type ExportLine =
  | { readonly type: 'manifest'; readonly manifest: Manifest }
  | AgentLine
  | StreamLine
  | { readonly type: 'statement'; readonly json: string }
  | { readonly type: 'link'; readonly head: RecordHead & { readonly hash: string } }
  | { readonly type: 'record'; readonly record: StoredRecord; readonly findings: readonly Finding[] }
  | EndLine;

/** Characters of one line at most: the longest text and its ciphertext, escaped. */
export const MAX_EXPORT_LINE = 8_388_608;
const MAX_LOST = 65_536;
const MAX_FINDINGS = 4_096;

/** A line as text, without its end. The same line always gives the same text. */
export function encodeExportLine(line: ExportLine, crypto: Crypto): string {
  switch (line.type) {
    case 'manifest':
      return JSON.stringify(manifestJson(line.manifest));
    case 'link':
      return JSON.stringify({ type: 'link', ...headJson(line.head) });
    case 'record': {
      const { record, findings } = line;
      const { kind, tags, sig, content, opening, text } = record;
      return JSON.stringify({
        type: 'record',
        ...headJson(record),
        kind,
        tags,
        sig,
        content,
        opening: opening === undefined ? undefined : crypto.base64Encode(opening),
        text,
        redactions: findings.length === 0 ? undefined : findings.map(({ kind: secret, digest }) => [secret, digest]),
      });
    }
    default:
      return JSON.stringify(line);
  }
}

/** Reads one line; what is wrong with it comes as a sentence. */
export function parseExportLine(text: string, crypto: Crypto): ExportLine | string {
  if (text.length > MAX_EXPORT_LINE) return `it is longer than ${MAX_EXPORT_LINE} characters`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no JSON object';
  const line = value as Readonly<Record<string, unknown>>;
  switch (line.type) {
    case 'manifest': {
      const manifest = readManifest(line);
      return typeof manifest === 'string' ? manifest : { type: 'manifest', manifest };
    }
    case 'agent':
      return readAgent(line);
    case 'stream':
      return readStream(line);
    case 'statement':
      return typeof line.json === 'string' ? { type: 'statement', json: line.json } : 'json must be a text';
    case 'link': {
      const head = readHead(line);
      return typeof head === 'string' ? head : { type: 'link', head };
    }
    case 'record':
      return readRecord(line, crypto);
    case 'end': {
      const { lines, digest } = line;
      if (!isCount(lines) || !isHex64(digest)) return 'lines must be a number and digest 64 hex digits';
      return { type: 'end', lines, digest };
    }
    default:
      return 'its type is none that an export has';
  }
}

function headJson(head: RecordHead & { readonly hash: string }): Record<string, unknown> {
  const { n, prev, hash, id, role, agent, stream, firstSeq, lastSeq, createdAtSec, receivedAtMs, envelope, textSha } =
    head;
  const place = { n, prev, hash, id, role, agent, stream, firstSeq, lastSeq };
  return { ...place, createdAt: createdAtSec, receivedMs: receivedAtMs, envelope, textSha };
}

function readHead(line: Readonly<Record<string, unknown>>): (RecordHead & { readonly hash: string }) | string {
  const { n, prev, hash, id, role, agent, stream, firstSeq, lastSeq, createdAt, receivedMs, envelope, textSha } = line;
  if (!isCount(n) || n < 1) return 'n must be a number from 1 on';
  if (!isHex64(prev) || !isHex64(hash) || !isHex64(id) || !isHex64(agent)) {
    return 'prev, hash, id and agent must be 64 hex digits';
  }
  if (!isRole(role)) return 'role must be telemetry, control or usage';
  if (stream !== null && typeof stream !== 'string') return 'stream must be a text or null';
  if (!isCountOrNull(firstSeq) || !isCountOrNull(lastSeq)) return 'firstSeq and lastSeq must be numbers or null';
  if (!isCount(createdAt) || !isCount(receivedMs)) return 'createdAt and receivedMs must be numbers';
  if (!isHashOrNull(envelope) || !isHashOrNull(textSha)) return 'envelope and textSha must be 64 hex digits or null';
  const place = { n, prev, hash, id, role, agent, stream, firstSeq, lastSeq };
  return { ...place, createdAtSec: createdAt, receivedAtMs: receivedMs, envelope, textSha };
}

function readRecord(line: Readonly<Record<string, unknown>>, crypto: Crypto): ExportLine | string {
  const head = readHead(line);
  if (typeof head === 'string') return head;
  const { kind, tags, sig, content, opening, text, redactions = [] } = line;
  if (!isCount(kind) || typeof tags !== 'string' || !isHex128(sig)) return 'kind, tags or sig is not as it must be';
  if (!isTextOrNone(content) || !isTextOrNone(text) || !isTextOrNone(opening)) {
    return 'content, opening and text must be texts';
  }
  const bytes = opening === undefined ? undefined : openingBytes(opening, crypto);
  if (opening !== undefined && bytes === undefined) return 'opening must be 76 bytes in base64';
  const findings = readFindings(redactions);
  if (findings === undefined) return 'redactions must be pairs of texts';
  return { type: 'record', record: { ...head, kind, tags, sig, content, opening: bytes, text }, findings };
}

function readFindings(value: unknown): readonly Finding[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_FINDINGS) return undefined;
  const findings = value.flatMap((pair: unknown): Finding[] => {
    const [kind, digest] = Array.isArray(pair) ? (pair as unknown[]) : [];
    return typeof kind === 'string' && typeof digest === 'string' ? [{ kind, digest }] : [];
  });
  return findings.length === value.length ? findings : undefined;
}

function readAgent({ agent, name, keyMadeBy }: Readonly<Record<string, unknown>>): AgentLine | string {
  if (!isHex64(agent) || (name !== null && typeof name !== 'string')) return 'agent or name is not as it must be';
  if (keyMadeBy !== null && keyMadeBy !== 'owner' && keyMadeBy !== 'agent') return 'keyMadeBy must be owner or agent';
  return { type: 'agent', agent, name, keyMadeBy };
}

function readStream(line: Readonly<Record<string, unknown>>): StreamLine | string {
  const { agent, stream, channelId, headSeq, headHash, closed, lost } = line;
  if (!isHex64(agent) || typeof stream !== 'string') return 'agent or stream is not as it must be';
  if (channelId !== null && typeof channelId !== 'string') return 'channelId must be a text or null';
  if (!isCount(headSeq) || (headHash !== null && typeof headHash !== 'string'))
    return 'headSeq or headHash is not right';
  if (typeof closed !== 'boolean') return 'closed must be true or false';
  if (!Array.isArray(lost) || lost.length > MAX_LOST || !lost.every(isLost)) return 'lost must be ranges with reasons';
  return { type: 'stream', agent, stream, channelId, headSeq, headHash, closed, lost };
}

function isLost(range: unknown): range is readonly [number, number, string] {
  if (!Array.isArray(range)) return false;
  const [first, last, reason] = range as unknown[];
  return isCount(first) && isCount(last) && typeof reason === 'string';
}

function openingBytes(text: string, crypto: Crypto): Uint8Array | undefined {
  try {
    const bytes = crypto.base64Decode(text);
    return bytes.length === 76 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function isRole(value: unknown): value is Role {
  return value === 'telemetry' || value === 'control' || value === 'usage';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCountOrNull(value: unknown): value is number | null {
  return value === null || isCount(value);
}

function isHashOrNull(value: unknown): value is string | null {
  return value === null || isHex64(value);
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
