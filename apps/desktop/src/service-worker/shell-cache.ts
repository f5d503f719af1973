import { cacheName, cachePrefix, type Shell } from './shell.ts';

export interface ShellCacheOptions {
  readonly shell: Shell;
  /** The folder of the page, ending in a slash. */
  readonly scope: string;
  readonly caches: CacheStorage;
  readonly fetch: typeof fetch;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}

/** A network that has not answered by then counts as away. */
const PATIENCE_MS = 4_000;
/** Files kept beside the shell, those of languages that code was shown in; of more none is kept. */
const MAX_OTHER_FILES = 200;
/** A server answers differently by `Accept`; what is kept here is the one answer that counts. */
const AS_KEPT = { ignoreVary: true };

/** The page's own files, one cache for each build, so that an open page and the build it is of stay together. */
export class ShellCache {
  readonly #options: ShellCacheOptions;

  constructor(options: ShellCacheOptions) {
    this.#options = options;
  }

  /** Fetches the whole shell; rejects, keeping nothing, where a file is not there or not of this build. */
  async fill(): Promise<void> {
    const { shell, scope, caches } = this.#options;
    const cache = await this.#open();
    try {
      const requests = Object.entries(shell.files).map(
        ([path, integrity]) => new Request(new URL(path, scope), { cache: 'no-cache', integrity }),
      );
      await cache.addAll(requests);
    } catch (cause) {
      await caches.delete(cacheName(scope, shell.build));
      throw cause;
    }
  }

  /** Removes the caches of this page's other builds. */
  async removeOthers(): Promise<void> {
    const { shell, scope, caches } = this.#options;
    const own = cacheName(scope, shell.build);
    const others = (await caches.keys()).filter((name) => name.startsWith(cachePrefix(scope)) && name !== own);
    await Promise.all(others.map((name) => caches.delete(name)));
  }

  /** The page from its server, which may have a newer one; the kept one where that is away, too slow, or fails. */
  async page(request: Request): Promise<Response> {
    const { fetch, wait, scope } = this.#options;
    const kept = async () => (await this.#open()).match(scope, AS_KEPT);
    const fetched = fetch(request).then(
      async (response) => (response.status >= 500 ? ((await kept()) ?? response) : response),
      async (cause: unknown) => {
        const page = await kept();
        if (page === undefined) throw cause;
        return page;
      },
    );
    const late = wait(PATIENCE_MS).then(kept);
    return (await Promise.race([fetched, late])) ?? fetched;
  }

  /** A file: kept, or fetched and kept. */
  async file(request: Request): Promise<Response> {
    const cache = await this.#open();
    const kept = await cache.match(request.url, AS_KEPT);
    if (kept !== undefined) return kept;
    const response = await this.#options.fetch(request);
    if (response.ok && response.type === 'basic') await this.#keep(cache, request.url, response.clone());
    return response;
  }

  async #keep(cache: Cache, url: string, response: Response): Promise<void> {
    const { shell } = this.#options;
    const keys = await cache.keys();
    if (keys.length >= Object.keys(shell.files).length + MAX_OTHER_FILES) return;
    // A device that is full keeps nothing more, and shows what was fetched.
    await cache.put(url, response).catch(() => undefined);
  }

  #open(): Promise<Cache> {
    const { caches, scope, shell } = this.#options;
    return caches.open(cacheName(scope, shell.build));
  }
}
