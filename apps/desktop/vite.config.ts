import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
// biome-ignore lint/correctness/noUndeclaredDependencies: the repository's own build tool
import { defineConfig, type Plugin } from 'vite';
import { SERVICE_WORKER, writeServiceWorker } from './build-service-worker.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** As good as the best to a few percent, in a tenth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * Tells the service worker which files the page starts with, then puts a .br and a .gz beside what shrinks: servers send
 * those, and compress nothing while they serve.
 */
function finished(): Plugin {
  return {
    name: 'heliograph-finished',
    apply: 'build',
    async writeBundle({ dir = '' }, output) {
      await writeServiceWorker(dir, output);
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const compress = async (path: string): Promise<void> => {
        const content = await readFile(path);
        await Promise.all([
          brotli(content, BROTLI).then((bytes) => writeFile(`${path}.br`, bytes)),
          zip(content, { level: 9 }).then((bytes) => writeFile(`${path}.gz`, bytes)),
        ]);
      };
      await Promise.all(
        paths.filter((path) => /^\.(html|js|css|svg|json|webmanifest)$/.test(extname(path))).map(compress),
      );
    },
  };
}

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

// `--mode story` builds the page of stories (src/dev) instead of the product.
export default defineConfig(({ command, mode }) => {
  // A build begun by a test runner inherits its NODE_ENV, and would bundle React's development build.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: import.meta.dirname,
    // Relative, so that the page works below any path; the host's CSP allows no inline script, style or data: font.
    base: './',
    plugins: [react(), tailwindcss(), finished()],
    define: { HELIOGRAPH_VERSION: JSON.stringify(version) },
    build: {
      target: 'es2023',
      outDir: 'dist',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1_500,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: mode === 'story' ? 'story.html' : ['index.html', 'src/service-worker/service-worker.ts'],
        output: {
          entryFileNames: ({ name }) => (name === 'service-worker' ? SERVICE_WORKER : 'assets/[name]-[hash].js'),
        },
      },
    },
    worker: { format: 'es' },
  };
});
