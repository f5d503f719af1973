import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
// biome-ignore lint/correctness/noUndeclaredDependencies: the repository's own build tool
import { defineConfig } from 'vite';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));

// `--mode story` builds the page of stories (src/dev) instead of the product.
export default defineConfig(({ command, mode }) => {
  // A build begun by a test runner inherits its NODE_ENV, and would bundle React's development build.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: import.meta.dirname,
    // Relative, so that the page works below any path; the host's CSP allows no inline script, style or data: font.
    base: './',
    plugins: [react(), tailwindcss()],
    define: { HELIOGRAPH_VERSION: JSON.stringify(version) },
    build: {
      target: 'es2023',
      outDir: 'dist',
      emptyOutDir: true,
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1_500,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: mode === 'story' ? 'story.html' : 'index.html' },
    },
    worker: { format: 'es' },
  };
});
