import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
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

/**
 * The files of the built page. What can be asked for is the list made here, so that no path, however it is written, leads
 * out of the folder. Rejects with code `UI_MISSING` when there is no index.html.
 */
export async function openStaticFiles(uiDir: string): Promise<(path: string) => Promise<Reply>> {
  const files = await listFiles(uiDir);
  if (!files.has('/index.html')) {
    const message = `no built page in ${uiDir}: build it with "npm run build -w @heliograph/app-desktop"`;
    throw Object.assign(new Error(message), { code: 'UI_MISSING' });
  }
  return async (path) => {
    const wanted = path === '/' ? '/index.html' : path;
    const file = files.get(wanted);
    if (file === undefined) return refuse(404, 'not-found', 'There is nothing here.');
    return {
      status: 200,
      body: await readFile(file),
      headers: {
        'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
        'Cache-Control': HASHED.test(wanted) ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    };
  };
}

async function listFiles(uiDir: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(uiDir, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [`/${relative(uiDir, file).split(sep).join('/')}`, file];
    }),
  );
}
