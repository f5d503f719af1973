/** The page without what it shows: the files that it starts with. Written into the service worker when it is built. */
export interface Shell {
  /** Says which build it is: other files, another one. */
  readonly build: string;
  /** Each file's path below the page's folder (`''`: the page itself), and what it must hash to (`sha256-…`). */
  readonly files: Readonly<Record<string, string>>;
}

/** What the service worker does with a request: the page itself, one of its files, or none of its business. */
export type Handling = 'page' | 'file' | 'pass';

/** As far as it matters of a request. */
interface Asked {
  readonly method: string;
  readonly mode: string;
  readonly url: string;
}

/**
 * How a request is handled by the service worker of the page in the folder `scope`. Only files that anybody may have are:
 * what carries a key, a token or an event is neither, nor is whatever else lives at this address. Pure.
 */
export function handlingOf({ method, mode, url }: Asked, scope: string, shell: Shell): Handling {
  const { origin, pathname, search } = new URL(url);
  const folder = new URL(scope);
  if (method !== 'GET' || origin !== folder.origin || !pathname.startsWith(folder.pathname)) return 'pass';
  const path = pathname.slice(folder.pathname.length);
  if (mode === 'navigate') return path === '' || path === 'index.html' ? 'page' : 'pass';
  if (search !== '' || path === '') return 'pass';
  // Named by their content, they never change.
  return Object.hasOwn(shell.files, path) || /^assets\/[\w.-]+$/.test(path) ? 'file' : 'pass';
}

/** The cache of a build of the page in the folder `scope`: one address may have several such pages. */
export function cacheName(scope: string, build: string): string {
  return `${cachePrefix(scope)}${build}`;
}

/** What the names of all caches of that page begin with. */
export function cachePrefix(scope: string): string {
  return `heliograph shell ${scope} `;
}
