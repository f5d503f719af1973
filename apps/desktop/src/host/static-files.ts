import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Reply, refuse } from './http-reply.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** Names of files that a build names after their content: they never change. */
const HASHED = /^\/assets\//;

/** What the build puts beside a file, by the name a browser has for it; the shorter one first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** What a browser asks a file by. */
export interface FileRequest {
  /** As it stands in the request, without the query. */
  readonly path: string;
  readonly acceptEncoding?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

export function fileRequest({ headers }: IncomingMessage, path: string): FileRequest {
  return { path, acceptEncoding: `${headers['accept-encoding'] ?? ''}`, ifNoneMatch: headers['if-none-match'] };
}

export type ServeFile = (request: FileRequest) => Promise<Reply>;

interface StaticFile {
  readonly headers: Readonly<Record<string, string>>;
  /** Of the content as it is, without quotes. */
  readonly tag: string;
  /** The content in every form that is kept: `identity` only where no gzip is. */
  readonly forms: ReadonlyMap<string, Uint8Array>;
}

/**
 * The files of the built page, read once: whoever reads slowly shares them, a build done meanwhile does not mix into a
 * page that is open, and what can be asked for is the list made here, so that no path, however it is written, leads out
 * of the folder. Rejects with code `UI_MISSING` when there is no index.html.
 */
export async function openStaticFiles(uiDir: string): Promise<ServeFile> {
  const files = await readFiles(uiDir);
  if (!files.has('/index.html')) {
    const message = `no built page in ${uiDir}: build it with "npm run build -w @heliograph/app-desktop"`;
    throw Object.assign(new Error(message), { code: 'UI_MISSING' });
  }
  return async ({ path, acceptEncoding, ifNoneMatch }) => {
    const file = files.get(path === '/' ? '/index.html' : path);
    if (file === undefined) return refuse(404, 'not-found', 'There is nothing here.');
    const encoding = pickEncoding(file, acceptEncoding);
    const isPlain = encoding === 'identity';
    // One URL, several answers: a cache between must not mix them up. A relay has a document by `Accept` as well.
    const headers = {
      ...file.headers,
      Vary: 'Accept, Accept-Encoding',
      ETag: `"${isPlain ? file.tag : `${file.tag}-${encoding}`}"`,
      ...(isPlain ? {} : { 'Content-Encoding': encoding }),
    };
    if (namesTag(ifNoneMatch, headers.ETag)) return { status: 304, body: NOTHING, headers };
    return { status: 200, body: file.forms.get(encoding) ?? (await unpacked(file)), headers };
  };
}

const NOTHING = new Uint8Array();

/** The shortest form that the browser takes. */
function pickEncoding(file: StaticFile, header = ''): string {
  const refused = /;\s*q=0(?:\.0*)?\s*$/;
  const accepted = header.split(',').filter((part) => !refused.test(part));
  const names = new Set(accepted.map((part) => part.split(';', 1)[0]?.trim().toLowerCase()));
  return ENCODINGS.find(([name]) => names.has(name) && file.forms.has(name))?.[0] ?? 'identity';
}

/** `W/` stands before tags that a proxy compressed anew: the file is the same. */
function namesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((part) => part.trim().replace(/^W\//, '') === tag) ?? false;
}

const unpack = promisify(gunzip);

/** For the few that take nothing compressed. */
function unpacked(file: StaticFile): Promise<Uint8Array> {
  return unpack(file.forms.get('gzip') ?? NOTHING);
}

async function readFiles(uiDir: string): Promise<ReadonlyMap<string, StaticFile>> {
  const entries = await readdir(uiDir, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const paths = new Set(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const isBeside = (path: string) => ENCODINGS.some(([, end]) => path.endsWith(end) && paths.has(path.slice(0, -3)));
  const files = new Map<string, StaticFile>();
  for (const path of paths) {
    if (isBeside(path)) continue;
    const content = await readFile(path);
    const forms = new Map<string, Uint8Array>();
    for (const [name, end] of ENCODINGS) if (paths.has(path + end)) forms.set(name, await readFile(path + end));
    if (!forms.has('gzip')) forms.set('identity', content);
    const name = `/${relative(uiDir, path).split(sep).join('/')}`;
    files.set(name, { headers: headersOf(name), tag: tagOf(content), forms });
  }
  return files;
}

function headersOf(name: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
    'Cache-Control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

function tagOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
